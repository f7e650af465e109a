//! The task that owns everything known about one server, and its loop.
//!
//! Each turn is one call; nothing in a turn waits. What takes time (listing the panes from outside a
//! link, waiting for a program's end) is a job whose result comes back as an event.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use panewatch_protocol::wait::{Outcome, TextAnswer};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::sleep_until;

use super::alarms::{Alarm, Alarms};
use super::asking::Asking;
use super::handle::{Departures, ObserverError, Reply, Request, Side};
use super::life;
use super::links::Links;
use super::panes::Panes;
use super::servers::Settings;
use super::topology::{FORMAT, Topology};
use super::typists::Typists;
use crate::control::PaneId;
use crate::limits::LINK_QUEUE;
use crate::tmux::typing::TypingError;
use crate::tmux::{Drain, Endpoint, FromLink, Identity, TmuxError, command};
use crate::wait::{WaitId, Waits};

/// What a job brings back.
#[derive(Debug)]
pub(super) enum Done {
    /// The panes, listed from outside any link.
    Listed(Result<String, TmuxError>),
    /// A pane's program has ended.
    Ended(PaneId, i32),
    /// Something was typed into a pane, or not; whether a person's client shows it.
    Typed(PaneId, Result<bool, TypingError>),
}

/// Everything known about one server.
#[derive(Debug)]
pub(super) struct Observer {
    pub(super) endpoint: Endpoint,
    pub(super) server: Identity,
    pub(super) settings: Settings,
    pub(super) drain: Drain,
    pub(super) topology: Topology,
    pub(super) links: Links,
    pub(super) panes: Panes,
    pub(super) waits: Waits,
    pub(super) callers: HashMap<WaitId, Reply<TextAnswer>>,
    pub(super) asking: Asking,
    pub(super) typists: Typists,
    pub(super) alarms: Alarms,
    pub(super) jobs: JoinSet<Done>,
    pub(super) from_links: mpsc::Sender<FromLink>,
    departures: Arc<Departures>,
    pub(super) changes: watch::Sender<u64>,
    pub(super) over: bool,
}

/// Observes a server until it ends or the daemon stops; refuses all questions if there is none.
pub(super) async fn observe(endpoint: Endpoint, settings: Settings, drain: Drain, side: Side) {
    let Side { mut requests, departures, changes } = side;
    match endpoint.identify().await {
        Ok(server) => {
            tracing::info!(%endpoint, pid = server.pid, version = %server.version, "observing");
            let (from_links, events) = mpsc::channel(LINK_QUEUE);
            let observer = Observer {
                endpoint,
                server,
                settings,
                drain,
                topology: Topology::default(),
                links: Links::default(),
                panes: Panes::default(),
                waits: Waits::default(),
                callers: HashMap::new(),
                asking: Asking::default(),
                typists: Typists::default(),
                alarms: Alarms::default(),
                jobs: JoinSet::new(),
                from_links,
                departures,
                changes,
                over: false,
            };
            observer.run(requests, events).await;
        }
        Err(error) => {
            tracing::debug!(%error, "nothing to observe");
            requests.close();
            let error = ObserverError::from(&error);
            while let Some(request) = requests.recv().await {
                refuse(request, &error);
            }
        }
    }
}

fn refuse(request: Request, error: &ObserverError) {
    match request {
        Request::Ask(asked) => asked.refuse(error.clone()),
        Request::ListPanes(reply) => drop(reply.send(Err(error.clone()))),
        Request::FindPane(_, reply) => drop(reply.send(Err(error.clone()))),
        Request::Status(reply) => drop(reply.send(Err(error.clone()))),
        Request::Cancel(_) | Request::Stop => {}
    }
}

