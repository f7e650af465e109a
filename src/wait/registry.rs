//! All the waits of one server, by pane and by deadline.
//!
//! Owns the waits and nothing else: streams are lent to it, times are told to it, and whom an answer
//! goes to is its owner's affair.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use panewatch_protocol::wait::{AtEntry, GapCause, Outcome, TextAnswer};

use super::answer::{Asked, End, text_answer};
use super::cursor::PaneLife;
use super::text::{Standing, TextWait};
use crate::control::PaneId;
use crate::pane::{PaneStream, Row};

/// A wait's number in its registry; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WaitId(pub u64);

/// A wait that is over.
pub type Answered = (WaitId, TextAnswer);

/// The waits of one server.
#[derive(Debug, Default)]
pub struct Waits {
    by_pane: HashMap<PaneId, Vec<Held>>,
    pane_of: HashMap<WaitId, PaneId>,
    deadlines: BTreeSet<(Instant, WaitId)>,
}

#[derive(Debug)]
struct Held {
    id: WaitId,
    wait: TextWait,
    asked: Asked,
    deadline: Instant,
}

impl Waits {
    /// How many waits are held.
    pub fn len(&self) -> usize {
        self.pane_of.len()
    }

    /// Whether none is held.
    pub fn is_empty(&self) -> bool {
        self.pane_of.is_empty()
    }

    /// The pane that a wait is about.
    pub fn pane_of(&self, id: WaitId) -> Option<PaneId> {
        self.pane_of.get(&id).copied()
    }

    /// The panes that waits are held on.
    pub fn panes(&self) -> impl Iterator<Item = PaneId> {
        self.by_pane.keys().copied()
    }

    /// Whether anybody waits on a pane.
    pub fn is_waited_on(&self, pane: PaneId) -> bool {
        self.by_pane.contains_key(&pane)
    }

    /// Takes a question about a pane. Answers at once if what is there answers it; else holds it.
    pub fn ask(
        &mut self,
        id: WaitId,
        mut wait: TextWait,
        life: PaneLife,
        stream: &mut PaneStream,
        now: Instant,
    ) -> Option<TextAnswer> {
        let standing = wait.standing(stream);
        let asked = Asked { life, at: now, stood: standing != Standing::Nowhere };
        if wait.start() < stream.position() {
            stream.replay(wait.start(), now, &mut |row| wait.offer(row));
        }
        if let Some(end) = ends_at_entry(&wait, standing, stream) {
            return Some(text_answer(&wait, asked, stream, end, now));
        }
        let deadline = now + wait.timeout();
        self.deadlines.insert((deadline, id));
        self.pane_of.insert(id, life.pane);
        self.by_pane.entry(life.pane).or_default().push(Held { id, wait, asked, deadline });
        None
    }

    /// Feeds a stream what its pane wrote, and answers the waits that this answers.
    pub fn feed(
        &mut self,
        pane: PaneId,
        stream: &mut PaneStream,
        bytes: &[u8],
        now: Instant,
    ) -> Vec<Answered> {
        self.show(pane, stream, now, |stream, offer| stream.feed(bytes, now, offer))
    }

    /// Recovers what a capture has and the stream has not, and answers the waits that this answers.
    pub fn recover(
        &mut self,
        pane: PaneId,
        stream: &mut PaneStream,
        captured: &[String],
        cause: GapCause,
        now: Instant,
    ) -> Vec<Answered> {
        self.show(pane, stream, now, |stream, offer| stream.recover(captured, cause, offer))
    }

    /// Lets something happen to a stream, and shows the rows that come of it to the pane's waits.
    fn show(
        &mut self,
        pane: PaneId,
        stream: &mut PaneStream,
        now: Instant,
        happen: impl FnOnce(&mut PaneStream, &mut dyn FnMut(&Row<'_>)),
    ) -> Vec<Answered> {
        let Some(held) = self.by_pane.get_mut(&pane) else {
            happen(stream, &mut |_| {});
            return Vec::new();
        };
        happen(stream, &mut |row| {
            for held in &mut *held {
                held.wait.offer(row);
            }
        });
        self.take_answered(pane, stream, now)
    }

    /// Whether a wait on the pane has a match that counts once its open row has been left alone.
    pub fn is_unsettled(&self, pane: PaneId) -> bool {
        self.by_pane.get(&pane).is_some_and(|held| held.iter().any(|h| h.wait.is_unsettled()))
    }

    /// The pane has been quiet for a while: its open row counts as it stands (W4).
    pub fn settle(&mut self, pane: PaneId, stream: &mut PaneStream, now: Instant) -> Vec<Answered> {
        if let (Some(held), Some(row)) = (self.by_pane.get_mut(&pane), stream.settled()) {
            for held in held {
                held.wait.offer(&row);
            }
        }
        self.take_answered(pane, stream, now)
    }

    fn take_answered(
        &mut self,
        pane: PaneId,
        stream: &mut PaneStream,
        now: Instant,
    ) -> Vec<Answered> {
        let over = |h: &Held| h.wait.found().is_some() || h.wait.has_any_output(stream);
        let held = self.by_pane.get(&pane).map_or(&[][..], Vec::as_slice);
        let ids: Vec<WaitId> = held.iter().filter(|h| over(h)).map(|h| h.id).collect();
        let end = End::from(Outcome::AnyOutput);
        ids.into_iter().filter_map(|id| Some((id, self.end(id, stream, end, now)?))).collect()
    }

    /// The moment at which the next wait runs out.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// A wait that has run out, if there is one.
    pub fn run_out(&self, now: Instant) -> Option<WaitId> {
        self.deadlines.first().filter(|(at, _)| *at <= now).map(|(_, id)| *id)
    }

    /// The waits on a pane.
    pub fn on(&self, pane: PaneId) -> Vec<WaitId> {
        self.by_pane.get(&pane).map_or_else(Vec::new, |held| held.iter().map(|h| h.id).collect())
    }

    /// Ends a wait, whatever it waits for. A row that has answered it is its answer.
    pub fn end(
        &mut self,
        id: WaitId,
        stream: &mut PaneStream,
        end: End,
        now: Instant,
    ) -> Option<TextAnswer> {
        let Held { wait, asked, .. } = self.take(id)?;
        Some(text_answer(&wait, asked, stream, end, now))
    }

    /// Forgets a wait whose caller has gone (W12). Answers whether it was held.
    pub fn remove(&mut self, id: WaitId) -> bool {
        self.take(id).is_some()
    }

    fn take(&mut self, id: WaitId) -> Option<Held> {
        let pane = self.pane_of.remove(&id)?;
        let on_pane = self.by_pane.get_mut(&pane)?;
        let at = on_pane.iter().position(|h| h.id == id)?;
        let held = on_pane.swap_remove(at);
        if on_pane.is_empty() {
            self.by_pane.remove(&pane);
        }
        self.deadlines.remove(&(held.deadline, id));
        Some(held)
    }
}

/// How a wait ends before it is held, if it does.
fn ends_at_entry(wait: &TextWait, standing: Standing, stream: &PaneStream) -> Option<End> {
    let outcome = if wait.found().is_some() {
        Outcome::Matched
    } else if wait.has_any_output(stream) {
        Outcome::AnyOutput
    } else if wait.at_entry() == AtEntry::Return && standing != Standing::Nowhere {
        if standing == Standing::OnFinishedRow { Outcome::PresentAtEntry } else { Outcome::Pending }
    } else if wait.timeout().is_zero() {
        Outcome::Timeout
    } else {
        return None;
    };
    Some(outcome.into())
}

#[cfg(test)]
mod tests;
