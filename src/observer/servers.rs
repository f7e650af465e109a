//! The observers of this daemon, one per socket.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use panewatch_protocol::target::ServerName;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::handle::Handle;
use super::task::observe;
use crate::limits::SERVER_RETRY;
use crate::tmux::{Drain, Endpoint, LinkKind};

/// How servers are observed.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How links are opened.
    pub link: LinkKind,
    /// Link every session, not only those that somebody asks about.
    pub watch_all: bool,
}

/// The observers.
#[derive(Debug, Clone)]
pub struct Servers {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    fallback: Endpoint,
    settings: Settings,
    drain: Drain,
    tasks: TaskTracker,
    stopping: CancellationToken,
    /// A lock and not a task: it is held for a look-up, never across an await.
    handles: Mutex<HashMap<Endpoint, Handle>>,
}

impl Servers {
    /// No observers yet; `fallback` is the server of callers who name none.
    pub fn new(fallback: Endpoint, settings: Settings, drain: Drain) -> Self {
        let shared = Shared {
            fallback,
            settings,
            drain,
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
            handles: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// The socket that a caller means.
    pub fn endpoint(&self, name: Option<&ServerName>) -> Endpoint {
        Endpoint::of(name, &self.shared.fallback)
    }

    /// The observer of a server. It is started if there is none, or if the last one's server has ended.
    pub fn observer(&self, endpoint: &Endpoint) -> Handle {
        let mut handles = self.shared.handles.lock().unwrap_or_else(PoisonError::into_inner);
        handles.retain(|_, handle| !handle.is_over());
        handles.entry(endpoint.clone()).or_insert_with(|| self.start(endpoint)).clone()
    }

    fn start(&self, endpoint: &Endpoint) -> Handle {
        let (handle, side) = Handle::new(endpoint.clone());
        let Shared { settings, drain, tasks, .. } = &*self.shared;
        tasks.spawn(observe(endpoint.clone(), settings.clone(), drain.clone(), side));
        handle
    }

    /// The observers that there are.
    pub fn all(&self) -> Vec<(Endpoint, Handle)> {
        let handles = self.shared.handles.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = handles.iter().map(|(e, h)| (e.clone(), h.clone())).collect();
        all.retain(|(_, handle)| !handle.is_over());
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// Keeps a server observed whenever it is there.
    pub fn keep(&self, endpoint: Endpoint) {
        let this = self.clone();
        self.shared.tasks.spawn(async move {
            while !this.shared.stopping.is_cancelled() {
                this.observer(&endpoint);
                tokio::select! {
                    () = sleep(SERVER_RETRY) => {}
                    () = this.shared.stopping.cancelled() => {}
                }
            }
        });
    }

    /// Refuses every wait, closes every link, and returns when all that is done.
    pub async fn stop(&self) {
        self.shared.stopping.cancel();
        for (_, handle) in self.all() {
            handle.stop().await;
        }
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }
}
