//! What others hold of an observer: questions go in over a bounded channel, answers come by oneshot.
//!
//! A question is held by a guard: dropping it takes the question back, wherever it is (W12).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use panewatch_protocol::error::ErrorKind;
use panewatch_protocol::panes::{PaneInfo, Panes};
use panewatch_protocol::status::ServerStatus;
use panewatch_protocol::target::Target;
use panewatch_protocol::typing::Typed;
use panewatch_protocol::wait::TextAnswer;
use tokio::sync::{Notify, mpsc, oneshot, watch};

use super::target::TargetError;
use crate::control::PaneId;
use crate::limits::OBSERVER_QUEUE;
use crate::tmux::typing::{Input, TypingError};
use crate::tmux::{Endpoint, TmuxError};
use crate::wait::{Cursor, TextWait, WaitId};

/// Why a question gets no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ObserverError {
    /// The kind, as callers see it.
    pub kind: ErrorKind,
    /// What was tried, on what, and what to do next.
    pub message: String,
}

impl ObserverError {
    /// An error of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// The daemon is stopping.
    pub fn shutting_down() -> Self {
        let message = "the daemon is stopping; ask again, and with the cursor of your last answer";
        Self::new(ErrorKind::ShuttingDown, message)
    }
}

impl From<TargetError> for ObserverError {
    fn from(error: TargetError) -> Self {
        Self::new(error.kind, error.to_string())
    }
}

impl From<&TmuxError> for ObserverError {
    fn from(error: &TmuxError) -> Self {
        match error {
            TmuxError::NotRunning { .. } => Self::new(
                ErrorKind::ServerNotRunning,
                format!(
                    "{error}; start tmux, or name the server that is meant (panewatch never starts one)"
                ),
            ),
            _ => Self::new(ErrorKind::TmuxError, error.to_string()),
        }
    }
}

impl From<TypingError> for ObserverError {
    fn from(error: TypingError) -> Self {
        match &error {
            TypingError::InMode(..) => Self::new(ErrorKind::PaneInMode, error.to_string()),
            TypingError::Tmux(TmuxError::Refused { message, .. })
                if message.contains("can't find pane") =>
            {
                let message = format!("the pane has just ended ({message}); nothing was typed");
                Self::new(ErrorKind::PaneNotFound, message)
            }
            TypingError::Tmux(error) => error.into(),
        }
    }
}

/// What an observer answers with.
pub type Reply<T> = oneshot::Sender<Result<T, ObserverError>>;

/// A question about text.
#[derive(Debug)]
pub struct Question {
    /// Its number.
    pub id: WaitId,
    /// The pane it is about.
    pub target: Target,
    /// Where it starts; now, if not said.
    pub since: Option<Cursor>,
    /// What it waits for.
    pub wait: TextWait,
    /// It has been called off before it was put to a stream.
    pub cancelled: bool,
    /// Whom to answer.
    pub reply: Reply<TextAnswer>,
}

/// An order to type.
#[derive(Debug)]
pub struct Order {
    /// Its number.
    pub id: WaitId,
    /// The pane it is about.
    pub target: Target,
    /// What is to be typed.
    pub what: Typing,
    /// A pane that is not to be typed into: the caller's own.
    pub own: Option<PaneId>,
    /// Whom to answer.
    pub reply: Reply<Typed>,
}

/// What is to be typed, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typing {
    /// By us. `settled`: Enter is pressed when the text has been echoed.
    Input {
        /// What.
        input: Input,
        /// When its Enter is pressed.
        settled: bool,
    },
    /// By another tool.
    Declared(String),
}

/// What is put to a pane: the pane is found and watched first.
#[derive(Debug)]
pub enum Asked {
    /// A question.
    Wait(Box<Question>),
    /// An order.
    Type(Box<Order>),
}

impl Asked {
    pub(super) fn id(&self) -> WaitId {
        match self {
            Self::Wait(question) => question.id,
            Self::Type(order) => order.id,
        }
    }

    pub(super) fn target(&self) -> &Target {
        match self {
            Self::Wait(question) => &question.target,
            Self::Type(order) => &order.target,
        }
    }

    /// Whether its caller has gone.
    pub(super) fn is_over(&self) -> bool {
        match self {
            Self::Wait(question) => question.reply.is_closed(),
            Self::Type(order) => order.reply.is_closed(),
        }
    }

    pub(super) fn refuse(self, error: ObserverError) {
        match self {
            Self::Wait(question) => drop(question.reply.send(Err(error))),
            Self::Type(order) => drop(order.reply.send(Err(error))),
        }
    }
}

/// What an observer is asked.
#[derive(Debug)]
pub enum Request {
    /// Something about a pane.
    Ask(Asked),
    /// End a wait with the outcome `cancelled`.
    Cancel(WaitId),
    /// List the panes.
    ListPanes(Reply<Panes>),
    /// Find the pane that a target means.
    FindPane(Target, Reply<PaneInfo>),
    /// Say what it is doing.
    Status(Reply<ServerStatus>),
    /// Refuse every wait and end.
    Stop,
}

/// The questions whose callers have gone. A list and not a channel: it must take every one of them, at
/// once and from a destructor, and it cannot be longer than there are waits.
#[derive(Debug, Default)]
pub struct Departures {
    gone: Mutex<Vec<WaitId>>,
    wake: Notify,
}

