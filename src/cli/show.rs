//! `panes`, `servers` and `status`: what there is, as tables.

use panewatch_protocol::method;
use panewatch_protocol::panes::{ListPanes, ListServers, Panes, Servers};
use panewatch_protocol::status::{GetStatus, Status};

use super::args::{Connection, Server};
use super::exit::Exit;
use super::output::{Output, table};

/// Lists the panes of a server.
pub async fn panes(
    connection: &Connection,
    server: &Server,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    let (client, place) = super::connect(connection).await?;
    let question = ListPanes { server: server.name() };
    let panes: Panes = client.call(&place.path, method::LIST_PANES, &question).await?;
    output.answer(&panes, pane_table)?;
    Ok(Exit::Done)
}

fn pane_table(panes: &Panes) -> String {
    let mut rows = vec![header(["PANE", "TARGET", "WINDOW", "SIZE", "PID", "COMMAND", "STATE"])];
    for p in &panes.panes {
        let state = match (p.dead, p.cursor.is_some()) {
            (true, _) => "dead",
            (false, true) => "watched",
            (false, false) => "",
        };
        rows.push(vec![
            p.pane.clone(),
            format!("={}:{}.{}", p.session_name, p.window_index, p.pane_index),
            p.window_name.clone(),
            format!("{}x{}", p.width, p.height),
            p.pid.to_string(),
            p.command.clone(),
            state.to_owned(),
        ]);
    }
    table(&rows)
}

/// Lists the servers.
pub async fn servers(connection: &Connection, output: &mut Output) -> anyhow::Result<Exit> {
    let (client, place) = super::connect(connection).await?;
    let servers: Servers = client.call(&place.path, method::LIST_SERVERS, &ListServers {}).await?;
    output.answer(&servers, server_table)?;
    Ok(Exit::Done)
}

fn server_table(servers: &Servers) -> String {
    let mut rows = vec![header(["SOCKET", "PID", "VERSION", "LINKS", "ERROR"])];
    for s in &servers.servers {
        rows.push(vec![
            s.socket_path.clone(),
            s.pid.map(|pid| pid.to_string()).unwrap_or_default(),
            s.version.clone().unwrap_or_default(),
            s.links.to_string(),
            s.error.clone().unwrap_or_default(),
        ]);
    }
    table(&rows)
}

/// Says what the daemon is doing.
pub async fn status(connection: &Connection, output: &mut Output) -> anyhow::Result<Exit> {
    let (client, place) = super::connect(connection).await?;
    let status: Status = client.call(&place.path, method::STATUS, &GetStatus {}).await?;
    output.answer(&status, status_text)?;
    Ok(Exit::Done)
}

fn status_text(status: &Status) -> String {
    let mut rows = vec![
        vec!["daemon".to_owned(), format!("{} (process {})", status.version, status.pid)],
        vec!["protocol".to_owned(), status.protocol.to_string()],
        vec!["socket".to_owned(), status.socket_path.clone()],
        vec!["up for".to_owned(), format!("{:.0} s", status.uptime_seconds)],
        vec!["waits".to_owned(), status.waits.to_string()],
    ];
    for s in &status.servers {
        rows.push(vec![
            "server".to_owned(),
            format!(
                "{} (process {}, tmux {}): {} links, {} streams, {} of {} bytes kept, {} gaps, {} waits",
                s.socket_path,
                s.pid,
                s.version,
                s.links.len(),
                s.streams,
                s.kept_bytes,
                s.seen_bytes,
                s.gaps,
                s.waits
            ),
        ]);
    }
    table(&rows)
}

fn header<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}
