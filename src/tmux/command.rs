//! One tmux command, run without a process: a client of tmux's protocol that asks and leaves.
//!
//! It takes a few hundred microseconds, and does not care which tmux is on the `PATH`. Such a client
//! is none of control mode, so that the race of tmux-control-mode 15 does not concern it.

use std::io;
use std::path::PathBuf;

use tokio::time::timeout;

use super::endpoint::Endpoint;
use super::imsg::{Introduction, Kind, Message};
use super::peer::Peer;
use crate::limits::{MAX_REPLY_BYTES, TMUX_DEADLINE};

/// Why tmux did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum TmuxError {
    /// Nothing answers on the socket.
    #[error("no tmux server answers on {}: {error}", socket.display())]
    NotRunning {
        /// The socket.
        socket: PathBuf,
        /// What connecting said.
        error: io::Error,
    },
    /// The connection broke.
    #[error("the tmux server on {} broke off `{command}`: {error}", socket.display())]
    Broken {
        /// The command.
        command: String,
        /// The socket.
        socket: PathBuf,
        /// What broke.
        error: io::Error,
    },
    /// The server did not answer in time.
    #[error("the tmux server on {} did not answer `{command}` within {} s", socket.display(), TMUX_DEADLINE.as_secs())]
    Silent {
        /// The command.
        command: String,
        /// The socket.
        socket: PathBuf,
    },
    /// The command failed.
    #[error("the tmux server on {} refused `{command}`: {message}", socket.display())]
    Refused {
        /// The command.
        command: String,
        /// The socket.
        socket: PathBuf,
        /// What tmux said.
        message: String,
    },
}

/// Runs a command and answers what it printed.
pub async fn run(endpoint: &Endpoint, argv: &[&str]) -> Result<String, TmuxError> {
    let command = || argv.first().copied().unwrap_or_default().to_owned();
    let socket = || endpoint.path().to_owned();
    let broken = |error| TmuxError::Broken { command: command(), socket: socket(), error };
    let asked = timeout(TMUX_DEADLINE, async {
        let peer = Peer::connect(endpoint).await?;
        converse(peer, argv).await.map_err(broken)
    });
    let silent = |_| TmuxError::Silent { command: command(), socket: socket() };
    let output = asked.await.map_err(silent)??;
    if output.status == 0 {
        return Ok(String::from_utf8_lossy(&output.printed).into_owned());
    }
    let message = String::from_utf8_lossy(&output.complaint).trim().to_owned();
    Err(TmuxError::Refused { command: command(), socket: socket(), message })
}

#[derive(Debug, Default)]
struct Output {
    status: i32,
    printed: Vec<u8>,
    complaint: Vec<u8>,
}

/// The number under which the server sends standard error; standard output is 1.
const STDERR: i32 = 2;

async fn converse(mut peer: Peer, argv: &[&str]) -> io::Result<Output> {
    let pid = std::process::id();
    peer.introduce(Introduction { control: false, name: "", pid, argv }).await?;
    let mut output = Output::default();
    while let Some(message) = peer.receive().await? {
        match message.kind {
            Some(Kind::WriteOpen) => {
                let ready = [message.number().unwrap_or(0), 0].map(i32::to_ne_bytes).concat();
                peer.send(Kind::WriteReady, &ready).await?;
            }
            Some(Kind::Write) => output.take(&message)?,
            Some(Kind::Exit | Kind::Shutdown) => {
                output.status = message.number().unwrap_or(0);
                output.complaint.extend(message.data.get(4..).unwrap_or_default());
                peer.send(Kind::Exiting, &[]).await?;
                return Ok(output);
            }
            Some(Kind::Version) => {
                return Err(io::Error::other("it speaks another protocol version"));
            }
            _ => {}
        }
    }
    Err(io::Error::from(io::ErrorKind::UnexpectedEof))
}

impl Output {
    fn take(&mut self, message: &Message) -> io::Result<()> {
        let to =
            if message.number() == Some(STDERR) { &mut self.complaint } else { &mut self.printed };
        to.extend(message.data.get(4..).unwrap_or_default());
        if to.len() > MAX_REPLY_BYTES {
            return Err(io::Error::other(format!("it answered more than {MAX_REPLY_BYTES} bytes")));
        }
        Ok(())
    }
}
