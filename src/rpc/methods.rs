//! What can be called. Each method reads its arguments, asks an observer, and answers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::{ErrorObjectOwned, Params};
use panewatch_protocol::error::ErrorKind;
use panewatch_protocol::panes::{ListPanes, ListServers, Panes, ServerInfo, Servers as ServerList};
use panewatch_protocol::status::{GetStatus, Status};
use panewatch_protocol::target::ServerName;
use panewatch_protocol::wait::{CancelWait, Cancelled, TextAnswer, WaitForText};
use panewatch_protocol::{PROTOCOL, method};
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use super::error::{error, invalid};
use super::named::{Named, NamedWaits};
use super::{several, typing};
use crate::limits::{self, MAX_SOCKET_PATH_BYTES, MAX_WAIT_ID_BYTES};
use crate::observer::{Handle, ObserverError, Servers, Waiting};
use crate::tmux::{Endpoint, endpoint};
use crate::wait::{Cursor, TextWait};

/// What the methods work with.
#[derive(Debug)]
pub struct Context {
    /// The observers.
    pub servers: Servers,
    /// The socket that the daemon listens on.
    pub socket: PathBuf,
    /// When the daemon started.
    pub started: Instant,
    /// The waits that have names.
    pub named: NamedWaits,
    /// Nothing is typed.
    pub read_only: bool,
}

/// The methods.
pub fn methods(context: Context) -> Result<RpcModule<Context>, RegisterMethodError> {
    let mut module = RpcModule::new(context);
    module.register_async_method(method::WAIT_FOR_TEXT, |params, context, _| async move {
        wait_for_text(&context, arguments(&params)?).await
    })?;
    module.register_async_method(method::CANCEL_WAIT, |params, context, _| async move {
        let CancelWait { wait_id } = arguments(&params)?;
        Ok::<_, ErrorObjectOwned>(Cancelled { cancelled: context.named.cancel(&wait_id) })
    })?;
    module.register_async_method(method::SEND_KEYS, |params, context, extensions| async move {
        typing::send_keys(&context, arguments(&params)?, &extensions).await
    })?;
    module.register_async_method(method::PASTE_TEXT, |params, context, extensions| async move {
        typing::paste_text(&context, arguments(&params)?, &extensions).await
    })?;
    module.register_async_method(method::DECLARE_INPUT, |params, context, _| async move {
        typing::declare_input(&context, arguments(&params)?).await
    })?;
    module.register_async_method(method::LIST_PANES, |params, context, _| async move {
        list_panes(&context, arguments(&params)?).await
    })?;
    module.register_async_method(method::LIST_SERVERS, |params, context, _| async move {
        let ListServers {} = arguments(&params)?;
        Ok::<_, ErrorObjectOwned>(list_servers(&context).await)
    })?;
    module.register_async_method(method::STATUS, |params, context, _| async move {
        let GetStatus {} = arguments(&params)?;
        Ok::<_, ErrorObjectOwned>(status(&context).await)
    })?;
    Ok(module)
}

/// The arguments of a call: an object, or nothing, which is an empty one.
fn arguments<T: DeserializeOwned>(params: &Params<'_>) -> Result<T, ErrorObjectOwned> {
    let text = params.as_str().unwrap_or("{}");
    if !text.trim_start().starts_with('{') {
        return Err(invalid("the arguments must be an object with named members"));
    }
    serde_json::from_str(text).map_err(|e| invalid(format!("the arguments cannot be read: {e}")))
}

async fn wait_for_text(
    context: &Arc<Context>,
    question: WaitForText,
) -> Result<TextAnswer, ErrorObjectOwned> {
    let wait = TextWait::compile(&question)?;
    let since = question.since.as_deref().map(cursor).transpose()?;
    let named = question.wait_id.as_deref().map(|name| named(context, name)).transpose()?;
    let observer = observer(context, question.target.server.as_ref())?;
    let cancelled = named.as_ref().map(Named::token).unwrap_or_default();
    if question.panes.is_some() || question.all_panes {
        return several::wait(&observer, &question, since, wait, cancelled).await;
    }
    let waiting = observer.wait_for_text(question.target, since, wait).await?;
    Ok(answer(waiting, cancelled).await?)
}

