//! One connection to the daemon, and calls over it.
//!
//! A wait has its connection to itself: closing that is what takes the wait back (W12).

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jsonrpsee::core::client::{ClientT, Error};
use jsonrpsee::core::traits::ToRpcParams;
use jsonrpsee_ws_client::{WsClient, WsClientBuilder};
use panewatch_protocol::error::{ErrorData, ErrorKind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use tokio::net::UnixStream;

use crate::limits::{MAX_ANSWER_BYTES, MAX_REQUEST_BYTES, MAX_TIMEOUT_SECONDS};

/// A connection to the daemon.
#[derive(Debug)]
pub struct Client {
    connection: WsClient,
}

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// No daemon listens.
    #[error("no daemon listens on {}: {error}", socket.display())]
    NoDaemon {
        /// The socket.
        socket: PathBuf,
        /// What connecting said.
        error: io::Error,
    },
    /// The daemon refused the call.
    #[error("{message}")]
    Refused {
        /// The kind of error, where the daemon told one.
        kind: Option<ErrorKind>,
        /// The JSON-RPC code.
        code: i32,
        /// What it said.
        message: String,
    },
    /// The connection broke, or never came about.
    #[error("the connection to the daemon on {} broke: {message}", socket.display())]
    Broken {
        /// The socket.
        socket: PathBuf,
        /// What broke.
        message: String,
    },
}

struct Arguments(Box<RawValue>);

impl ToRpcParams for Arguments {
    fn to_rpc_params(self) -> Result<Option<Box<RawValue>>, serde_json::Error> {
        Ok(Some(self.0))
    }
}

impl Client {
    /// Connects to the daemon on a socket.
    pub async fn connect(socket: &Path) -> Result<Self, ClientError> {
        let stream = UnixStream::connect(socket)
            .await
            .map_err(|error| ClientError::NoDaemon { socket: socket.to_owned(), error })?;
        let connection = WsClientBuilder::new()
            // the daemon ends every wait in time; this is only a net under it
            .request_timeout(Duration::from_secs_f64(MAX_TIMEOUT_SECONDS + 60.0))
            .max_request_size(MAX_REQUEST_BYTES)
            .max_response_size(MAX_ANSWER_BYTES)
            .build_with_stream("ws://localhost/", stream)
            .await
            .map_err(|error| ClientError::Broken {
                socket: socket.to_owned(),
                message: error.to_string(),
            })?;
        Ok(Self { connection })
    }

    /// Calls a method.
    pub async fn call<A: Serialize, R: DeserializeOwned>(
        &self,
        socket: &Path,
        method: &str,
        arguments: &A,
    ) -> Result<R, ClientError> {
        let broken = |message: String| ClientError::Broken { socket: socket.to_owned(), message };
        let arguments = to_raw_value(arguments).map_err(|e| broken(e.to_string()))?;
        self.connection.request(method, Arguments(arguments)).await.map_err(|error| match error {
            Error::Call(refused) => {
                let data = refused.data().map(RawValue::get);
                let data = data.and_then(|data| serde_json::from_str::<ErrorData>(data).ok());
                ClientError::Refused {
                    kind: data.map(|d| d.kind),
                    code: refused.code(),
                    message: refused.message().to_owned(),
                }
            }
            other => broken(other.to_string()),
        })
    }
}
