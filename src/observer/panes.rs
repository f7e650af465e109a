//! Streams fed, and what becomes of panes.
//!
//! A pane's stream is read from one link, its owner, however many sessions its window is linked into.
//! What a listing over the owner says of a pane comes after all that the pane wrote before (W10).

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use panewatch_protocol::status::{LinkStatus, ServerStatus};
use panewatch_protocol::wait::{GapCause, Outcome};
use tokio::task::AbortHandle;

use super::alarms::Alarm;
use super::life;
use super::task::Observer;
use super::topology::{Death, Listed, Topology};
use crate::control::layout::PaneSize;
use crate::control::{PaneId, SessionId};
use crate::limits::MAX_STRAY_BYTES;
use crate::pane::{PaneStream, Seed};
use crate::tmux::LinkId;
use crate::wait::answer::End;
use crate::wait::{Answered, Cursor, PaneLife};

/// The panes of one server whose streams are kept.
#[derive(Debug, Default)]
pub(super) struct Panes {
    by_id: BTreeMap<PaneId, Pane>,
    /// Output of panes that are not known yet, or come from another session: the next listing tells.
    strays: Vec<(LinkId, PaneId, Bytes)>,
    stray_bytes: usize,
    /// The largest id that a listing has shown; a pane above it is new.
    newest: Option<PaneId>,
    epochs: u64,
}

/// One pane, in one of its lives.
#[derive(Debug)]
pub(super) struct Pane {
    pub(super) life: PaneLife,
    pub(super) stream: PaneStream,
    /// The link that the stream is read from.
    pub(super) owner: Option<LinkId>,
    session: SessionId,
    /// The program has ended, and tmux keeps the pane.
    pub(super) dead: Option<Death>,
    /// Its last words are being looked for in its grid, before it counts as dead.
    dying: Option<Death>,
    /// The watch for the end of its program.
    pub(super) watching: Option<AbortHandle>,
    /// How often the panes were listed since the program ended without tmux saying so.
    rechecks: Option<u32>,
}

impl Pane {
    /// The present end of the stream.
    pub(super) fn cursor(&self) -> Cursor {
        Cursor { life: self.life, position: self.stream.position() }
    }
}

impl Panes {
    pub(super) fn get(&self, pane: PaneId) -> Option<&Pane> {
        self.by_id.get(&pane)
    }

    pub(super) fn get_mut(&mut self, pane: PaneId) -> Option<&mut Pane> {
        self.by_id.get_mut(&pane)
    }

    pub(super) fn owner_of(&self, pane: PaneId) -> Option<LinkId> {
        self.get(pane)?.owner
    }

    pub(super) fn owned_by(&self, link: LinkId) -> impl Iterator<Item = PaneId> {
        self.by_id.iter().filter(move |(_, p)| p.owner == Some(link)).map(|(id, _)| *id)
    }

    /// Forgets the streams that were read from a link that is let go of.
    pub(super) fn forget_owned_by(&mut self, link: LinkId) {
        self.by_id.retain(|_, p| p.owner != Some(link));
    }

    /// A pane has another size, at this place of the stream of its owner.
    pub(super) fn resize(&mut self, link: LinkId, size: PaneSize) {
        if let Some(pane) = self.by_id.get_mut(&size.pane).filter(|p| p.owner == Some(link)) {
            pane.stream.resize(size.width, size.height);
        }
    }

    fn add(&mut self, server: (i32, u64), listed: &Listed, owner: LinkId) {
        self.epochs += 1;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let epoch = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX).saturating_add(self.epochs);
        let pane = Pane {
            life: PaneLife { server, epoch, pane: listed.pane, pid: listed.pid },
            stream: PaneStream::new(listed.width, listed.height),
            owner: Some(owner),
            session: listed.session,
            dead: listed.dead,
            dying: None,
            watching: None,
            rechecks: None,
        };
        self.by_id.insert(listed.pane, pane);
    }

    fn add_stray(&mut self, link: LinkId, pane: PaneId, bytes: Bytes) {
        if self.stray_bytes + bytes.len() <= MAX_STRAY_BYTES {
            self.stray_bytes += bytes.len();
            self.strays.push((link, pane, bytes));
        }
    }

    fn take_strays(&mut self) -> Vec<(LinkId, PaneId, Bytes)> {
        self.stray_bytes = 0;
        std::mem::take(&mut self.strays)
    }
}

impl Observer {
    /// A pane wrote something.
    pub(super) fn on_output(&mut self, link: LinkId, pane: PaneId, bytes: Bytes) {
        match self.panes.owner_of(pane) {
            Some(owner) if owner == link => self.feed(pane, &bytes),
            // the window is linked into several sessions: its owner brings the same output
            Some(_) if self.is_in_session_of(pane, link) => {}
            _ => {
                self.panes.add_stray(link, pane, bytes);
                self.list_over(link);
            }
        }
    }

    fn is_in_session_of(&self, pane: PaneId, link: LinkId) -> bool {
        let session = self.links.session(link);
        self.topology.of_pane(pane).any(|listed| Some(listed.session) == session)
    }

