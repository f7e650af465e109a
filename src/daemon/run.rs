//! The parts put together, and taken apart in order.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use super::instance::Instance;
use crate::observer::{Servers, Settings};
use crate::rpc::methods::{Context, methods};
use crate::rpc::named::NamedWaits;
use crate::rpc::serve::Serving;
use crate::socket;
use crate::tmux::{Drain, Endpoint};

/// What the daemon is told when it starts.
#[derive(Debug)]
pub struct Options {
    /// The socket, if one was named.
    pub listen: Option<PathBuf>,
    /// The servers that were named; the first is that of callers who name none.
    pub servers: Vec<Endpoint>,
    /// How servers are observed.
    pub settings: Settings,
    /// Nothing is typed.
    pub read_only: bool,
}

/// Is the daemon, until it is told to stop.
pub fn run(options: Options) -> anyhow::Result<()> {
    let place = socket::place(options.listen.as_deref())?;
    let instance = Instance::claim(&place)?;
    let drain = Drain::start().context("starting the thread that reads tmux")?;
    // observing and answering; reading tmux has a thread of its own
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(serve(&instance, place.path, options, drain))
}

async fn serve(
    instance: &Instance,
    socket: PathBuf,
    options: Options,
    drain: Drain,
) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let listener = instance.listen()?;
    let fallback = options.servers.first().cloned().unwrap_or_default();
    let keep = if options.servers.is_empty() { vec![fallback.clone()] } else { options.servers };
    let watch_all = options.settings.watch_all;
    let servers = Servers::new(fallback, options.settings, drain);
    let context = Context {
        servers: servers.clone(),
        socket: socket.clone(),
        started: Instant::now(),
        named: NamedWaits::default(),
        read_only: options.read_only,
    };
    let serving = Serving::start(listener, methods(context)?);
    if watch_all {
        for endpoint in keep {
            servers.keep(endpoint);
        }
    }
    tracing::info!(socket = %socket.display(), "ready");
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("stopping");
    // the waits first: an answer that never comes would hold the service up
    servers.stop().await;
    serving.stop().await;
    Ok(())
}
