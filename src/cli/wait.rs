//! `panewatch wait`: prints the row that matched, and exits as the wait ended.

use panewatch_protocol::method;
use panewatch_protocol::wait::{Outcome, TextAnswer};

use super::args::{Connection, Wait};
use super::exit::Exit;
use super::output::Output;

/// Waits. An interrupt closes the connection, which takes the wait back.
pub async fn run(
    connection: &Connection,
    wait: &Wait,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    let question = wait.question();
    let answered = async {
        let (client, place) = super::connect(connection).await?;
        let answer: TextAnswer = client.call(&place.path, method::WAIT_FOR_TEXT, &question).await?;
        anyhow::Ok(answer)
    };
    let answer = tokio::select! {
        answer = answered => answer?,
        _ = tokio::signal::ctrl_c() => return Ok(Exit::Interrupted),
    };
    output.answer(&answer, |answer| printed(answer).join("\n"))?;
    if !answer.found {
        output.remark(&remark(&answer));
    }
    Ok(answer.outcome.into())
}

/// The rows that matched; of any output, the last one.
fn printed(answer: &TextAnswer) -> Vec<String> {
    match answer.outcome {
        Outcome::AnyOutput => answer.tail.last().cloned().into_iter().collect(),
        _ => [answer.context.as_slice(), &answer.matched_lines].concat(),
    }
}

fn remark(answer: &TextAnswer) -> String {
    let TextAnswer { pane, effective_timeout, .. } = answer;
    match answer.outcome {
        Outcome::Timeout if answer.matched_at_entry => format!(
            "{pane} did not write it within {effective_timeout} s; it stood on the screen before already"
        ),
        Outcome::Timeout if answer.saw_new_output => format!(
            "{pane} wrote something else for {effective_timeout} s; the last row is: {}",
            answer.tail.last().map_or("", String::as_str)
        ),
        Outcome::Timeout => format!("{pane} wrote nothing for {effective_timeout} s"),
        Outcome::AlternateScreen => {
            format!("a full-screen program has {pane}; --alternate-screen matches its text")
        }
        Outcome::PaneClosed => match answer.exit_status {
            Some(status) => format!("{pane} ended with exit status {status}"),
            None => format!("{pane} ended"),
        },
        Outcome::PaneRespawned => format!("{pane} runs another program now"),
        Outcome::SessionClosed => format!("the session of {pane} ended"),
        Outcome::ServerClosed => format!("the tmux server of {pane} ended"),
        Outcome::Stopped => format!("{pane} wrote a stop pattern"),
        Outcome::PresentAtEntry => format!("it stands on the screen of {pane} already"),
        Outcome::Pending => {
            format!("it stands on the row of {pane} that is still being typed into")
        }
        Outcome::Cancelled => "the wait was cancelled".to_owned(),
        Outcome::Matched | Outcome::AnyOutput => String::new(),
    }
}
