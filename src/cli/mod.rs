//! The command: a face of the daemon, and the daemon's own beginning.
//!
//! - [`args`]: what can be typed
//! - [`wait`]: `panewatch wait`
//! - [`typing`]: `panewatch send` and `panewatch paste`
//! - [`show`]: `panes`, `servers` and `status`
//! - [`demo`]: the main job, on screen, in a tmux of its own
//! - [`output`]: the only printer
//! - [`exit`]: exit codes

pub mod args;
pub mod demo;
pub mod exit;
pub mod output;
pub mod show;
pub mod typing;
pub mod wait;

use anyhow::Context;
use clap::Parser;
use tokio::runtime::{Builder, Runtime};
use tracing_subscriber::EnvFilter;

use args::{Args, Command, Connection};
use exit::Exit;
use output::Output;

use crate::client::Client;
use crate::client::autostart;
use crate::daemon::run;
use crate::socket::{self, Place};
use crate::tmux::process;

/// Does what the command line says; the process's exit code.
pub fn main() -> Exit {
    let args = match Args::try_parse() {
        Ok(args) => args,
        // help and version are no errors; clap knows where each is to be printed
        Err(error) => {
            error.print().ok();
            return if error.use_stderr() { Exit::Wrong } else { Exit::Done };
        }
    };
    let mut output = Output::new(args.json);
    dispatch(args, &mut output).unwrap_or_else(|error| output.error(&error))
}

fn dispatch(args: Args, output: &mut Output) -> anyhow::Result<Exit> {
    let Args { connection, command, .. } = args;
    match command {
        Command::Serve(serve) => {
            log();
            run::run(serve.options(connection.listen))?;
            Ok(Exit::Done)
        }
        Command::Wait(wait) => client_runtime()?.block_on(wait::run(&connection, &wait, output)),
        Command::Send(send) => client_runtime()?.block_on(typing::send(&connection, &send, output)),
        Command::Paste(paste) => {
            client_runtime()?.block_on(typing::paste(&connection, &paste, output))
        }
        Command::Panes(server) => {
            client_runtime()?.block_on(show::panes(&connection, &server, output))
        }
        Command::Servers => client_runtime()?.block_on(show::servers(&connection, output)),
        Command::Status => client_runtime()?.block_on(show::status(&connection, output)),
        Command::Demo(demo) => client_runtime()?.block_on(demo::run(&demo, output)),
        Command::BecomeTmux { parent, binary, arguments } => {
            process::become_tmux(parent, &binary, &arguments)?;
            Ok(Exit::Wrong)
        }
    }
}

/// A client does one thing at a time.
fn client_runtime() -> anyhow::Result<Runtime> {
    Builder::new_current_thread().enable_all().build().context("starting up")
}

/// Connects to the daemon that the command line means.
async fn connect(connection: &Connection) -> anyhow::Result<(Client, Place)> {
    let place = socket::place(connection.listen.as_deref())?;
    let client = autostart::connect(&place, !connection.no_autostart).await?;
    Ok((client, place))
}

/// Logs to standard error, as much as `PANEWATCH_LOG` says. Never what a pane says.
fn log() {
    let filter =
        EnvFilter::try_from_env("PANEWATCH_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(terminal)
        .with_target(false)
        .init();
}
