//! The panes whose streams are kept, and their streams fed.
//!
//! A pane's stream is read from one link, its owner, however many sessions its window is linked into.

use std::collections::BTreeMap;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use panewatch_protocol::status::{LinkStatus, ServerStatus};
use panewatch_protocol::wait::GapCause;
use tokio::task::AbortHandle;

use super::alarms::Alarm;
use super::task::Observer;
use super::topology::{Death, Listed};
use crate::control::layout::PaneSize;
use crate::control::{PaneId, SessionId};
use crate::limits::MAX_STRAY_BYTES;
use crate::pane::{PaneStream, Seed};
use crate::tmux::LinkId;
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
    pub(super) session: SessionId,
    /// The program has ended, and tmux keeps the pane.
    pub(super) dead: Option<Death>,
    /// Its last words are being looked for in its grid, before it counts as dead.
    pub(super) dying: Option<Death>,
    /// Its stream was read from nowhere for a while: what it wrote then is to be found in its grid.
    pub(super) lost: bool,
    /// The watch for the end of its program.
    pub(super) watching: Option<AbortHandle>,
    /// How often the panes were listed since the program ended without tmux saying so.
    pub(super) rechecks: Option<u32>,
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

    pub(super) fn ids(&self) -> Vec<PaneId> {
        self.by_id.keys().copied().collect()
    }

    /// Whether a pane has come since the last listing.
    pub(super) fn is_new(&self, pane: PaneId) -> bool {
        self.newest < Some(pane)
    }

    /// A listing has shown panes up to this one.
    pub(super) fn seen_up_to(&mut self, newest: Option<PaneId>) {
        self.newest = self.newest.max(newest);
    }

    /// Forgets a pane, and the watch for its program's end.
    pub(super) fn forget(&mut self, pane: PaneId) {
        if let Some(watching) = self.by_id.remove(&pane).and_then(|p| p.watching) {
            watching.abort();
        }
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

    pub(super) fn add(&mut self, server: (i32, u64), listed: &Listed, owner: LinkId) {
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
            lost: false,
            watching: None,
            rechecks: None,
        };
        self.by_id.insert(listed.pane, pane);
    }

    pub(super) fn add_stray(&mut self, link: LinkId, pane: PaneId, bytes: Bytes) {
        if self.stray_bytes + bytes.len() <= MAX_STRAY_BYTES {
            self.stray_bytes += bytes.len();
            self.strays.push((link, pane, bytes));
        }
    }

    pub(super) fn take_strays(&mut self) -> Vec<(LinkId, PaneId, Bytes)> {
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

    pub(super) fn is_in_session_of(&self, pane: PaneId, link: LinkId) -> bool {
        let session = self.links.session(link);
        self.topology.of_pane(pane).any(|listed| Some(listed.session) == session)
    }

    pub(super) fn feed(&mut self, pane: PaneId, bytes: &[u8]) {
        let now = Instant::now();
        let Some(known) = self.panes.get_mut(pane) else { return };
        let answered = self.waits.feed(pane, &mut known.stream, bytes, now);
        self.settle_later(pane);
        self.submit_if_settled(pane, now);
        self.answer_all(pane, answered);
    }

    pub(super) fn answer_all(&mut self, pane: PaneId, answered: Vec<Answered>) {
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
        self.catch_up_over(link, pane);
    }

    /// A pane's screen was captured.
    pub(super) fn on_seed(&mut self, link: LinkId, pane: PaneId, seed: &Seed) {
        if let Some(known) = self.panes.get_mut(pane).filter(|p| p.owner == Some(link)) {
            known.stream.seed(seed);
        }
    }

    /// Takes the panes of a session that no link reads, for its own link; those of them whose screen is
    /// not known. A pane that is new to an observed session was seen whole, from its first byte.
    pub(super) fn adopt(&mut self, link: LinkId, session: SessionId) -> Vec<PaneId> {
        let server = self.server.life();
        let observed = self.links.is_listed(link);
        let mut unknown = Vec::new();
        for listed in self.topology.of_session(session) {
            let pane = listed.pane;
            let mut seen_whole = false;
            match self.panes.get_mut(pane) {
                Some(known) if known.owner.is_some() => continue,
                Some(known) => known.owner = Some(link),
                None => {
                    seen_whole = observed && self.panes.is_new(pane);
                    self.panes.add(server, listed, link);
                }
            }
            if !seen_whole {
                unknown.push(pane);
            }
        }
        unknown
    }

    /// A link is over: its panes are read from nowhere until the server has been asked.
    pub(super) fn orphan_panes(&mut self, link: LinkId, session: SessionId) {
        for pane in self.panes.by_id.values_mut().filter(|p| p.owner == Some(link)) {
            pane.owner = None;
            pane.session = session;
            pane.lost = true;
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
