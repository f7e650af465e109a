//! Connections accepted, their peers checked, and handed to jsonrpsee's HTTP and WebSocket service.

use std::sync::Arc;
use std::time::Duration;

use jsonrpsee::Methods;
use jsonrpsee::server::middleware::rpc::RpcServiceBuilder;
use jsonrpsee::server::{
    BatchRequestConfig, PingConfig, Server, ServerConfig, ServerHandle, StopHandle,
    serve_with_graceful_shutdown, stop_channel,
};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;

use super::in_flight::{Caller, InFlight};
use crate::limits::{
    MAX_ANSWER_BYTES, MAX_BATCH, MAX_CALLS_PER_CONNECTION, MAX_CONNECTIONS, MAX_OUTGOING_MESSAGES,
    MAX_REQUEST_BYTES, SHUTDOWN_GRACE,
};

/// A service that accepts connections until it is stopped.
#[derive(Debug)]
pub struct Serving {
    handle: ServerHandle,
    tasks: TaskTracker,
}

impl Serving {
    /// Serves methods on a socket.
    pub fn start(listener: UnixListener, methods: impl Into<Methods>) -> Self {
        let (stop, handle) = stop_channel();
        let tasks = TaskTracker::new();
        let methods = methods.into();
        tasks.spawn(accept(listener, methods, stop, tasks.clone()));
        Self { handle, tasks }
    }

    /// Accepts nothing more, and lets the answers under way be written.
    pub async fn stop(self) {
        self.handle.stop().ok();
        self.tasks.close();
        if timeout(SHUTDOWN_GRACE, self.tasks.wait()).await.is_err() {
            tracing::warn!("some clients did not take their answers in time");
        }
    }
}

async fn accept(listener: UnixListener, methods: Methods, stop: StopHandle, tasks: TaskTracker) {
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS as usize));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.clone().shutdown() => return,
        };
        match accepted {
            Ok((stream, _)) => {
                // over the limit a connection is closed; its client sees that at once
                if let (true, Ok(permit)) = (is_own(&stream), Arc::clone(&free).try_acquire_owned())
                {
                    serve(stream, methods.clone(), &stop, &tasks, permit);
                }
            }
            Err(error) => {
                // out of descriptors, most likely: some connections must end first
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Only this user's processes may ask: the daemon reads all of this user's terminals.
fn is_own(stream: &UnixStream) -> bool {
    let uid = stream.peer_cred().map(|peer| peer.uid());
    let own = uid.as_ref().is_ok_and(|uid| *uid == rustix::process::getuid().as_raw());
    if !own {
        tracing::warn!(?uid, "refused a connection of another user");
    }
    own
}

fn serve(
    stream: UnixStream,
    methods: Methods,
    stop: &StopHandle,
    tasks: &TaskTracker,
    permit: OwnedSemaphorePermit,
) {
    let calls = Arc::new(Semaphore::new(MAX_CALLS_PER_CONNECTION));
    let caller = Caller(stream.peer_cred().ok().and_then(|peer| peer.pid()));
    let limited = RpcServiceBuilder::new()
        .layer_fn(move |service| InFlight::new(service, Arc::clone(&calls), caller));
    let service = Server::builder()
        .set_config(config())
        .set_rpc_middleware(limited)
        .to_service_builder()
        .build(methods, stop.clone());
    let serving =
        tokio::spawn(serve_with_graceful_shutdown(stream, service, stop.clone().shutdown()));
    tasks.spawn(async move {
        if let Ok(Err(error)) = serving.await {
            tracing::debug!(%error, "a connection ended early");
        }
        drop(permit);
    });
}

fn config() -> ServerConfig {
    ServerConfig::builder()
        .max_request_body_size(MAX_REQUEST_BYTES)
        .max_response_body_size(MAX_ANSWER_BYTES)
        .max_connections(MAX_CONNECTIONS)
        .set_message_buffer_capacity(MAX_OUTGOING_MESSAGES)
        .set_batch_request_config(BatchRequestConfig::Limit(MAX_BATCH))
        // a client that is stopped or wedged is noticed, and its waits are dropped
        .enable_ws_ping(PingConfig::new())
        .build()
}