    fn feed(&mut self, pane: PaneId, bytes: &[u8]) {
        let Some(known) = self.panes.get_mut(pane) else { return };
        let answered = self.waits.feed(pane, &mut known.stream, bytes, Instant::now());
        if answered.is_empty() {
            self.settle_later(pane);
        }
        self.answer_all(pane, answered);
    }

    fn answer_all(&mut self, pane: PaneId, answered: Vec<Answered>) {
        for (id, answer) in answered {
            self.answer(id, answer);
            self.release(pane);
        }
    }

    /// Sets the time at which the open row counts as it stands, if that makes a difference (W4).
    pub(super) fn settle_later(&mut self, pane: PaneId) {
        if self.waits.is_unsettled(pane)
            && let Some(at) = self.panes.get(pane).and_then(|p| p.stream.settles_at())
        {
            self.alarms.set(Alarm::Settle(pane), at);
        }
    }

    pub(super) fn settle(&mut self, pane: PaneId, now: Instant) {
        let Some(known) = self.panes.get_mut(pane) else { return };
        if !known.stream.is_settled(now) {
            return self.settle_later(pane);
        }
        let answered = self.waits.settle(pane, &mut known.stream, now);
        self.answer_all(pane, answered);
    }

    /// A wait on a pane is over: with the last one the watch for its program ends too.
    pub(super) fn release(&mut self, pane: PaneId) {
        if !self.waits.is_waited_on(pane)
            && let Some(watching) = self.panes.get_mut(pane).and_then(|p| p.watching.take())
        {
            watching.abort();
        }
    }

    /// Output of a pane was dropped since this observer did not keep up.
    pub(super) fn on_overrun(&mut self, link: LinkId, pane: PaneId, bytes: u64) {
        let Some(known) = self.panes.get_mut(pane).filter(|p| p.owner == Some(link)) else {
            return;
        };
        tracing::warn!(%pane, bytes, "output dropped: the pane writes faster than it can be read");
        known.stream.lose(GapCause::Overrun, Some(bytes));
        self.seed_over(link, pane);
    }

    /// A pane's screen was captured.
    pub(super) fn on_seed(&mut self, link: LinkId, pane: PaneId, seed: &Seed) {
        if let Some(known) = self.panes.get_mut(pane).filter(|p| p.owner == Some(link)) {
            known.stream.seed(seed);
        }
    }

    /// Takes the panes of a session for a link that has just been opened to it.
    pub(super) fn adopt(&mut self, link: LinkId, session: SessionId) {
        let listed: Vec<Listed> = self.topology.of_session(session).cloned().collect();
        let server = (self.server.pid, self.server.started);
        for listed in listed {
            match self.panes.get_mut(listed.pane) {
                None => self.panes.add(server, &listed, link),
                Some(pane) if pane.owner.is_none() => pane.owner = Some(link),
                Some(_) => {}
            }
        }
    }

    /// A link is over: its panes are read from nowhere until the server has been asked.
    pub(super) fn orphan_panes(&mut self, link: LinkId, session: SessionId) {
        for pane in self.panes.by_id.values_mut().filter(|p| p.owner == Some(link)) {
            pane.owner = None;
            pane.session = session;
            pane.stream.lose(GapCause::LinkLost, None);
        }
    }

    /// The panes were listed: over a link, or from outside any.
    pub(super) fn apply_listing(&mut self, topology: Topology, via: Option<LinkId>) {
        self.topology = topology;
        let panes: Vec<PaneId> = self.panes.by_id.keys().copied().collect();
        for pane in panes {
            self.check_pane(pane, via);
        }
        for (link, session) in self.links.live() {
            self.adopt_new(link, session);
        }
        let newest = self.topology.panes.iter().map(|p| p.pane).max();
        self.panes.newest = self.panes.newest.max(newest);
        for (link, pane, bytes) in self.panes.take_strays() {
            if self.panes.owner_of(pane) == Some(link) {
                self.feed(pane, &bytes);
            } else if !self.is_in_session_of(pane, link) && via != Some(link) {
                self.panes.add_stray(link, pane, bytes);
            }
        }
        self.link_all();
    }

    /// Takes the panes that have appeared in a linked session.
    fn adopt_new(&mut self, link: LinkId, session: SessionId) {
        let listed: Vec<Listed> = self.topology.of_session(session).cloned().collect();
        let server = (self.server.pid, self.server.started);
        let appeared = listed.iter().filter(|l| self.panes.owner_of(l.pane).is_none());
        let appeared: Vec<&Listed> = appeared.collect();
        for listed in appeared {
            let known = self.panes.get_mut(listed.pane);
            // a new pane's stream is seen whole; what was there before has a screen to begin with
            let seen_whole = known.is_none()
                && self.panes.newest < Some(listed.pane)
                && self.links.is_listed(link);
            match self.panes.get_mut(listed.pane) {
                Some(pane) => pane.owner = Some(link),
                None => self.panes.add(server, listed, link),
            }
            if !seen_whole {
                self.seed_over(link, listed.pane);
            }
        }
    }

