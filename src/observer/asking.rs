//! Questions on their way to a stream: the pane is found, its session linked, the wait placed.

use std::time::Instant;

use panewatch_protocol::error::ErrorKind;
use panewatch_protocol::panes::{PaneInfo, Panes};
use panewatch_protocol::target::Target;
use panewatch_protocol::wait::{Outcome, TextAnswer};

use super::handle::{Asked, ObserverError, Question, Reply};
use super::target;
use super::task::Observer;
use super::topology::{Listed, Topology};
use crate::control::{PaneId, SessionId};
use crate::limits::MAX_WAITS;
use crate::tmux::TmuxError;
use crate::wait::answer::End;
use crate::wait::{Cursor, WaitId};

/// The questions that are not placed yet.
#[derive(Debug, Default)]
pub(super) struct Asking {
    parked: Vec<Parked>,
    /// What a listing itself answers, and the number of the first one that does.
    looks: Vec<(u64, Look)>,
    /// How many listings from outside any link have begun, and how many have ended.
    begun: u64,
    ended: u64,
    /// Another one is to follow the one under way.
    wanted: bool,
}

#[derive(Debug)]
enum Look {
    List(Reply<Panes>),
    Find(Target, Reply<PaneInfo>),
}

#[derive(Debug)]
struct Parked {
    asked: Asked,
    until: Until,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    /// The listing with this number has come.
    Listed(u64),
    /// The session is linked.
    Linked(SessionId, PaneId),
}

impl Asking {
    /// Wants a listing that begins from now on: its number, and whether it is to begin now. The one that
    /// is under way may have been taken already: another follows it.
    pub(super) fn want_listing(&mut self) -> (u64, bool) {
        let begins = self.begun == self.ended;
        if begins {
            self.begun += 1;
            return (self.begun, true);
        }
        self.wanted = true;
        (self.begun + 1, false)
    }

    /// A listing has ended. Whether another one is wanted.
    fn end_listing(&mut self) -> bool {
        self.ended += 1;
        std::mem::take(&mut self.wanted)
    }

    /// Takes what the listings so far answer.
    fn take_looks(&mut self) -> Vec<Look> {
        let ended = self.ended;
        self.looks.extract_if(.., |(number, _)| *number <= ended).map(|(_, look)| look).collect()
    }

    /// Forgets a question whose caller has gone.
    pub(super) fn forget(&mut self, id: WaitId) {
        self.parked.retain(|p| p.asked.id() != id);
    }

    /// Refuses every question.
    pub(super) fn refuse_all(&mut self, error: &ObserverError) {
        for parked in self.parked.drain(..) {
            parked.asked.refuse(error.clone());
        }
        for (_, look) in self.looks.drain(..) {
            match look {
                Look::List(reply) => drop(reply.send(Err(error.clone()))),
                Look::Find(_, reply) => drop(reply.send(Err(error.clone()))),
            }
        }
    }

    /// A question that is called off is answered as soon as there is something to tell.
    fn cancel(&mut self, id: WaitId) {
        for parked in &mut self.parked {
            if let Asked::Wait(question) = &mut parked.asked
                && question.id == id
            {
                question.cancelled = true;
            }
        }
    }

    /// Takes the questions that waited for a listing which has come.
    fn take_listed(&mut self) -> Vec<Asked> {
        let ended = self.ended;
        let listed = |p: &mut Parked| matches!(p.until, Until::Listed(n) if n <= ended);
        self.parked.extract_if(.., listed).map(|p| p.asked).collect()
    }

    /// Takes the questions that waited for a session to be linked, each with its pane.
    fn take_linked(&mut self, session: SessionId) -> Vec<(Asked, PaneId)> {
        let mut taken = Vec::new();
        for parked in std::mem::take(&mut self.parked) {
            match parked.until {
                Until::Linked(its, pane) if its == session => taken.push((parked.asked, pane)),
                _ => self.parked.push(parked),
            }
        }
        taken
    }

    pub(super) fn count(&self) -> usize {
        self.parked.len()
    }
}

impl Observer {
    pub(super) fn on_asked(&mut self, asked: Asked) {
        if self.waits.len() + self.asking.count() >= MAX_WAITS {
            let message =
                format!("this server has {MAX_WAITS} waits already; end some, or ask again later");
            asked.refuse(ObserverError::new(ErrorKind::TooManyWaits, message));
        } else if let Some(pane) = self.watched_pane(asked.target()) {
            self.place(asked, pane);
        } else {
            let until = Until::Listed(self.list());
            self.asking.parked.push(Parked { asked, until });
        }
    }