impl Departures {
    fn add(&self, id: WaitId) {
        self.gone.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        self.wake.notify_one();
    }

    /// Takes all of them.
    pub fn take(&self) -> Vec<WaitId> {
        std::mem::take(&mut *self.gone.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns when there are some.
    pub async fn some(&self) {
        self.wake.notified().await;
    }
}

/// A hold on an observer.
#[derive(Debug, Clone)]
pub struct Handle {
    endpoint: Endpoint,
    requests: mpsc::Sender<Request>,
    departures: Arc<Departures>,
    next_wait: Arc<AtomicU64>,
    changes: watch::Receiver<u64>,
}

/// An observer's side of its handles.
#[derive(Debug)]
pub struct Side {
    /// What is asked.
    pub requests: mpsc::Receiver<Request>,
    /// Who has gone.
    pub departures: Arc<Departures>,
    /// Told whenever panes have come, gone or moved.
    pub changes: watch::Sender<u64>,
}

impl Handle {
    /// A handle, and what its observer has of it.
    pub fn new(endpoint: Endpoint) -> (Self, Side) {
        let (sender, requests) = mpsc::channel(OBSERVER_QUEUE);
        let (told, changes) = watch::channel(0);
        let departures = Arc::new(Departures::default());
        let side = Side { requests, departures: Arc::clone(&departures), changes: told };
        let next_wait = Arc::default();
        (Self { endpoint, requests: sender, departures, next_wait, changes }, side)
    }

    /// A number that changes whenever panes have come, gone or moved.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }

    /// Whether the observer has ended, as its server has.
    pub fn is_over(&self) -> bool {
        self.requests.is_closed()
    }

    /// Asks for text.
    pub async fn wait_for_text(
        &self,
        target: Target,
        since: Option<Cursor>,
        wait: TextWait,
    ) -> Result<Waiting<TextAnswer>, ObserverError> {
        let (id, reply, waiting) = self.waiting();
        let question = Question { id, target, since, wait, cancelled: false, reply };
        self.send(Request::Ask(Asked::Wait(Box::new(question)))).await?;
        Ok(waiting)
    }

    /// Types, or hears what another tool types. Dropping the future takes the order back, unless it has
    /// been carried out by then.
    pub async fn type_into(
        &self,
        target: Target,
        what: Typing,
        own: Option<PaneId>,
    ) -> Result<Typed, ObserverError> {
        let (id, reply, mut waiting) = self.waiting();
        let order = Order { id, target, what, own, reply };
        self.send(Request::Ask(Asked::Type(Box::new(order)))).await?;
        waiting.answer().await
    }

    fn waiting<T>(&self) -> (WaitId, Reply<T>, Waiting<T>) {
        let id = WaitId(self.next_wait.fetch_add(1, Ordering::Relaxed));
        let (reply, answer) = oneshot::channel();
        (id, reply, Waiting { id, answer, handle: self.clone() })
    }

    /// Lists the panes.
    pub async fn list_panes(&self) -> Result<Panes, ObserverError> {
        self.ask(Request::ListPanes).await
    }

    /// Finds the pane that a target means.
    pub async fn find_pane(&self, target: Target) -> Result<PaneInfo, ObserverError> {
        self.ask(|reply| Request::FindPane(target, reply)).await
    }

    /// Asks what the observer is doing.
    pub async fn status(&self) -> Result<ServerStatus, ObserverError> {
        self.ask(Request::Status).await
    }

    /// Refuses every wait and ends the observer.
    pub async fn stop(&self) {
        self.requests.send(Request::Stop).await.ok();
        self.requests.closed().await;
    }

    async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, ObserverError> {
        let (reply, answer) = oneshot::channel();
        self.send(request(reply)).await?;
        answer.await.unwrap_or_else(|_| Err(self.server_gone()))
    }

    /// The observer has ended meanwhile, since its server has.
    fn server_gone(&self) -> ObserverError {
        let message = format!("no tmux server answers on {} any more", self.endpoint);
        ObserverError::new(ErrorKind::ServerNotRunning, message)
    }

    async fn send(&self, request: Request) -> Result<(), ObserverError> {
        self.requests.send(request).await.map_err(|_| self.server_gone())
    }
}

/// A question that has been asked. Dropping it takes the question back.
#[derive(Debug)]
pub struct Waiting<T> {
    id: WaitId,
    answer: oneshot::Receiver<Result<T, ObserverError>>,
    handle: Handle,
}

impl<T> Waiting<T> {
    /// The answer. Safe to drop and call again.
    pub async fn answer(&mut self) -> Result<T, ObserverError> {
        let gone = |_| Err(self.handle.server_gone());
        (&mut self.answer).await.unwrap_or_else(gone)
    }

    /// Ends the wait; its answer is then `cancelled`, unless it was answered just before.
    pub async fn cancel(&mut self) -> Result<T, ObserverError> {
        self.handle.send(Request::Cancel(self.id)).await?;
        self.answer().await
    }
}

impl<T> Drop for Waiting<T> {
    fn drop(&mut self) {
        self.handle.departures.add(self.id);
    }
}
