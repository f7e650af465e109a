//! Exit codes, for scripts.

use std::process::{ExitCode, Termination};

use panewatch_protocol::wait::Outcome;

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: done; a wait found what it was asked for.
    Done,
    /// 1: a stop pattern was written.
    Stopped,
    /// 2: something is wrong with the call.
    Wrong,
    /// 3: the pane, its session or its server is gone.
    Gone,
    /// 4: a full-screen program had the pane when the time ran out.
    AlternateScreen,
    /// 124: the time ran out, as `timeout` has it.
    Timeout,
    /// 130: interrupted.
    Interrupted,
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Stopped => 1,
            Self::Wrong => 2,
            Self::Gone => 3,
            Self::AlternateScreen => 4,
            Self::Timeout => 124,
            Self::Interrupted => 130,
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self.code())
    }
}

impl From<Outcome> for Exit {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Matched | Outcome::AnyOutput | Outcome::PresentAtEntry => Self::Done,
            Outcome::Stopped => Self::Stopped,
            Outcome::Timeout | Outcome::Pending => Self::Timeout,
            Outcome::AlternateScreen => Self::AlternateScreen,
            Outcome::PaneClosed
            | Outcome::PaneRespawned
            | Outcome::SessionClosed
            | Outcome::ServerClosed => Self::Gone,
            Outcome::Cancelled => Self::Interrupted,
        }
    }
}
