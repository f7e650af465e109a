//! `panewatch send` and `panewatch paste`: print the cursor from which to wait.

use panewatch_protocol::method;
use panewatch_protocol::typing::Typed;
use serde::Serialize;

use super::args::{Connection, Paste, Send};
use super::exit::Exit;
use super::output::Output;

/// Types.
pub async fn send(
    connection: &Connection,
    send: &Send,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    order(connection, method::SEND_KEYS, &send.order(), output).await
}

/// Pastes.
pub async fn paste(
    connection: &Connection,
    paste: &Paste,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    order(connection, method::PASTE_TEXT, &paste.order(), output).await
}

async fn order<A: Serialize>(
    connection: &Connection,
    method: &str,
    arguments: &A,
    output: &mut Output,
) -> anyhow::Result<Exit> {
    let (client, place) = super::connect(connection).await?;
    let typed: Typed = client.call(&place.path, method, arguments).await?;
    output.answer(&typed, |typed| typed.cursor.clone())?;
    Ok(Exit::Done)
}
