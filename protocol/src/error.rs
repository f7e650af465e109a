//! The kinds of error: a stable word, a code, and whether asking again can help.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What went wrong, as a word that stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// An argument is missing, unknown, of the wrong type or out of range.
    InvalidArgument,
    /// A pattern is empty, too long, not a regular expression, or too large as one.
    InvalidPattern,
    /// No such pane.
    PaneNotFound,
    /// No such session.
    SessionNotFound,
    /// The target names more than one thing.
    AmbiguousTarget,
    /// No tmux server answers there.
    ServerNotRunning,
    /// The session could not be linked.
    LinkFailed,
    /// tmux refused a command.
    TmuxError,
    /// Client and daemon speak different protocols.
    VersionMismatch,
    /// The cursor is from another pane, another life of it, or malformed.
    CursorInvalid,
    /// The daemon holds as many waits as it may.
    TooManyWaits,
    /// The request is larger than the daemon takes.
    TooLarge,
    /// The daemon is stopping.
    ShuttingDown,
    /// The pane is in a mode, such as copy mode, in which keys do something else.
    PaneInMode,
    /// It is the caller's own pane.
    OwnPane,
    /// The daemon, or this connection, does not type.
    ReadOnly,
}

impl ErrorKind {
    /// The JSON-RPC error code: outside the ranges of the specification and of the library.
    pub fn code(self) -> i32 {
        match self {
            Self::InvalidArgument => 1001,
            Self::InvalidPattern => 1002,
            Self::PaneNotFound => 1003,
            Self::SessionNotFound => 1004,
            Self::AmbiguousTarget => 1005,
            Self::ServerNotRunning => 1006,
            Self::LinkFailed => 1007,
            Self::TmuxError => 1008,
            Self::VersionMismatch => 1009,
            Self::CursorInvalid => 1010,
            Self::TooManyWaits => 1011,
            Self::TooLarge => 1012,
            Self::ShuttingDown => 1013,
            Self::PaneInMode => 1014,
            Self::OwnPane => 1015,
            Self::ReadOnly => 1016,
        }
    }

    /// Whether the same call can succeed later without a change.
    pub fn retryable(self) -> bool {
        matches!(
            self,
            Self::ServerNotRunning
                | Self::LinkFailed
                | Self::TooManyWaits
                | Self::ShuttingDown
                | Self::PaneInMode
        )
    }

    /// Whether the caller's picture of the world is out of date.
    pub fn stale(self) -> bool {
        matches!(self, Self::PaneNotFound | Self::SessionNotFound | Self::CursorInvalid)
    }
}

/// The `data` of an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorData {
    /// What went wrong.
    pub kind: ErrorKind,
    /// Whether the same call can succeed later without a change.
    pub retryable: bool,
    /// Whether the caller's picture of the world is out of date.
    pub stale: bool,
}

impl From<ErrorKind> for ErrorData {
    fn from(kind: ErrorKind) -> Self {
        Self { kind, retryable: kind.retryable(), stale: kind.stale() }
    }
}
