//! What is typed into panes, one thing at a time: each pane has its queue, so that the lines of two
//! callers never merge (field report R11).
//!
//! An order whose caller has gone is not carried out. Before anything is typed the stream is told to
//! expect its echo, at the position that the caller gets as its cursor.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use panewatch_protocol::error::ErrorKind;
use panewatch_protocol::typing::Typed;

use super::alarms::Alarm;
use super::handle::{ObserverError, Order, Typing};
use super::task::{Done, Observer};
use crate::control::PaneId;
use crate::pane::echo::{EchoId, Source};
use crate::tmux::typing::{Echoes, Input, TypingError, echoes, is_at_prompt, type_into};
use crate::wait::{Cursor, WaitId};

/// How long a pane must be quiet for its text to have settled.
const QUIET: Duration = Duration::from_millis(150);
/// How long Enter waits for that at most.
const SETTLE_AT_MOST: Duration = Duration::from_secs(2);

/// The queues of the panes that are typed into.
#[derive(Debug, Default)]
pub(super) struct Typists {
    queues: HashMap<PaneId, Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Order>,
    current: Option<Current>,
}

/// The order that is being carried out.
#[derive(Debug)]
struct Current {
    order: Order,
    cursor: Cursor,
    /// The echo that is expected of it, if any is.
    echo: Option<EchoId>,
    /// Since when its text waits to settle before its Enter, and whether a person looks on.
    settling: Option<(Instant, bool)>,
    /// Its Enter is being typed, and whether a person looks on.
    entering: Option<bool>,
}

impl Typists {
    /// Forgets the orders of a caller that has gone. What is being typed is typed.
    pub(super) fn forget(&mut self, id: WaitId) {
        for queue in self.queues.values_mut() {
            queue.waiting.retain(|order| order.id != id);
        }
    }

    /// Refuses every order that waits.
    pub(super) fn refuse_all(&mut self, error: &ObserverError) {
        for (_, queue) in self.queues.drain() {
            for order in queue.waiting.into_iter().chain(queue.current.map(|c| c.order)) {
                order.reply.send(Err(error.clone())).ok();
            }
        }
    }
}

impl Observer {
    pub(super) fn place_order(&mut self, order: Order, pane: PaneId) {
        if order.own == Some(pane) {
            let message =
                format!("pane {pane} is the caller's own; ask for `own_pane` if it is meant");
            return drop(order.reply.send(Err(ObserverError::new(ErrorKind::OwnPane, message))));
        }
        self.typists.queues.entry(pane).or_default().waiting.push_back(order);
        self.type_next(pane);
    }

    /// Carries out the next order on a pane, if none is under way.
    fn type_next(&mut self, pane: PaneId) {
        let Some(queue) = self.typists.queues.get_mut(&pane) else { return };
        if queue.current.is_some() {
            return;
        }
        queue.waiting.retain(|order| !order.reply.is_closed());
        let Some(order) = queue.waiting.pop_front() else {
            self.typists.queues.remove(&pane);
            return;
        };
        match order.what.clone() {
            Typing::Declared(text) => self.hear(pane, order, &text),
            Typing::Input { input, settled } => self.begin(pane, order, input, settled),
        }
    }

    /// Another tool is about to type.
    fn hear(&mut self, pane: PaneId, order: Order, text: &str) {
        if let Some((cursor, _)) = self.expect_echo(pane, text) {
            let (pane, cursor) = (pane.to_string(), cursor.to_string());
            order.reply.send(Ok(Typed { pane, cursor, attended: false })).ok();
        }
        self.type_next(pane);
    }

    fn begin(&mut self, pane: PaneId, order: Order, mut input: Input, settled: bool) {
        let Some((cursor, echo)) = self.expect_echo(pane, &input.text) else {
            let message = format!("pane {pane} has just ended; nothing was typed");
            drop(order.reply.send(Err(ObserverError::new(ErrorKind::PaneNotFound, message))));
            return self.type_next(pane);
        };
        let enter_later = settled && input.enter;
        input.enter &= !enter_later;
        let current = Current { order, cursor, echo, settling: None, entering: None };
        if let Some(queue) = self.typists.queues.get_mut(&pane) {
            queue.current = Some(current);
        }
        self.spawn_typing(pane, input);
    }

