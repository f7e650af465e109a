//! One control-mode connection to one session, of either kind, as its observer sees it.

use std::fmt;
use std::path::PathBuf;

use tokio::io;
use tokio::net::UnixStream;
use tokio::process::Child;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::command::TmuxError;
use super::endpoint::{Endpoint, Identity, Version};
use super::imsg::Kind;
use super::peer::Peer;
use super::{direct, process};
use crate::control::{Event, PaneId, SessionId};

/// A link's number at its observer; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkId(pub u64);

/// How links are opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkKind {
    /// Without tmux's binary, and safe on every version.
    Direct,
    /// By tmux's binary.
    Process(PathBuf),
}

impl fmt::Display for LinkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Direct => "direct",
            Self::Process(_) => "process",
        })
    }
}

/// What a link is opened to.
#[derive(Debug, Clone)]
pub struct Aim {
    /// The server's socket.
    pub endpoint: Endpoint,
    /// The server.
    pub server: Identity,
    /// The session.
    pub session: SessionId,
    /// Commands that run in one go with the attach, so that their answers have an exact place before
    /// the first output (tmux-control-mode 4.2).
    pub then: Vec<Vec<String>>,
}

impl Aim {
    /// The attach and what runs with it, as arguments. Never resizes (`ignore-size`), never touches the
    /// session's environment (`-E`), and names the session by its id, which no prefix can match. Not
    /// `read-only`: it keeps nothing from us, but from 3.7 on a `send-keys` that anybody runs while no
    /// other client is attached is refused because we are.
    pub fn argv(&self) -> Vec<String> {
        let session = self.session.to_string();
        let attach = ["attach-session", "-E", "-f", "ignore-size", "-t", &session];
        let mut argv: Vec<String> = attach.map(str::to_owned).into();
        for command in &self.then {
            argv.push(";".to_owned());
            argv.extend(command.iter().cloned());
        }
        argv
    }
}

/// Why a link could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The server did not take it.
    #[error(transparent)]
    Tmux(#[from] TmuxError),
    /// The connection failed on the way.
    #[error("the {kind} link to session {session} of {endpoint} failed while {doing}: {error}")]
    Io {
        /// `direct` or `process`.
        kind: LinkKind,
        /// The session.
        session: SessionId,
        /// The server's socket.
        endpoint: Endpoint,
        /// What was being done.
        doing: &'static str,
        /// What failed.
        error: io::Error,
    },
}

/// An open link, before anything has been read from it.
#[derive(Debug)]
pub struct Opened {
    /// Our end of the control-mode connection.
    pub control: UnixStream,
    /// What holds the client on tmux's side.
    pub keeper: Keeper,
}

/// What holds the client on tmux's side. Dropping it lets the server go at once.
#[derive(Debug)]
pub enum Keeper {
    /// The connection that introduced the client.
    Direct(Peer),
    /// The process of tmux's binary; it dies with us and when this is dropped.
    Process(Child),
}

impl Keeper {
    /// Answers what the server asks until the client is over; why it is over. Safe to drop.
    pub async fn keep(&mut self) -> String {
        match self {
            Self::Direct(peer) => keep_peer(peer).await,
            Self::Process(child) => match child.wait().await {
                Ok(status) => format!("tmux's client ended ({status})"),
                Err(error) => format!("tmux's client was lost: {error}"),
            },
        }
    }
}

async fn keep_peer(peer: &mut Peer) -> String {
    loop {
        let kind = match peer.receive().await {
            Ok(Some(message)) => message.kind,
            Ok(None) => return "the server closed the connection".to_owned(),
            Err(error) => return format!("the connection to the server failed: {error}"),
        };
        match kind {
            // the server holds its exit up until it has this answer
            Some(Kind::Detach | Kind::DetachKill | Kind::Exit | Kind::Shutdown) => {
                peer.send(Kind::Exiting, &[]).await.ok();
            }
            Some(Kind::Exited) => return "the server let go of the client".to_owned(),
            Some(Kind::Version) => return "the server speaks another protocol version".to_owned(),
            _ => {}
        }
    }
}

/// Opens a link. From tmux 3.7 on the process kind stands in where the direct one fails; below, a
/// plain client can crash the server, so the failure is the answer.
pub async fn open(kind: &LinkKind, aim: &Aim) -> Result<Opened, LinkError> {
    match kind {
        LinkKind::Process(binary) => process::open(binary, aim),
        LinkKind::Direct => match direct::open(aim).await {
            Err(error) if fallback_is_safe(&aim.server.version) => {
                tracing::warn!(%error, "the direct link failed; tmux's own client stands in");
                process::open(&process::binary_of(&aim.server), aim)
            }
            opened => opened,
        },
    }
}

fn fallback_is_safe(version: &Version) -> bool {
    version.at_least(3, 7)
}

/// What a link's reader tells its observer.
#[derive(Debug)]
pub enum FromLink {
    /// Events, in order, and then how much output of which panes was dropped behind them because the
    /// observer did not keep up.
    Batch(LinkId, Vec<Event>, Vec<(PaneId, u64)>),
    /// The link is over; nothing more comes from it.
    Ended(LinkId, LinkEnd),
}

/// How a link ended.
#[derive(Debug, thiserror::Error)]
pub enum LinkEnd {
    /// It could not be opened.
    #[error(transparent)]
    NotOpened(#[from] LinkError),
    /// It was open, and closed. tmux does not say why (tmux-control-mode 5): ask the server.
    #[error("{0}")]
    Closed(String),
}

/// The observer's hold on a link. Dropping it closes the link.
#[derive(Debug)]
pub struct LinkHandle {
    pub(super) commands: mpsc::Sender<String>,
    pub(super) closed: CancellationToken,
}

impl LinkHandle {
    /// Asks one command of tmux, without waiting: its reply is an event. False when too many commands
    /// are under way. Only commands that change nothing, and never text from outside: a newline in it
    /// would be another command, and an empty line detaches (tmux-control-mode 1).
    pub fn ask(&self, command: &str) -> bool {
        debug_assert!(!command.is_empty() && !command.contains('\n'));
        self.commands.try_send(format!("{command}\n")).is_ok()
    }
}

impl Drop for LinkHandle {
    fn drop(&mut self) {
        self.closed.cancel();
    }
}
