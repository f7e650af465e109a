//! PURE: what `list-panes` says: which sessions, windows and panes there are.

use std::path::PathBuf;

use crate::control::{PaneId, SessionId, WindowId};

/// What [`Topology::parse`] reads, as a tmux format. Numbers first; the texts, which may contain
/// spaces, behind tabs, which tmux leaves in none of them.
pub const FORMAT: &str = "#{pid} #{start_time} #{pane_id} #{window_id} #{session_id} \
    #{window_index} #{pane_index} #{pane_width} #{pane_height} #{pane_pid} #{pane_active} \
    #{pane_dead} s#{pane_dead_status} g#{pane_dead_signal} t#{pane_tty}\
    \t#{session_name}\t#{window_name}\t#{pane_current_command}";

/// The panes of a server, in tmux's order: by session, window and pane.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Topology {
    /// The server's process id and start time.
    pub server: (i32, u64),
    /// One entry for each pane of each session; a window linked into two sessions is in both.
    pub panes: Vec<Listed>,
}

/// One pane, in one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The pane.
    pub pane: PaneId,
    /// Its window.
    pub window: WindowId,
    /// The session.
    pub session: SessionId,
    /// The window's index in the session.
    pub window_index: u32,
    /// The pane's index in the window.
    pub pane_index: u32,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// The process id of the pane's program.
    pub pid: i32,
    /// Whether it is its window's active pane.
    pub active: bool,
    /// Whether its program has ended, and how, as far as tmux knows by now.
    pub dead: Option<Death>,
    /// The pane's terminal.
    pub tty: PathBuf,
    /// The session's name.
    pub session_name: String,
    /// The window's name.
    pub window_name: String,
    /// The command in the foreground.
    pub command: String,
}

/// How a pane's program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Death {
    /// Its exit status, if it exited.
    pub status: Option<i32>,
    /// Whether tmux knows yet; a pane can be dead before its status is there (tmux-control-mode 8).
    pub known: bool,
}

impl Topology {
    /// Reads the answer to [`FORMAT`]. A line that cannot be read is left out.
    pub fn parse(text: &str) -> Self {
        let mut topology = Self::default();
        for (server, listed) in text.lines().filter_map(Listed::parse) {
            topology.server = server;
            topology.panes.push(listed);
        }
        topology
    }

    /// The entries of a pane: one for each session that its window is linked into.
    pub fn of_pane(&self, pane: PaneId) -> impl Iterator<Item = &Listed> {
        self.panes.iter().filter(move |p| p.pane == pane)
    }

    /// The pane's first entry.
    pub fn pane(&self, pane: PaneId) -> Option<&Listed> {
        self.of_pane(pane).next()
    }

    /// The entries of a session.
    pub fn of_session(&self, session: SessionId) -> impl Iterator<Item = &Listed> {
        self.panes.iter().filter(move |p| p.session == session)
    }

    /// Whether there is such a session.
    pub fn has_session(&self, session: SessionId) -> bool {
        self.of_session(session).next().is_some()
    }

    /// Whether a window is linked into a session.
    pub fn has_window(&self, session: SessionId, window: WindowId) -> bool {
        self.of_session(session).any(|p| p.window == window)
    }

    /// The sessions.
    pub fn sessions(&self) -> Vec<SessionId> {
        let mut sessions: Vec<_> = self.panes.iter().map(|p| p.session).collect();
        sessions.dedup();
        sessions
    }
}

impl Listed {
    fn parse(line: &str) -> Option<((i32, u64), Self)> {
        let (numbers, texts) = line.split_once('\t')?;
        let mut texts = texts.splitn(3, '\t').map(str::to_owned);
        let mut word = numbers.split(' ');
        let server = (word.next()?.parse().ok()?, word.next()?.parse().ok()?);
        let listed = Self {
            pane: PaneId::parse(word.next()?)?,
            window: WindowId::parse(word.next()?)?,
            session: SessionId::parse(word.next()?)?,
            window_index: word.next()?.parse().ok()?,
            pane_index: word.next()?.parse().ok()?,
            width: word.next()?.parse().ok()?,
            height: word.next()?.parse().ok()?,
            pid: word.next()?.parse().ok()?,
            active: word.next()? == "1",
            dead: Death::parse(word.next()?, word.next()?, word.next()?),
            tty: word.next()?.strip_prefix('t')?.into(),
            session_name: texts.next()?,
            window_name: texts.next()?,
            command: texts.next()?,
        };
        Some((server, listed))
    }
}

impl Death {
    fn parse(dead: &str, status: &str, signal: &str) -> Option<Self> {
        let status = status.strip_prefix('s')?.parse().ok();
        let signalled = !matches!(signal, "g" | "g0");
        (dead == "1").then_some(Self { status, known: status.is_some() || signalled })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_is_read_whole() {
        let text = "7 1796 %0 @0 $0 0 0 80 24 11 1 0 s g t/dev/pts/1\twork\tmy  win\tbash\n\
            7 1796 %3 @1 $0 1 0 80 24 12 0 1 s7 g t\twork\tw\tsleep 1\nnonsense\n\
            7 1796 %4 @2 $2 0 0 80 24 13 0 1 s g t/dev/pts/1\tnaïve\t\t\n";
        let topology = Topology::parse(text);
        assert_eq!(topology.server, (7, 1796));
        assert_eq!(topology.sessions(), [SessionId(0), SessionId(2)]);
        let pane = topology.pane(PaneId(0)).unwrap();
        assert_eq!((pane.window_name.as_str(), pane.dead), ("my  win", None));
        let pane = topology.pane(PaneId(3)).unwrap();
        assert_eq!(pane.dead, Some(Death { status: Some(7), known: true }));
        let pane = topology.pane(PaneId(4)).unwrap();
        assert_eq!(pane.dead, Some(Death { status: None, known: false }));
        assert!(topology.has_window(SessionId(2), WindowId(2)));
        assert!(!topology.has_window(SessionId(0), WindowId(2)));
    }
}
