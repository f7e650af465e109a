//! What is to be done later: the observer sleeps until the first of these.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use crate::control::{PaneId, SessionId};
use crate::tmux::LinkId;

/// Something to do at its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Alarm {
    /// A pane's open row may have been left alone for long enough (W4).
    Settle(PaneId),
    /// Text that was typed into a pane may have settled: its Enter is due.
    Submit(PaneId),
    /// List the panes over a link.
    List(LinkId),
    /// A link has not answered its attach.
    Attach(LinkId),
    /// Link a session again after its link was lost.
    Relink(SessionId),
    /// Look for links that nobody needs.
    Idle,
}

/// The alarms set, each at most once.
#[derive(Debug, Default)]
pub struct Alarms {
    by_time: BTreeSet<(Instant, Alarm)>,
    times: HashMap<Alarm, Instant>,
}

impl Alarms {
    /// Sets an alarm, unless it is already set for an earlier time.
    pub fn set(&mut self, alarm: Alarm, at: Instant) {
        match self.times.get(&alarm) {
            Some(&earlier) if earlier <= at => return,
            Some(&later) => self.by_time.remove(&(later, alarm)),
            None => false,
        };
        self.times.insert(alarm, at);
        self.by_time.insert((at, alarm));
    }

    /// When the first one is due.
    pub fn next(&self) -> Option<Instant> {
        self.by_time.first().map(|(at, _)| *at)
    }

    /// Takes one that is due.
    pub fn take_due(&mut self, now: Instant) -> Option<Alarm> {
        let (at, alarm) = *self.by_time.first()?;
        if at > now {
            return None;
        }
        self.by_time.remove(&(at, alarm));
        self.times.remove(&alarm);
        Some(alarm)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_earlier_time_of_an_alarm_counts() {
        let now = Instant::now();
        let at = |ms| now + Duration::from_millis(ms);
        let mut alarms = Alarms::default();
        alarms.set(Alarm::Idle, at(50));
        alarms.set(Alarm::Idle, at(10));
        alarms.set(Alarm::Idle, at(30));
        alarms.set(Alarm::Settle(PaneId(1)), at(20));
        assert_eq!(alarms.next(), Some(at(10)));
        assert_eq!(alarms.take_due(at(9)), None);
        assert_eq!(alarms.take_due(at(60)), Some(Alarm::Idle));
        assert_eq!(alarms.take_due(at(60)), Some(Alarm::Settle(PaneId(1))));
        assert_eq!(alarms.take_due(at(60)), None);
    }
}