/// The answer of a wait, which ends as `cancelled` when that is wished.
pub(super) async fn answer(
    mut waiting: Waiting<TextAnswer>,
    cancelled: CancellationToken,
) -> Result<TextAnswer, ObserverError> {
    tokio::select! {
        answer = waiting.answer() => answer,
        () = cancelled.cancelled() => waiting.cancel().await,
    }
}

fn cursor(text: &str) -> Result<Cursor, ErrorObjectOwned> {
    text.parse().map_err(|e| {
        let shown: String = text.chars().take(100).collect();
        let message = format!("`since` is `{shown}`: {e}; leave it out to start now");
        error(ErrorKind::CursorInvalid, message)
    })
}

fn named(context: &Context, name: &str) -> Result<Named, ErrorObjectOwned> {
    if name.is_empty() || name.len() > MAX_WAIT_ID_BYTES {
        return Err(invalid(format!("`wait_id` must have 1 to {MAX_WAIT_ID_BYTES} bytes")));
    }
    let taken = || invalid(format!("`wait_id` is `{name}`, and a wait of that name is under way"));
    context.named.name(name).ok_or_else(taken)
}

pub(super) fn observer(
    context: &Context,
    name: Option<&ServerName>,
) -> Result<Handle, ErrorObjectOwned> {
    let endpoint = context.servers.endpoint(name);
    let bytes = endpoint.path().as_os_str().len();
    if bytes > MAX_SOCKET_PATH_BYTES {
        let message = format!(
            "the tmux socket path has {bytes} bytes; a Unix socket's path may have {MAX_SOCKET_PATH_BYTES}: {endpoint}"
        );
        return Err(invalid(message));
    }
    Ok(context.servers.observer(&endpoint))
}

async fn list_panes(context: &Context, arguments: ListPanes) -> Result<Panes, ErrorObjectOwned> {
    Ok(observer(context, arguments.server.as_ref())?.list_panes().await?)
}

/// The sockets in tmux's directory of this user, and those that are observed.
async fn list_servers(context: &Context) -> ServerList {
    let mut endpoints = sockets();
    let handles = context.servers.all();
    endpoints.extend(handles.iter().map(|(endpoint, _)| endpoint.clone()));
    endpoints.sort();
    endpoints.dedup();
    let mut servers = Vec::new();
    for endpoint in endpoints {
        let observer = handles.iter().find(|(e, _)| *e == endpoint).map(|(_, handle)| handle);
        servers.push(server_info(&endpoint, observer).await);
    }
    ServerList { servers }
}

fn sockets() -> Vec<Endpoint> {
    use std::os::unix::fs::FileTypeExt;
    let entries = std::fs::read_dir(endpoint::directory()).into_iter().flatten().flatten();
    let sockets = entries.filter(|e| e.file_type().is_ok_and(|t| t.is_socket()));
    sockets.map(|e| Endpoint::at(e.path())).collect()
}

async fn server_info(endpoint: &Endpoint, observer: Option<&Handle>) -> ServerInfo {
    let links = match observer {
        Some(observer) => observer.status().await.map_or(0, |status| status.links.len()),
        None => 0,
    };
    let identity = endpoint.identify().await;
    let known = identity.as_ref().ok();
    ServerInfo {
        socket_path: endpoint.to_string(),
        pid: known.map(|server| server.pid),
        version: known.map(|server| server.version.to_string()),
        links,
        error: identity.as_ref().err().map(ToString::to_string),
    }
}

async fn status(context: &Context) -> Status {
    let mut servers = Vec::new();
    for (_, observer) in context.servers.all() {
        // one whose server is not there, or has just ended, has no status
        servers.extend(observer.status().await.ok());
    }
    Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: PROTOCOL,
        pid: std::process::id().cast_signed(),
        uptime_seconds: context.started.elapsed().as_secs_f64(),
        socket_path: context.socket.display().to_string(),
        waits: servers.iter().map(|s| s.waits).sum(),
        servers,
        limits: limits::table().map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}
