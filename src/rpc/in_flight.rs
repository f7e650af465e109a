//! What is known of a connection, put beside each of its calls: who calls, and how many calls it may
//! have under way, for which the library itself has no limit on a WebSocket.

use std::future::Future;
use std::sync::Arc;

use jsonrpsee::MethodResponse;
use jsonrpsee::core::middleware::{Batch, Notification, RpcServiceT};
use jsonrpsee::types::Request;
use panewatch_protocol::error::ErrorKind;
use tokio::sync::Semaphore;

use super::error::error;
use crate::limits::MAX_CALLS_PER_CONNECTION;

/// The process that calls, where the kernel tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller(pub Option<i32>);

/// The calls of one connection.
#[derive(Debug, Clone)]
pub struct InFlight<S> {
    inner: S,
    free: Arc<Semaphore>,
    caller: Caller,
}

impl<S> InFlight<S> {
    /// The calls of a connection, of which `free` are free.
    pub fn new(inner: S, free: Arc<Semaphore>, caller: Caller) -> Self {
        Self { inner, free, caller }
    }
}

impl<S> RpcServiceT for InFlight<S>
where
    S: RpcServiceT<MethodResponse = MethodResponse> + Send + Sync + Clone + 'static,
{
    type MethodResponse = MethodResponse;
    type NotificationResponse = S::NotificationResponse;
    type BatchResponse = S::BatchResponse;

    fn call<'a>(
        &self,
        mut request: Request<'a>,
    ) -> impl Future<Output = MethodResponse> + Send + 'a {
        let (free, inner) = (Arc::clone(&self.free), self.inner.clone());
        request.extensions.insert(self.caller);
        async move {
            let Ok(_permit) = free.try_acquire() else {
                let message = format!(
                    "this connection has {MAX_CALLS_PER_CONNECTION} calls under way; end some, or open another"
                );
                return MethodResponse::error(request.id, error(ErrorKind::TooManyWaits, message));
            };
            inner.call(request).await
        }
    }

    /// The entries of a batch run one after another: it is one call.
    fn batch<'a>(&self, batch: Batch<'a>) -> impl Future<Output = Self::BatchResponse> + Send + 'a {
        self.inner.batch(batch)
    }

    fn notification<'a>(
        &self,
        notification: Notification<'a>,
    ) -> impl Future<Output = Self::NotificationResponse> + Send + 'a {
        self.inner.notification(notification)
    }
}