    /// What has become of a pane, as far as this listing can tell: it must come after all that the pane
    /// wrote, so over its owner, or from outside when it has none.
    fn check_pane(&mut self, id: PaneId, via: Option<LinkId>) {
        let Some(pane) = self.panes.get_mut(id) else { return };
        let entries: Vec<Listed> = self.topology.of_pane(id).cloned().collect();
        if pane.owner != via {
            let changed =
                entries.first().is_none_or(|l| l.pid != pane.life.pid || l.dead != pane.dead);
            if let (true, Some(owner)) = (changed, pane.owner) {
                self.list_soon(owner);
            }
            return;
        }
        let Some(first) = entries.first() else { return self.on_pane_gone(id) };
        if first.pid != pane.life.pid {
            return self.on_respawned(id, first);
        }
        if first.dead.is_some() {
            return self.on_dead(id, first);
        }
        let owning = via.and_then(|link| self.links.session(link));
        match owning {
            Some(session) if !entries.iter().any(|l| l.session == session) => {
                self.on_moved(id, first.session)
            }
            Some(_) => self.recheck_later(id),
            None if self.waits.is_waited_on(id) || self.settings.watch_all => {
                self.relink_later(first.session);
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
        self.forget_pane(id);
    }

    fn forget_pane(&mut self, id: PaneId) {
        if let Some(watching) = self.panes.by_id.remove(&id).and_then(|p| p.watching) {
            watching.abort();
        }
    }

    fn on_respawned(&mut self, id: PaneId, listed: &Listed) {
        self.end_waits_on(id, Outcome::PaneRespawned.into());
        let owner = self.panes.owner_of(id);
        self.forget_pane(id);
        if let Some(owner) = owner {
            self.panes.add((self.server.pid, self.server.started), listed, owner);
            self.seed_over(owner, id);
        }
    }

    /// The program has ended and tmux keeps the pane. Its status may come a little later, and its last
    /// words may be in its grid only (tmux-control-mode 4.3).
    fn on_dead(&mut self, id: PaneId, listed: &Listed) {
        let Some(pane) = self.panes.get_mut(id).filter(|p| p.dead.is_none() && p.dying.is_none())
        else {
            return;
        };
        let told = listed.dead.filter(|death| death.known);
        let death = told.or_else(|| life::unreaped(listed.pid, self.server.pid)).or(listed.dead);
        let owner = pane.owner;
        let waited = pane.rechecks.unwrap_or(0) >= STATUS_RECHECKS;
        if !death.is_some_and(|d| d.known) && !waited {
            pane.rechecks.get_or_insert(0);
            return self.recheck_later(id);
        }
        pane.dying = death;
        if !owner.is_some_and(|link| self.capture_grid(link, id)) {
            self.on_grid(id, &[]);
        }
    }

    /// The grid of a pane whose program has ended: what was lost of its output is found, and the waits
    /// that it does not answer end.
    pub(super) fn on_grid(&mut self, id: PaneId, rows: &[String]) {
        let Some(pane) = self.panes.get_mut(id) else { return };
        let Some(death) = pane.dying.take() else { return };
        pane.dead = Some(death);
        // the last row is tmux's own word that the pane is dead
        if let Some((_, rows)) = rows.split_last() {
            let cause = GapCause::LostTail;
            let answered = self.waits.recover(id, &mut pane.stream, rows, cause, Instant::now());
            self.answer_all(id, answered);
        }
        self.end_waits_on(id, End::closed(death.status));
    }

    /// The pane's window is in another session now: it is followed there.
    fn on_moved(&mut self, id: PaneId, session: SessionId) {
        let link = self.links.live().into_iter().find(|(_, s)| *s == session).map(|(link, _)| link);
        if let Some(pane) = self.panes.get_mut(id) {
            pane.owner = link;
            pane.session = session;
        }
        if link.is_none() && self.waits.is_waited_on(id) {
            if let Some(pane) = self.panes.get_mut(id) {
                pane.stream.lose(GapCause::LinkLost, None);
            }
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
            None => self.list(),
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

    /// What the observer is doing.
    pub(super) fn status(&self) -> ServerStatus {
        let streams = || self.panes.by_id.values().map(|p| &p.stream);
        let kind = self.settings.link.to_string();
        let link =
            |session: SessionId| LinkStatus { session_id: session.to_string(), kind: kind.clone() };
        ServerStatus {
            socket_path: self.endpoint.to_string(),
            pid: self.server.pid,
            version: self.server.version.to_string(),
            links: self.links.sessions().map(link).collect(),
            streams: streams().count(),
            kept_bytes: streams().map(|s| s.kept_bytes() as u64).sum(),
            seen_bytes: streams().map(PaneStream::position).sum(),
            gaps: streams().map(PaneStream::gap_count).sum(),
            waits: self.waits.len(),
        }
    }
}

/// How often a dead pane is listed again in the hope that tmux learns its exit status.
const STATUS_RECHECKS: u32 = 6;