    /// Tells the stream what is about to be typed; where it stands now, and the echo that it expects.
    fn expect_echo(&mut self, pane: PaneId, text: &str) -> Option<(Cursor, Option<EchoId>)> {
        let listed = self.topology.pane(pane)?;
        let source = match echoes(&listed.tty) {
            Echoes::Kernel => Some(Source::Terminal),
            Echoes::Program => Some(Source::Program),
            Echoes::Nobody => None,
        };
        let known = self.panes.get_mut(pane)?;
        if source == Some(Source::Program) && is_at_prompt(known.life.pid) {
            known.stream.suppose_editor();
        }
        let echo = source.map(|source| known.stream.expect_echo(text, source));
        Some((known.cursor(), echo))
    }

    fn spawn_typing(&mut self, pane: PaneId, input: Input) {
        let Some(window) = self.topology.pane(pane).map(|listed| listed.window) else { return };
        let endpoint = self.endpoint.clone();
        self.jobs.spawn(async move {
            Done::Typed(pane, type_into(&endpoint, pane, window, &input).await)
        });
    }

    pub(super) fn on_typed(&mut self, pane: PaneId, typed: Result<bool, TypingError>) {
        let queue = self.typists.queues.get_mut(&pane);
        let Some(current) = queue.and_then(|q| q.current.as_mut()) else { return };
        match typed {
            Err(error) => {
                if let (Some(echo), Some(known)) = (current.echo, self.panes.get_mut(pane)) {
                    known.stream.retract_echo(echo);
                }
                self.finish_typing(pane, Err(error.into()));
            }
            Ok(attended) if current.order.what.enters_later() && current.entering.is_none() => {
                current.settling = Some((Instant::now(), attended));
                self.submit_if_settled(pane, Instant::now());
            }
            Ok(attended) => {
                let attended = current.entering.unwrap_or(attended);
                let (name, cursor) = (pane.to_string(), current.cursor.to_string());
                self.finish_typing(pane, Ok(Typed { pane: name, cursor, attended }));
            }
        }
    }

    /// Types the Enter of an order, once its text has been echoed or the pane is quiet.
    pub(super) fn submit_if_settled(&mut self, pane: PaneId, now: Instant) {
        let queue = self.typists.queues.get_mut(&pane);
        let Some(current) = queue.and_then(|q| q.current.as_mut()) else { return };
        let Some((since, attended)) = current.settling else { return };
        if current.order.reply.is_closed() {
            let error = ObserverError::new(ErrorKind::InvalidArgument, "the caller has gone");
            return self.finish_typing(pane, Err(error));
        }
        let Some(known) = self.panes.get(pane) else { return };
        let quiet = known.stream.quiet_for(now).unwrap_or(SETTLE_AT_MOST).min(now - since);
        let settled =
            known.stream.is_echo_over() || quiet >= QUIET || now - since >= SETTLE_AT_MOST;
        if !settled {
            return self.alarms.set(Alarm::Submit(pane), now + QUIET.saturating_sub(quiet));
        }
        (current.settling, current.entering) = (None, Some(attended));
        self.spawn_typing(pane, Input { enter: true, ..Input::default() });
    }

    fn finish_typing(&mut self, pane: PaneId, answer: Result<Typed, ObserverError>) {
        let current = self.typists.queues.get_mut(&pane).and_then(|q| q.current.take());
        if let Some(current) = current {
            current.order.reply.send(answer).ok();
        }
        self.type_next(pane);
    }
}

impl Typing {
    /// Whether Enter is pressed later than the text.
    fn enters_later(&self) -> bool {
        matches!(self, Self::Input { input, settled: true } if input.enter)
    }
}
