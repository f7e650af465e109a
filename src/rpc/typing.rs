//! The methods that type: `send_keys`, `paste_text` and `declare_input`.

use std::path::{Path, PathBuf};

use jsonrpsee::Extensions;
use jsonrpsee::types::ErrorObjectOwned;
use panewatch_protocol::error::ErrorKind;
use panewatch_protocol::target::Target;
use panewatch_protocol::typing::{DeclareInput, PasteText, SendKeys, Submit, Typed, Unless};

use super::error::{error, invalid};
use super::in_flight::Caller;
use super::methods::{Context, observer};
use crate::control::PaneId;
use crate::limits::MAX_KEYS;
use crate::observer::Typing;
use crate::tmux::typing::{Input, is_key};

/// Types text, keys and Enter.
pub async fn send_keys(
    context: &Context,
    order: SendKeys,
    extensions: &Extensions,
) -> Result<Typed, ErrorObjectOwned> {
    let SendKeys { target, text, keys, enter, submit, unless } = order;
    check_keys(&keys)?;
    let text = text.unwrap_or_default();
    if text.is_empty() && keys.is_empty() && !enter {
        return Err(invalid("there is nothing to type: give `text`, `keys` or `enter`"));
    }
    let input = Input { text, paste: false, keys, enter, leave_mode: unless.leave_mode };
    type_input(context, target, input, submit, unless, extensions).await
}

/// Pastes text.
pub async fn paste_text(
    context: &Context,
    order: PasteText,
    extensions: &Extensions,
) -> Result<Typed, ErrorObjectOwned> {
    let PasteText { target, text, enter, submit, unless } = order;
    if text.is_empty() {
        return Err(invalid("there is nothing to paste: `text` is empty"));
    }
    let input = Input { text, paste: true, keys: Vec::new(), enter, leave_mode: unless.leave_mode };
    type_input(context, target, input, submit, unless, extensions).await
}

/// Hears what another tool is about to type.
pub async fn declare_input(
    context: &Context,
    declared: DeclareInput,
) -> Result<Typed, ErrorObjectOwned> {
    let observer = observer(context, declared.target.server.as_ref())?;
    let what = Typing::Declared(declared.text);
    Ok(observer.type_into(declared.target, what, None).await?)
}

async fn type_input(
    context: &Context,
    target: Target,
    input: Input,
    submit: Submit,
    unless: Unless,
    extensions: &Extensions,
) -> Result<Typed, ErrorObjectOwned> {
    if context.read_only {
        return Err(error(ErrorKind::ReadOnly, "this daemon was started with --read-only"));
    }
    if input.text.contains('\0') {
        return Err(invalid(
            "the text contains a NUL, which tmux cannot type; use the key C-Space",
        ));
    }
    let observer = observer(context, target.server.as_ref())?;
    let endpoint = context.servers.endpoint(target.server.as_ref());
    let own = if unless.own_pane { None } else { own_pane(extensions, endpoint.path()) };
    let what = Typing::Input { input, settled: submit == Submit::Settled };
    Ok(observer.type_into(target, what, own).await?)
}

fn check_keys(keys: &[String]) -> Result<(), ErrorObjectOwned> {
    if keys.len() > MAX_KEYS {
        return Err(invalid(format!(
            "`keys` has {} entries; at most {MAX_KEYS} are allowed",
            keys.len()
        )));
    }
    match keys.iter().find(|key| !is_key(key)) {
        Some(key) => Err(invalid(format!(
            "`{key}` is no key that tmux knows, such as Enter, C-c, M-x, Up or F5; text goes in `text`"
        ))),
        None => Ok(()),
    }
}

/// The caller's own pane, if it runs in one of the server on this socket: its environment says so.
fn own_pane(extensions: &Extensions, socket: &Path) -> Option<PaneId> {
    let Caller(pid) = extensions.get().copied()?;
    let environment = std::fs::read(format!("/proc/{}/environ", pid?)).ok()?;
    let variable = |name: &str| {
        let of_name = |entry: &[u8]| Some(entry.strip_prefix(name.as_bytes())?.to_owned());
        let value = environment.split(|b| *b == 0).find_map(of_name)?;
        String::from_utf8(value).ok()
    };
    let tmux = variable("TMUX=")?;
    let its_socket = PathBuf::from(tmux.split(',').next()?);
    let same = same_file(&its_socket, socket);
    same.then(|| PaneId::parse(&variable("TMUX_PANE=")?)).flatten()
}

fn same_file(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real(a) == real(b)
}
