//! One `%` line that stands outside a reply.
//!
//! Most notices say only that something changed: the observer lists the panes again instead of
//! trusting them as deltas (tmux-control-mode 5 shows how they mislead).

use super::layout::{self, PaneSize};
use super::{PaneId, SessionId, WindowId};

/// What a notice means to an observer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// `%layout-change`: panes have these sizes from here on, and some may have come or gone.
    Layout(Vec<PaneSize>),
    /// `%session-changed`: this client is attached to this session now.
    SessionChanged(SessionId),
    /// `%pause`: output of the pane is thrown away from here on.
    Paused(PaneId),
    /// `%continue`: output of the pane flows from here on.
    Continued(PaneId),
    /// Something about this client's own session, its windows or panes changed.
    Changed,
    /// A window closed, of this session or of another: tmux says it alike to all clients.
    WindowClosed(WindowId),
    /// Something about other sessions changed.
    ChangedElsewhere,
    /// Nothing that matters here.
    Other,
}

/// Reads a notice; `line` begins with `%`.
pub fn parse(line: &[u8]) -> Notice {
    let Ok(line) = std::str::from_utf8(line) else { return Notice::Other };
    let mut words = line.split(' ');
    match words.next() {
        Some("%layout-change") => layout_change(words),
        Some("%session-changed") => {
            words.next().and_then(SessionId::parse).map_or(Notice::Other, Notice::SessionChanged)
        }
        Some("%pause") => pane(words).map_or(Notice::Other, Notice::Paused),
        Some("%continue") => pane(words).map_or(Notice::Other, Notice::Continued),
        Some("%unlinked-window-close") => {
            words.next().and_then(WindowId::parse).map_or(Notice::Other, Notice::WindowClosed)
        }
        Some(word) if word.starts_with("%window-") => Notice::Changed,
        Some(word) if starts_with_any(word, &["%unlinked-window-", "%session-", "%sessions-"]) => {
            Notice::ChangedElsewhere
        }
        _ => Notice::Other,
    }
}

/// `%layout-change @0 LAYOUT VISIBLE FLAGS`: a zoomed pane has the size that the visible layout says.
fn layout_change<'a>(mut words: impl Iterator<Item = &'a str>) -> Notice {
    words.next();
    let layout = words.next().unwrap_or_default();
    Notice::Layout(layout::sizes(words.next().unwrap_or(layout)))
}

fn pane<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<PaneId> {
    words.next().and_then(PaneId::parse)
}

fn starts_with_any(word: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| word.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_notice_means_what_tmux_means_by_it() {
        for (line, want) in [
            ("%session-changed $1 two words", Notice::SessionChanged(SessionId(1))),
            ("%session-changed", Notice::Other),
            ("%sessions-changed", Notice::ChangedElsewhere),
            ("%unlinked-window-add @3", Notice::ChangedElsewhere),
            ("%window-add @3", Notice::Changed),
            ("%window-close @3", Notice::Changed),
            ("%unlinked-window-close @3", Notice::WindowClosed(WindowId(3))),
            ("%window-pane-changed @0 %6", Notice::Changed),
            ("%pause %1", Notice::Paused(PaneId(1))),
            ("%continue %1", Notice::Continued(PaneId(1))),
            ("%client-detached client-7", Notice::Other),
            ("%paste-buffer-changed b", Notice::Other),
            ("%", Notice::Other),
            (
                "%layout-change @0 b25d,80x24,0,0,0 b25d,80x24,0,0,0 *",
                Notice::Layout(vec![PaneSize { pane: PaneId(0), width: 80, height: 24 }]),
            ),
        ] {
            assert_eq!(parse(line.as_bytes()), want, "{line}");
        }
    }

    #[test]
    fn a_zoomed_pane_has_the_visible_size() {
        let line = "%layout-change @0 9a1f,80x24,0,0[80x12,0,0,0,80x11,0,13,1] b25e,80x24,0,0,1 *Z";
        let want = PaneSize { pane: PaneId(1), width: 80, height: 24 };
        assert_eq!(parse(line.as_bytes()), Notice::Layout(vec![want]));
    }
}
