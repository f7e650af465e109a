//! Links opened, answered and lost.
//!
//! A session is linked when somebody asks about it, once, and let go of when nobody has for a while.
//! Every reply is matched with the command that asked for it by their order, which tmux keeps.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

use super::alarms::Alarm;
use super::captures::{self, Captures, Part};
use super::task::Observer;
use super::topology::{FORMAT, Topology};
use crate::control::quote::quote;
use crate::control::{Event, Notice, PaneId, Reply, SessionId, WindowId};
use crate::limits::{DEBOUNCE, LINK_IDLE, MAX_LINKS, TMUX_DEADLINE};
use crate::tmux::link::Aim;
use crate::tmux::{FromLink, LinkEnd, LinkHandle, LinkId};

/// The links of one server.
#[derive(Debug, Default)]
pub(super) struct Links {
    by_id: BTreeMap<LinkId, Link>,
    next: u64,
    /// How often each session's link was cut in a row, and when last.
    cuts: HashMap<SessionId, (u32, Instant)>,
}

#[derive(Debug)]
struct Link {
    session: SessionId,
    handle: LinkHandle,
    /// What the attach and the commands that run with it will answer.
    attach: VecDeque<Ask>,
    /// Panes whose captures did not fit in there.
    unseeded: Vec<PaneId>,
    /// What commands will answer.
    asked: VecDeque<Ask>,
    live: bool,
    /// Whether the panes were listed over this link.
    listed: bool,
    used: Instant,
    captures: Captures,
}

/// What a reply answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    Attach,
    Capture(PaneId, Part),
    Panes,
}

impl Links {
    pub(super) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub(super) fn is_live(&self, id: LinkId) -> bool {
        self.by_id.get(&id).is_some_and(|l| l.live)
    }

    pub(super) fn session(&self, id: LinkId) -> Option<SessionId> {
        self.by_id.get(&id).map(|l| l.session)
    }

    pub(super) fn is_listed(&self, id: LinkId) -> bool {
        self.by_id.get(&id).is_some_and(|l| l.listed)
    }

    /// The captures that have come over a link in part.
    pub(super) fn captures(&mut self, id: LinkId) -> Option<&mut Captures> {
        self.by_id.get_mut(&id).map(|l| &mut l.captures)
    }

    /// The live links and their sessions.
    pub(super) fn live(&self) -> Vec<(LinkId, SessionId)> {
        self.by_id.iter().filter(|(_, l)| l.live).map(|(id, l)| (*id, l.session)).collect()
    }

    pub(super) fn sessions(&self) -> impl Iterator<Item = SessionId> {
        self.by_id.values().map(|l| l.session)
    }

    /// Somebody has asked about a session.
    pub(super) fn used(&mut self, id: Option<LinkId>, now: Instant) {
        if let Some(link) = id.and_then(|id| self.by_id.get_mut(&id)) {
            link.used = now;
        }
    }

    fn of_session(&self, session: SessionId) -> Option<LinkId> {
        self.by_id.iter().find(|(_, l)| l.session == session).map(|(id, _)| *id)
    }

    fn is_first(&self, id: LinkId) -> bool {
        self.by_id.iter().find(|(_, l)| l.live).is_some_and(|(first, _)| *first == id)
    }

    /// How long to wait before a session is linked again: longer each time it is cut in a row.
    fn back_off(&mut self, session: SessionId, now: Instant) -> Duration {
        let (count, last) = self.cuts.entry(session).or_insert((0, now));
        let calm = now.saturating_duration_since(*last) > Duration::from_secs(60);
        *count = if calm { 1 } else { *count + 1 };
        *last = now;
        match *count {
            1 => Duration::ZERO,
            n => Duration::from_millis(50 << n.min(9)),
        }
    }
}