impl Observer {
    async fn run(
        mut self,
        mut requests: mpsc::Receiver<Request>,
        mut events: mpsc::Receiver<FromLink>,
    ) {
        if self.settings.watch_all {
            self.list();
        }
        let departures = Arc::clone(&self.departures);
        while !self.over {
            let wake = [self.alarms.next(), self.waits.next_deadline()].into_iter().flatten().min();
            let wake = wake.map(tokio::time::Instant::from_std);
            tokio::select! {
                Some(event) = events.recv() => self.on_link(event),
                Some(done) = self.jobs.join_next() => self.on_done(done),
                request = requests.recv() => match request {
                    Some(request) => self.on_request(request),
                    None => break,
                },
                () = departures.some() => self.on_departures(),
                () = sleep_until(wake.unwrap_or_else(tokio::time::Instant::now)), if wake.is_some() => {}
            }
            self.on_time(Instant::now());
        }
        requests.close();
        let error = ObserverError::shutting_down();
        while let Ok(request) = requests.try_recv() {
            refuse(request, &error);
        }
        tracing::info!(endpoint = %self.endpoint, "no longer observing");
    }

    fn on_request(&mut self, request: Request) {
        match request {
            Request::Ask(asked) => self.on_asked(asked),
            Request::Cancel(id) => self.on_cancel(id),
            Request::ListPanes(reply) => self.on_list_panes(reply),
            Request::FindPane(target, reply) => self.on_find_pane(target, reply),
            Request::Status(reply) => drop(reply.send(Ok(self.status()))),
            Request::Stop => self.stop(),
        }
    }

    fn on_done(&mut self, done: Result<Done, tokio::task::JoinError>) {
        match done {
            Ok(Done::Listed(listed)) => self.on_listed(listed),
            Ok(Done::Ended(pane, pid)) => self.on_program_ended(pane, pid),
            Ok(Done::Typed(pane, typed)) => self.on_typed(pane, typed),
            // a job that was called off
            Err(_) => {}
        }
    }

    /// W12: whoever has gone leaves nothing behind.
    fn on_departures(&mut self) {
        for id in self.departures.take() {
            self.asking.forget(id);
            self.typists.forget(id);
            self.callers.remove(&id);
            if let Some(pane) = self.waits.pane_of(id) {
                self.waits.remove(id);
                self.release(pane);
            }
        }
    }

    fn on_time(&mut self, now: Instant) {
        while let Some(id) = self.waits.run_out(now) {
            self.end_wait(id, Outcome::Timeout.into(), now);
        }
        while let Some(alarm) = self.alarms.take_due(now) {
            match alarm {
                Alarm::Settle(pane) => self.settle(pane, now),
                Alarm::Submit(pane) => self.submit_if_settled(pane, now),
                Alarm::List(link) => self.list_over(link),
                Alarm::Attach(link) => self.on_attach_overdue(link),
                Alarm::Relink(session) => self.relink(session),
                Alarm::Idle => self.let_go_of_idle_links(now),
            }
        }
    }

    /// Lists the panes from outside any link; the number of the listing. Once one is under way, later
    /// wishes share the next one.
    pub(super) fn list(&mut self) -> u64 {
        let (number, begins) = self.asking.want_listing();
        if begins {
            let endpoint = self.endpoint.clone();
            self.jobs.spawn(async move {
                Done::Listed(command::run(&endpoint, &["list-panes", "-a", "-F", FORMAT]).await)
            });
        }
        number
    }

    /// Watches for the end of a pane's program, for as long as somebody waits on the pane.
    pub(super) fn watch_program(&mut self, pane: PaneId) {
        let Some(known) = self.panes.get_mut(pane).filter(|p| p.watching.is_none()) else { return };
        let pid = known.life.pid;
        known.watching = Some(self.jobs.spawn(async move {
            life::ended(pid).await;
            Done::Ended(pane, pid)
        }));
    }

    fn stop(&mut self) {
        let error = ObserverError::shutting_down();
        self.asking.refuse_all(&error);
        self.typists.refuse_all(&error);
        for (_, reply) in self.callers.drain() {
            reply.send(Err(error.clone())).ok();
        }
        self.over = true;
    }
}
