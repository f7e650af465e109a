//! A place in a pane's stream, as text that callers hold and give back.
//!
//! A cursor names one life of one pane and a position in it, so that it can never mean another pane,
//! another program in the same pane, or another count of the same stream (W14).

use std::fmt;
use std::str::FromStr;

use crate::control::PaneId;

/// One life of one pane, as one daemon counted its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PaneLife {
    /// The server's process id and start time, in seconds. Two lives of a server on one socket can
    /// have the same start time (field report R17), hence both.
    pub server: (i32, u64),
    /// When this daemon began to count, in nanoseconds; another daemon counts otherwise.
    pub epoch: u64,
    /// The pane.
    pub pane: PaneId,
    /// The process id of the pane's program; a respawn changes it.
    pub pid: i32,
}

/// A position in a pane's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cursor {
    /// The pane's life.
    pub life: PaneLife,
    /// Bytes of the stream before this place.
    pub position: u64,
}

/// The first part of every cursor: its form.
const FORM: &str = "c1";

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PaneLife { server: (server, start), epoch, pane, pid } = self.life;
        let position = self.position;
        write!(f, "{FORM}-{}-{pid:x}-{server:x}-{start:x}-{epoch:x}-{position:x}", pane.0)
    }
}

/// The text is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is not a cursor that panewatch gave out")]
pub struct NotACursor;

impl FromStr for Cursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        let parts: Vec<&str> = text.split('-').collect();
        let &[FORM, pane, pid, server, start, epoch, position] = &parts[..] else {
            return Err(NotACursor);
        };
        let number = |text| u64::from_str_radix(text, 16).map_err(|_| NotACursor);
        let process = |text| i32::from_str_radix(text, 16).map_err(|_| NotACursor);
        let cursor = Self {
            life: PaneLife {
                server: (process(server)?, number(start)?),
                epoch: number(epoch)?,
                pane: PaneId(pane.parse().map_err(|_| NotACursor)?),
                pid: process(pid)?,
            },
            position: number(position)?,
        };
        // one place has one spelling
        if cursor.to_string() == text { Ok(cursor) } else { Err(NotACursor) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_went_out() {
        let life = PaneLife { server: (4711, 1_796_000_000), epoch: 99, pane: PaneId(3), pid: 12 };
        let cursor = Cursor { life, position: 123_456 };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "c1",
            "c1-1-2-3-4-5",
            "c1-1-2-3-4-5-6-7",
            "c2-1-2-3-4-5-6",
            "c1-1-2-3-4-5-g",
            "c1-1-2-3-4-5-06",
            "%3",
        ] {
            assert_eq!(text.parse::<Cursor>(), Err(NotACursor), "{text}");
        }
    }
}
