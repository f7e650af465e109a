//! How a pane is captured: its grid, to find what its stream has missed, and its screen, to go on from.
//!
//! The same commands run in one go with an attach, or one after another over a link that lives.

use std::collections::HashMap;

use super::links::Ask;
use super::task::Observer;
use crate::control::quote::quote;
use crate::control::{PaneId, Reply};
use crate::limits::RECOVERED_LINES;
use crate::pane::Seed;
use crate::pane::seed::STATE_FORMAT;
use crate::tmux::LinkId;
use crate::tmux::imsg::Introduction;

/// A part of a capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The screen and the history.
    Grid,
    /// Size, cursor and modes.
    State,
    /// The screen.
    Rows,
    /// The escape sequence that tmux is in the middle of.
    Unfinished,
}

/// The parts of captures that have come over a link, until each is whole.
#[derive(Debug, Default)]
pub(super) struct Captures {
    by_pane: HashMap<PaneId, (String, Vec<u8>)>,
}

impl Captures {
    /// Takes a part; the whole screen, with the last part of it.
    fn take(&mut self, pane: PaneId, part: Part, reply: &Reply) -> Option<Seed> {
        match part {
            Part::Grid => None,
            Part::State => {
                let state = String::from_utf8_lossy(&reply.body).trim_end().to_owned();
                self.by_pane.insert(pane, (state, Vec::new()));
                None
            }
            Part::Rows => {
                self.by_pane.entry(pane).or_default().1 = reply.body.to_vec();
                None
            }
            Part::Unfinished => {
                let (state, rows) = self.by_pane.remove(&pane)?;
                Seed::parse(&state, &rows, &reply.body)
            }
        }
    }
}

/// What is captured with an attach.
#[derive(Debug, Default)]
pub(super) struct WithAttach {
    /// The commands.
    pub(super) commands: Vec<Vec<String>>,
    /// What they will answer.
    pub(super) asks: Vec<Ask>,
    /// The panes for which there was no room.
    pub(super) left_out: Vec<PaneId>,
}

/// The captures that fit into one message with an attach. `lost`: the pane's grid too.
pub(super) fn with_attach(panes: impl Iterator<Item = (PaneId, bool)>) -> WithAttach {
    let mut all = WithAttach::default();
    // room for the attach itself
    let (mut bytes, mut words) = (256, 16);
    for (pane, lost) in panes {
        let parts: Vec<_> = parts(lost).map(|part| (part, command(pane, part))).collect();
        bytes += parts.iter().map(|(_, c)| Introduction::command_bytes(c)).sum::<usize>();
        words += parts.iter().map(|(_, c)| c.len() + 1).sum::<usize>();
        if bytes > Introduction::MAX_COMMAND_BYTES || words > Introduction::MAX_COMMAND_WORDS {
            all.left_out.push(pane);
            continue;
        }
        for (part, command) in parts {
            all.asks.push(Ask::Capture(pane, part));
            all.commands.push(command);
        }
    }
    all
}

/// The history of a pane that was read all the time has nothing new to say.
fn parts(lost: bool) -> impl Iterator<Item = Part> {
    let screen = [Part::State, Part::Rows, Part::Unfinished];
    lost.then_some(Part::Grid).into_iter().chain(screen)
}

fn command(pane: PaneId, part: Part) -> Vec<String> {
    let (id, history) = (pane.to_string(), format!("-{RECOVERED_LINES}"));
    let words: &[&str] = match part {
        Part::Grid => &["capture-pane", "-p", "-J", "-S", &history, "-t", &id],
        Part::State => &["display-message", "-p", "-t", &id, STATE_FORMAT],
        Part::Rows => &["capture-pane", "-p", "-J", "-t", &id],
        Part::Unfinished => &["capture-pane", "-p", "-P", "-t", &id],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

impl Observer {
    /// Finds what a pane wrote while nobody read it, and goes on from its screen.
    pub(super) fn catch_up_over(&mut self, link: LinkId, pane: PaneId) {
        for part in parts(self.panes.get(pane).is_some_and(|p| p.lost)) {
            self.capture_over(link, pane, part);
        }
    }

    /// Captures a part over a link. False: the link is not live, or has too much to do.
    pub(super) fn capture_over(&mut self, link: LinkId, pane: PaneId, part: Part) -> bool {
        let words: Vec<String> = command(pane, part).iter().map(|word| quote(word)).collect();
        self.ask(link, Ask::Capture(pane, part), &words.join(" "))
    }

    /// A part of a capture has come.
    pub(super) fn on_capture(&mut self, link: LinkId, pane: PaneId, part: Part, reply: &Reply) {
        if part == Part::Grid {
            let text = String::from_utf8_lossy(&reply.body);
            let rows: Vec<String> = text.lines().map(str::to_owned).collect();
            return self.on_grid(pane, if reply.ok { &rows } else { &[] });
        }
        let seed =
            self.links.captures(link).filter(|_| reply.ok).and_then(|c| c.take(pane, part, reply));
        if let Some(seed) = seed {
            self.on_seed(link, pane, &seed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_that_do_not_fit_with_the_attach_are_left_for_later() {
        let all = with_attach((0..100).map(|pane| (PaneId(pane), false)));
        let words: usize = all.commands.iter().map(|c| c.len() + 1).sum();
        let bytes: usize = all.commands.iter().map(|c| Introduction::command_bytes(c)).sum();
        assert!(
            words <= Introduction::MAX_COMMAND_WORDS && bytes <= Introduction::MAX_COMMAND_BYTES
        );
        assert_eq!(all.asks.len(), all.commands.len());
        assert_eq!(all.asks.len() / 3 + all.left_out.len(), 100);
        assert!((20..100).contains(&all.left_out.len()), "{}", all.left_out.len());
    }
}