impl Observer {
    /// Links a session, unless it is linked. Its panes are seeded in one go with the attach, so that
    /// each seed has its exact place; the pane that is asked about first.
    pub(super) fn open_link(&mut self, session: SessionId, first: Option<PaneId>) {
        if self.links.of_session(session).is_some() {
            return;
        }
        if self.links.by_id.len() >= MAX_LINKS {
            return self
                .on_not_linked(session, &format!("{MAX_LINKS} sessions are linked already"));
        }
        let mut panes: Vec<PaneId> = self.topology.of_session(session).map(|p| p.pane).collect();
        panes.sort_by_key(|pane| (Some(*pane) != first, *pane));
        panes.dedup();
        panes.retain(|pane| self.panes.owner_of(*pane).is_none());
        let with_attach = captures::with_attach(
            panes.into_iter().map(|pane| (pane, self.panes.get(pane).is_some_and(|p| p.lost))),
        );
        let attach = std::iter::once(Ask::Attach).chain(with_attach.asks).collect();
        let id = LinkId(self.links.next);
        self.links.next += 1;
        let aim = Aim {
            endpoint: self.endpoint.clone(),
            server: self.server.clone(),
            session,
            then: with_attach.commands,
        };
        let handle = self.drain.link(id, self.settings.link.clone(), aim, self.from_links.clone());
        let link = Link {
            session,
            handle,
            attach,
            unseeded: with_attach.left_out,
            asked: VecDeque::new(),
            live: false,
            listed: false,
            used: Instant::now(),
            captures: Captures::default(),
        };
        self.links.by_id.insert(id, link);
        self.adopt(id, session);
        self.alarms.set(Alarm::Attach(id), Instant::now() + TMUX_DEADLINE);
        tracing::debug!(%session, endpoint = %self.endpoint, "linking");
    }

    /// What a link's reader says.
    pub(super) fn on_link(&mut self, event: FromLink) {
        match event {
            FromLink::Batch(id, events, dropped) => {
                for event in events {
                    self.on_event(id, event);
                }
                for (pane, bytes) in dropped {
                    self.on_overrun(id, pane, bytes);
                }
            }
            FromLink::Ended(id, end) => self.on_link_ended(id, &end),
        }
    }

    fn on_event(&mut self, id: LinkId, event: Event) {
        if !self.links.by_id.contains_key(&id) {
            return;
        }
        match event {
            Event::Output { pane, bytes } => self.on_output(id, pane, bytes),
            Event::Reply(reply) => self.on_reply(id, &reply),
            Event::Notice(notice) => self.on_notice(id, notice),
            Event::Exit(reason) => {
                let reason = reason.unwrap_or_else(|| "tmux ended it".to_owned());
                self.on_link_ended(id, &LinkEnd::Closed(reason));
            }
        }
    }

    fn on_reply(&mut self, id: LinkId, reply: &Reply) {
        let Some(link) = self.links.by_id.get_mut(&id) else { return };
        let ask = if reply.ours { link.asked.pop_front() } else { link.attach.pop_front() };
        let text = || String::from_utf8_lossy(&reply.body).trim_end().to_owned();
        match ask {
            Some(Ask::Attach) if !reply.ok => {
                return self.on_link_ended(id, &LinkEnd::Closed(text()));
            }
            // an error ends the list of commands that runs with the attach
            _ if !reply.ok && !reply.ours => link.attach.clear(),
            Some(Ask::Capture(pane, part)) => self.on_capture(id, pane, part, reply),
            Some(Ask::Panes) if reply.ok => {
                link.listed = true;
                self.apply_listing(
                    Topology::parse(&String::from_utf8_lossy(&reply.body)),
                    Some(id),
                );
            }
            _ => {}
        }
        self.go_live(id);
    }

    /// When the attach and all that ran with it are answered, the link is live.
    fn go_live(&mut self, id: LinkId) {
        let Some(link) = self.links.by_id.get_mut(&id) else { return };
        if link.live || !link.attach.is_empty() {
            return;
        }
        link.live = true;
        let session = link.session;
        tracing::info!(%session, endpoint = %self.endpoint, "linked");
        for pane in std::mem::take(&mut link.unseeded) {
            self.catch_up_over(id, pane);
        }
        // what came between the listing that led here and the attach
        self.list_over(id);
        self.on_linked(session);
        self.alarms.set(Alarm::Idle, Instant::now() + LINK_IDLE);
    }

    fn on_notice(&mut self, id: LinkId, notice: Notice) {
        let Some(session) = self.links.session(id) else { return };
        match notice {
            Notice::Layout(sizes) => {
                for size in sizes {
                    self.panes.resize(id, size);
                }
                self.list_soon(id);
            }
            Notice::Changed => self.list_soon(id),
            Notice::WindowClosed(window) => self.on_window_closed(id, session, window),
            Notice::ChangedElsewhere => self.on_change_elsewhere(id),
            // `detach-on-destroy off`: the session is gone and tmux has moved us to another one
            Notice::SessionChanged(now) if now != session => {
                self.on_link_ended(id, &LinkEnd::Closed(format!("tmux moved it to session {now}")));
            }
            Notice::SessionChanged(_)
            | Notice::Paused(_)
            | Notice::Continued(_)
            | Notice::Other => {}
        }
    }

