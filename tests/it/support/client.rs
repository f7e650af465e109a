//! A caller of the daemon: JSON-RPC over WebSocket, and over HTTP through a real curl.
//!
//! It speaks the wire's own names and knows nothing of the program's own client.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

use jsonrpsee::core::client::{ClientT, Error};
use jsonrpsee_ws_client::{WsClient, WsClientBuilder};
use panewatch_protocol::error::{ErrorData, ErrorKind};
use panewatch_protocol::method;
use panewatch_protocol::status::Status;
use panewatch_protocol::wait::TextAnswer;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use super::eventually::{HANG, within};
use super::process;

/// Bytes of a request that this client sends without a word of its own.
const MAX_REQUEST_BYTES: u32 = 64 << 20;

/// An error of JSON-RPC, as it came.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Option<ErrorData>,
}

impl Refusal {
    /// The kind of error; its code and flags must be those of that kind.
    pub(crate) fn kind(&self) -> ErrorKind {
        let data = self.data.as_ref().unwrap_or_else(|| panic!("no kind in {self:?}"));
        assert_eq!(self.code, data.kind.code(), "{self:?}");
        assert_eq!(*data, ErrorData::from(data.kind), "{self:?}");
        data.kind
    }

    fn from_json(error: &Value) -> Self {
        Self {
            code: i32::try_from(error["code"].as_i64().expect("a code")).unwrap(),
            message: error["message"].as_str().expect("a message").to_owned(),
            data: serde_json::from_value(error["data"].clone()).ok(),
        }
    }
}

/// One WebSocket connection.
pub(crate) struct Client {
    ws: WsClient,
}

impl Client {
    /// Connects, or says nothing more than that nobody answers yet.
    pub(crate) async fn try_connect(socket: &Path) -> Option<Self> {
        let stream = UnixStream::connect(socket).await.ok()?;
        let builder = WsClientBuilder::new()
            .request_timeout(HANG * 2)
            .max_request_size(MAX_REQUEST_BYTES)
            .max_concurrent_requests(1024);
        let ws = Box::pin(builder.build_with_stream("ws://localhost/", stream)).await.ok()?;
        Some(Self { ws })
    }

    pub(crate) async fn connect(socket: &Path) -> Self {
        let client = within("a WebSocket to the daemon", HANG, Self::try_connect(socket)).await;
        client.unwrap_or_else(|| panic!("no WebSocket on {}", socket.display()))
    }

    /// One call; the error is the library's own, a broken connection among them.
    pub(crate) async fn request(&self, method: &str, params: Value) -> Result<Value, Error> {
        let Value::Object(params) = params else { panic!("params must be an object: {params}") };
        self.ws.request(method, params).await
    }

    /// One call, answered or refused.
    pub(crate) async fn call(&self, method: &str, params: Value) -> Result<Value, Refusal> {
        let what = format!("an answer to {method} {params}");
        match within(&what, HANG, self.request(method, params)).await {
            Ok(answer) => Ok(answer),
            Err(Error::Call(error)) => Err(Refusal::from_json(&json!(error))),
            Err(error) => panic!("{what}: {error}"),
        }
    }

    /// One call that must be answered, as this type.
    pub(crate) async fn get<T: DeserializeOwned>(&self, method: &str, params: Value) -> T {
        let answer = self.call(method, params).await.unwrap_or_else(|r| panic!("{method}: {r:?}"));
        serde_json::from_value(answer).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    pub(crate) async fn status(&self) -> Status {
        self.get(method::STATUS, json!({})).await
    }
}

/// A `wait_for_text` under way on a connection of its own, which is closed when this is dropped.
pub(crate) struct Waiting {
    params: Value,
    task: JoinHandle<Result<Value, Refusal>>,
}

impl Waiting {
    pub(crate) fn start(socket: PathBuf, params: Value) -> Self {
        let asked = params.clone();
        let task = tokio::spawn(async move {
            let client = Client::connect(&socket).await;
            client.call(method::WAIT_FOR_TEXT, params).await
        });
        Self { params: asked, task }
    }

    async fn end(mut self) -> Result<Value, Refusal> {
        let what = format!("the end of the wait {}", self.params);
        within(&what, HANG, &mut self.task).await.expect("the task of a wait")
    }

    /// The answer; it must not be an error.
    pub(crate) async fn answer(self) -> TextAnswer {
        let answer = self.end().await.unwrap_or_else(|refusal| panic!("refused: {refusal:?}"));
        serde_json::from_value(answer).expect("an answer of wait_for_text")
    }

    /// The error; it must not be an answer.
    pub(crate) async fn refusal(self) -> Refusal {
        self.end().await.expect_err("a refusal")
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What came back over HTTP.
#[derive(Debug)]
pub(crate) struct Posted {
    /// Curl's own exit code.
    pub(crate) curl: Option<i32>,
    /// The HTTP status; 0 when none came.
    pub(crate) status: u16,
    pub(crate) body: String,
}

/// A curl that posts `body` to the daemon, ended when it is dropped.
pub(crate) fn spawn_curl(socket: &Path, body: &str) -> Child {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("request-{}.json", COUNT.fetch_add(1, Ordering::Relaxed));
    let file = socket.with_file_name(name);
    fs::write(&file, body).expect("writing a request");
    let mut curl = process::command("curl");
    curl.args(["--silent", "--show-error", "--noproxy", "*", "--unix-socket"]).arg(socket);
    curl.args(["-H", "content-type: application/json", "-w", "\n%{http_code}"]);
    curl.arg("--data-binary").arg(format!("@{}", file.display())).arg("http://localhost/");
    curl.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut curl = Command::from(curl);
    let spawned = curl.kill_on_drop(true).spawn();
    spawned.unwrap_or_else(|error| panic!("{}", process::not_started(curl.as_std(), &error)))
}

/// Posts any body at all.
pub(crate) async fn post(socket: &Path, body: &str) -> Posted {
    let curl = spawn_curl(socket, body).wait_with_output();
    let output = within("the end of curl", HANG, curl).await.expect("running curl");
    let printed = String::from_utf8_lossy(&output.stdout);
    let (body, status) = printed.rsplit_once('\n').expect("the HTTP status that curl prints");
    let status = status.parse().expect("an HTTP status");
    Posted { curl: output.status.code(), status, body: body.to_owned() }
}

/// The body of a request.
pub(crate) fn request(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

/// One call over HTTP, answered or refused.
pub(crate) async fn http(socket: &Path, method: &str, params: Value) -> Result<Value, Refusal> {
    let posted = post(socket, &request(method, &params)).await;
    let body: Value =
        serde_json::from_str(&posted.body).unwrap_or_else(|_| panic!("{method}: {posted:?}"));
    assert_eq!(body["id"], 1, "{body}");
    match body.get("error") {
        Some(error) => Err(Refusal::from_json(error)),
        None => Ok(body["result"].clone()),
    }
}
