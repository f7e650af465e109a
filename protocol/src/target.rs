//! How a caller names what it means: a server, and a pane of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A tmux server. With neither member: the default server of this user, by tmux's own rules
/// (`TMUX_TMPDIR`, else `/tmp`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerName {
    /// The name given to `tmux -L`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket_name: Option<String>,
    /// The path given to `tmux -S`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket_path: Option<String>,
}

/// A pane, named in one of four ways; the first member given wins.
///
/// A window means its first pane, a session the first pane of its first window, and nothing at all
/// the first session listed. A name never matches by prefix.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// A pane id (`%3`), or an exact tmux target such as `=work:1.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pane: Option<String>,
    /// A window id (`@2`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_id: Option<String>,
    /// A session id (`$1`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// A session's whole name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_name: Option<String>,
    /// The server; omitted: the default server of this user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerName>,
}
