//! What becomes of panes: they appear, die, are respawned, move, and go.
//!
//! A listing is believed only when it comes after all that the pane wrote: over the pane's own link, or
//! from outside when it has none (W10). What other listings show is a reason to ask again.

use std::time::{Duration, Instant};

use panewatch_protocol::wait::{GapCause, Outcome};

use super::alarms::Alarm;
use super::captures::Part;
use super::life;
use super::task::Observer;
use super::topology::{Death, Listed, Topology};
use crate::control::{PaneId, SessionId};
use crate::tmux::LinkId;
use crate::wait::answer::End;

/// How often a dead pane is listed again in the hope that tmux learns its exit status.
const STATUS_RECHECKS: u32 = 6;

impl Observer {
    /// The panes were listed: over a link, or from outside any.
    pub(super) fn apply_listing(&mut self, topology: Topology, via: Option<LinkId>) {
        if topology.panes != self.topology.panes {
            self.changes.send_modify(|count| *count += 1);
        }
        self.topology = topology;
        for pane in self.panes.ids() {
            self.check_pane(pane, via);
        }
        for (link, session) in self.links.live() {
            for pane in self.adopt(link, session) {
                self.catch_up_over(link, pane);
            }
        }
        self.panes.seen_up_to(self.topology.panes.iter().map(|p| p.pane).max());
        for (link, pane, bytes) in self.panes.take_strays() {
            if self.panes.owner_of(pane) == Some(link) {
                self.feed(pane, &bytes);
            } else if !self.is_in_session_of(pane, link) && via != Some(link) {
                self.panes.add_stray(link, pane, bytes);
            }
        }
        self.link_all();
    }

    /// What has become of a pane, as far as this listing can tell: it must come after all that the pane
    /// wrote, so over its owner, or from outside when it has none.
    fn check_pane(&mut self, id: PaneId, via: Option<LinkId>) {
        let Some(pane) = self.panes.get_mut(id) else { return };
        let listed = self.topology.pane(id);
        if pane.owner != via {
            let changed = listed.is_none_or(|l| l.pid != pane.life.pid || l.dead != pane.dead);
            if let (true, Some(owner)) = (changed, pane.owner) {
                self.list_soon(owner);
            }
            return;
        }
        let Some(listed) = listed else { return self.on_pane_gone(id) };
        if listed.pid != pane.life.pid {
            return self.on_respawned(id, &listed.clone());
        }
        if let Some(death) = listed.dead {
            return self.on_dead(id, death);
        }
        let session = listed.session;
        match via {
            Some(link) if !self.is_in_session_of(id, link) => self.on_moved(id, session),
            Some(_) => self.recheck_later(id),
            None if self.waits.is_waited_on(id) || self.settings.watch_all => {
                self.relink_later(session);
            }
            None => {}
        }
    }

    fn on_pane_gone(&mut self, id: PaneId) {
        let Some(pane) = self.panes.get(id) else { return };
        let session = pane.owner.and_then(|link| self.links.session(link)).unwrap_or(pane.session);
        let has_session = self.topology.has_session(session);
        let outcome = if has_session { Outcome::PaneClosed } else { Outcome::SessionClosed };
        self.end_waits_on(id, outcome.into());
        self.panes.forget(id);
    }

    fn on_respawned(&mut self, id: PaneId, listed: &Listed) {
        self.end_waits_on(id, Outcome::PaneRespawned.into());
        let owner = self.panes.owner_of(id);
        self.panes.forget(id);
        if let Some(owner) = owner {
            self.panes.add(self.server.life(), listed, owner);
            self.catch_up_over(owner, id);
        }
    }

    /// The program has ended and tmux keeps the pane. Its status may come a little later, and its last
    /// words may be in its grid only (tmux-control-mode 4.3).
    fn on_dead(&mut self, id: PaneId, listed: Death) {
        let Some(pane) = self.panes.get_mut(id).filter(|p| p.dead.is_none() && p.dying.is_none())
        else {
            return;
        };
        let unreaped = || life::unreaped(pane.life.pid, self.server.pid);
        let death = if listed.known { listed } else { unreaped().unwrap_or(listed) };
        let waited = pane.rechecks.unwrap_or(0) >= STATUS_RECHECKS;
        if !death.known && !waited {
            pane.rechecks.get_or_insert(0);
            return self.recheck_later(id);
        }
        let owner = pane.owner;
        pane.dying = Some(death);
        if !owner.is_some_and(|link| self.capture_over(link, id, Part::Grid)) {
            self.on_grid(id, &[]);
        }
    }

    /// The grid of a pane of whose output some was lost: it is found, as far as tmux still has it. If its
    /// program has ended, the waits that this does not answer end.
    pub(super) fn on_grid(&mut self, id: PaneId, rows: &[String]) {
        let Some(pane) = self.panes.get_mut(id) else { return };
        let (lost, death) = (std::mem::take(&mut pane.lost), pane.dying.take());
        // the last row of a dead pane is tmux's own word that it is
        let rows = if death.is_some() { &rows[..rows.len().saturating_sub(1)] } else { rows };
        if lost || !rows.is_empty() {
            let cause = if lost { GapCause::LinkLost } else { GapCause::LostTail };
            let answered = self.waits.recover(id, &mut pane.stream, rows, cause, Instant::now());
            self.answer_all(id, answered);
        }
        if let (Some(death), Some(pane)) = (death, self.panes.get_mut(id)) {
            pane.dead = Some(death);
            self.end_waits_on(id, End::closed(death.status));
        }
    }

    /// The pane's window is in another session now: it is followed there.
    fn on_moved(&mut self, id: PaneId, session: SessionId) {
        let link = self.links.live().into_iter().find(|(_, s)| *s == session).map(|(link, _)| link);
        if let Some(pane) = self.panes.get_mut(id) {
            pane.owner = link;
            pane.session = session;
            pane.lost = true;
        }
        if let Some(link) = link {
            self.catch_up_over(link, id);
        }
        if link.is_none() && self.waits.is_waited_on(id) {
            self.open_link(session, Some(id));
        }
    }

    /// A pane's program has ended, says the kernel. tmux may not have noticed yet.
    pub(super) fn on_program_ended(&mut self, id: PaneId, pid: i32) {
        let Some(pane) = self.panes.get_mut(id).filter(|p| p.life.pid == pid) else { return };
        pane.watching = None;
        pane.rechecks = Some(0);
        match pane.owner {
            Some(owner) => self.list_over(owner),
            None => {
                self.list();
            }
        }
    }

    /// tmux keeps a pane whose program has ended as long as another process holds its terminal.
    fn recheck_later(&mut self, id: PaneId) {
        if !self.waits.is_waited_on(id) {
            return;
        }
        if let Some(pane) = self.panes.get_mut(id)
            && let (Some(count), Some(owner)) = (&mut pane.rechecks, pane.owner)
        {
            let wait = Duration::from_millis(20 << (*count).min(6));
            *count += 1;
            self.alarms.set(Alarm::List(owner), Instant::now() + wait);
        }
    }
}