    /// The pane that a target names by its id, if its stream is being read now. A name is looked up
    /// anew each time, since it may mean another pane by now.
    fn watched_pane(&self, target: &Target) -> Option<PaneId> {
        let pane = PaneId::parse(target.pane.as_deref()?)?;
        let link = self.panes.get(pane)?.owner?;
        self.links.is_live(link).then_some(pane)
    }

    pub(super) fn on_list_panes(&mut self, reply: Reply<Panes>) {
        let number = self.list();
        self.asking.looks.push((number, Look::List(reply)));
    }

    pub(super) fn on_find_pane(&mut self, target: Target, reply: Reply<PaneInfo>) {
        let number = self.list();
        self.asking.looks.push((number, Look::Find(target, reply)));
    }

    /// The panes were listed from outside any link.
    pub(super) fn on_listed(&mut self, listed: Result<String, TmuxError>) {
        if self.asking.end_listing() {
            self.list();
        }
        match listed {
            Ok(text) => {
                let topology = Topology::parse(&text);
                if topology.server != self.server.life() && !topology.panes.is_empty() {
                    return self.on_server_unreachable(&another_server(self));
                }
                self.apply_listing(topology, None);
                self.answer_looks();
                self.find_panes();
            }
            Err(error) => self.on_server_unreachable(&ObserverError::from(&error)),
        }
    }

    /// Nothing answers on the socket, or another server. While a link lives, so does the server.
    fn on_server_unreachable(&mut self, error: &ObserverError) {
        self.asking.refuse_all(error);
        if self.links.is_empty() {
            tracing::info!(endpoint = %self.endpoint, "the server has ended");
            for pane in self.waits.panes().collect::<Vec<_>>() {
                self.end_waits_on(pane, Outcome::ServerClosed.into());
            }
            self.over = true;
        }
    }

    fn answer_looks(&mut self) {
        for look in self.asking.take_looks() {
            match look {
                Look::List(reply) => drop(reply.send(Ok(self.list_answer()))),
                Look::Find(target, reply) => {
                    let found = target::resolve(&self.topology, &target);
                    let found = found.map(|listed| self.pane_info(listed)).map_err(Into::into);
                    reply.send(found).ok();
                }
            }
        }
    }

    fn list_answer(&self) -> Panes {
        Panes {
            socket_path: self.endpoint.to_string(),
            server_pid: self.server.pid,
            version: self.server.version.to_string(),
            panes: self.topology.panes.iter().map(|listed| self.pane_info(listed)).collect(),
        }
    }

    fn pane_info(&self, listed: &Listed) -> PaneInfo {
        let known = self.panes.get(listed.pane).filter(|p| p.owner.is_some());
        PaneInfo {
            pane: listed.pane.to_string(),
            session_id: listed.session.to_string(),
            session_name: listed.session_name.clone(),
            window_id: listed.window.to_string(),
            window_index: listed.window_index,
            window_name: listed.window_name.clone(),
            pane_index: listed.pane_index,
            width: listed.width,
            height: listed.height,
            pid: listed.pid,
            command: listed.command.clone(),
            active: listed.active,
            dead: listed.dead.is_some(),
            cursor: known.map(|p| p.cursor().to_string()),
        }
    }

    /// Goes on with the questions that waited for the panes to be listed.
    fn find_panes(&mut self) {
        for asked in self.asking.take_listed() {
            match target::resolve(&self.topology, asked.target()) {
                Ok(listed) => {
                    let (pane, session) = (listed.pane, listed.session);
                    self.place_or_link(asked, pane, session);
                }
                Err(error) => asked.refuse(error.into()),
            }
        }
    }

    fn place_or_link(&mut self, asked: Asked, pane: PaneId, session: SessionId) {
        let owner = self.panes.get(pane).and_then(|p| p.owner);
        if owner.is_some_and(|link| self.links.is_live(link)) {
            return self.place(asked, pane);
        }
        let session = owner.and_then(|link| self.links.session(link)).unwrap_or(session);
        self.asking.parked.push(Parked { asked, until: Until::Linked(session, pane) });
        self.open_link(session, Some(pane));
    }

    /// A session is linked and its panes are seeded.
    pub(super) fn on_linked(&mut self, session: SessionId) {
        for (asked, pane) in self.asking.take_linked(session) {
            self.place(asked, pane);
        }
    }

    /// A session cannot be linked.
    pub(super) fn on_not_linked(&mut self, session: SessionId, why: &str) {
        let message = format!("session {session} of {} could not be linked: {why}", self.endpoint);
        let error = ObserverError::new(ErrorKind::LinkFailed, message);
        for (asked, _) in self.asking.take_linked(session) {
            asked.refuse(error.clone());
        }
    }