    fn on_window_closed(&mut self, id: LinkId, session: SessionId, window: WindowId) {
        if self.topology.has_window(session, window) {
            self.list_soon(id);
        } else {
            self.on_change_elsewhere(id);
        }
    }

    /// One link is enough to hear of sessions that come.
    fn on_change_elsewhere(&mut self, id: LinkId) {
        if self.settings.watch_all && self.links.is_first(id) {
            self.list_soon(id);
        }
    }

    /// Lists the panes over a link once the notices have calmed down.
    pub(super) fn list_soon(&mut self, id: LinkId) {
        self.alarms.set(Alarm::List(id), Instant::now() + DEBOUNCE);
    }

    /// Lists the panes over a link: all that its panes wrote before has then been seen.
    pub(super) fn list_over(&mut self, id: LinkId) {
        let asked = self.ask(id, Ask::Panes, &format!("list-panes -a -F {}", quote(FORMAT)));
        if !asked && self.links.is_live(id) {
            self.list_soon(id);
        }
    }

    /// Asks over a link. False: it is not live, or has too much to do.
    pub(super) fn ask(&mut self, id: LinkId, ask: Ask, command: &str) -> bool {
        let Some(link) = self.links.by_id.get_mut(&id).filter(|l| l.live) else { return false };
        let taken = link.handle.ask(command);
        if taken {
            link.asked.push_back(ask);
        }
        taken
    }

    pub(super) fn on_attach_overdue(&mut self, id: LinkId) {
        if self.links.by_id.get(&id).is_some_and(|l| !l.live) {
            let seconds = TMUX_DEADLINE.as_secs();
            let reason = format!("tmux did not answer the attach within {seconds} s");
            self.on_link_ended(id, &LinkEnd::Closed(reason));
        }
    }

    /// A link is over. tmux does not say why, so the server is asked what is left.
    fn on_link_ended(&mut self, id: LinkId, end: &LinkEnd) {
        let Some(link) = self.links.by_id.remove(&id) else { return };
        let session = link.session;
        tracing::info!(%session, endpoint = %self.endpoint, reason = %end, "link lost");
        self.orphan_panes(id, session);
        if !link.live {
            self.on_not_linked(session, &end.to_string());
        }
        self.list();
    }

    /// Links a session again, if somebody still waits on a pane of it.
    pub(super) fn relink_later(&mut self, session: SessionId) {
        let now = Instant::now();
        if self.links.of_session(session).is_none() {
            let wait = self.links.back_off(session, now);
            self.alarms.set(Alarm::Relink(session), now + wait);
        }
    }

    pub(super) fn relink(&mut self, session: SessionId) {
        let wanted = self.topology.of_session(session).find(|p| self.waits.is_waited_on(p.pane));
        let pane = wanted.map(|p| p.pane);
        if pane.is_some() || self.settings.watch_all {
            self.open_link(session, pane);
        }
    }

    /// With `--watch all`: every session is linked.
    pub(super) fn link_all(&mut self) {
        if self.settings.watch_all {
            for session in self.topology.sessions() {
                if self.links.of_session(session).is_none()
                    && !self.links.cuts.contains_key(&session)
                {
                    self.open_link(session, None);
                }
            }
        }
    }

    /// Lets go of the sessions that nobody has asked about for a while.
    pub(super) fn let_go_of_idle_links(&mut self, now: Instant) {
        if self.settings.watch_all {
            return;
        }
        let (panes, waits) = (&self.panes, &self.waits);
        let busy = |id| panes.owned_by(id).any(|pane| waits.is_waited_on(pane));
        let idle =
            |id, link: &Link| !busy(id) && now.saturating_duration_since(link.used) >= LINK_IDLE;
        let idle: Vec<LinkId> =
            self.links.by_id.iter().filter(|(id, l)| idle(**id, l)).map(|(id, _)| *id).collect();
        for id in idle {
            self.links.by_id.remove(&id);
            self.panes.forget_owned_by(id);
        }
        if !self.links.is_empty() {
            self.alarms.set(Alarm::Idle, now + LINK_IDLE / 2);
        }
    }
}