    /// Puts what was asked to its pane, which is watched by now.
    fn place(&mut self, asked: Asked, pane: PaneId) {
        if asked.is_over() {
            return;
        }
        if self.panes.get(pane).is_none() {
            let message = format!("pane {pane} has just ended; `list_panes` shows what there is");
            return asked.refuse(ObserverError::new(ErrorKind::PaneNotFound, message));
        }
        self.links.used(self.panes.owner_of(pane), Instant::now());
        match asked {
            Asked::Wait(question) => self.place_question(*question, pane),
            Asked::Type(order) => self.place_order(*order, pane),
        }
    }

    fn place_question(&mut self, question: Question, pane: PaneId) {
        let Question { id, since, mut wait, reply, cancelled, .. } = question;
        let Some(known) = self.panes.get_mut(pane) else { return };
        match since {
            None => wait.start_at(known.stream.position()),
            Some(cursor) => match check_cursor(cursor, known.cursor()) {
                Ok(position) => wait.start_at(position),
                Err(error) => return drop(reply.send(Err(error))),
            },
        }
        let now = Instant::now();
        if let Some(answer) = self.waits.ask(id, wait, known.life, &mut known.stream, now) {
            return drop(reply.send(Ok(answer)));
        }
        let dead = known.dead.map(|death| End::closed(death.status));
        self.callers.insert(id, reply);
        self.watch_program(pane);
        self.settle_later(pane);
        if let Some(end) = if cancelled { Some(Outcome::Cancelled.into()) } else { dead } {
            self.end_wait(id, end, now);
        }
    }

    pub(super) fn on_cancel(&mut self, id: WaitId) {
        self.asking.cancel(id);
        self.end_wait(id, Outcome::Cancelled.into(), Instant::now());
    }

    /// Ends a wait, and answers its caller.
    pub(super) fn end_wait(&mut self, id: WaitId, end: End, now: Instant) {
        let Some(pane) = self.waits.pane_of(id) else { return };
        let Some(known) = self.panes.get_mut(pane) else { return };
        if let Some(answer) = self.waits.end(id, &mut known.stream, end, now) {
            self.answer(id, answer);
            self.release(pane);
        }
    }

    /// Answers a caller.
    pub(super) fn answer(&mut self, id: WaitId, answer: TextAnswer) {
        if let Some(reply) = self.callers.remove(&id) {
            reply.send(Ok(answer)).ok();
        }
    }

    /// Ends every wait on a pane.
    pub(super) fn end_waits_on(&mut self, pane: PaneId, end: End) {
        let now = Instant::now();
        for id in self.waits.on(pane) {
            self.end_wait(id, end, now);
        }
    }
}

fn another_server(observer: &Observer) -> ObserverError {
    let message = format!(
        "the tmux server on {} is another one now; list its panes again, since pane ids mean other panes",
        observer.endpoint
    );
    ObserverError::new(ErrorKind::ServerNotRunning, message)
}

/// W14: a cursor means one place in one life of one pane, or nothing.
fn check_cursor(cursor: Cursor, now: Cursor) -> Result<u64, ObserverError> {
    let (its, ours) = (cursor.life, now.life);
    let why = if its.server != ours.server {
        "it is from another tmux server, or from an earlier life of this one".to_owned()
    } else if its.pane != ours.pane {
        format!("it is from pane {}, and the question is about {}", its.pane, ours.pane)
    } else if its.pid != ours.pid {
        format!("pane {} runs another program now", ours.pane)
    } else if its.epoch != ours.epoch {
        "it is from an earlier life of the daemon, which counted otherwise".to_owned()
    } else if cursor.position > now.position {
        "it lies behind the end of the stream".to_owned()
    } else {
        return Ok(cursor.position);
    };
    let message = format!("the cursor cannot be used: {why}; leave it out to start now");
    Err(ObserverError::new(ErrorKind::CursorInvalid, message))
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[test]
    fn panes_are_never_listed_from_before_they_were_asked_for() {
        let mut asking = Asking::default();
        let ask = |asking: &mut Asking| {
            let (number, begins) = asking.want_listing();
            asking.looks.push((number, Look::List(oneshot::channel().0)));
            begins
        };
        assert!(ask(&mut asking));
        assert!(!ask(&mut asking) && !ask(&mut asking));
        assert!(asking.end_listing());
        assert_eq!(asking.want_listing(), (2, true));
        assert_eq!(asking.take_looks().len(), 1);
        assert!(!asking.end_listing());
        assert_eq!(asking.take_looks().len(), 2);
    }
}
