//! `list_panes` and `list_servers`: what there is to watch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::target::ServerName;

/// The arguments of `list_panes`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListPanes {
    /// The server; omitted: the default server of this user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerName>,
}

/// The answer of `list_panes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Panes {
    /// The server's socket.
    pub socket_path: String,
    /// The server's process id.
    pub server_pid: i32,
    /// The server's tmux version, as the server says it.
    pub version: String,
    /// Every pane of every session; a window linked into two sessions is listed in both.
    pub panes: Vec<PaneInfo>,
}

/// One pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneInfo {
    /// The pane's id (`%3`).
    pub pane: String,
    /// The session's id (`$1`).
    pub session_id: String,
    /// The session's name.
    pub session_name: String,
    /// The window's id (`@2`).
    pub window_id: String,
    /// The window's index in the session.
    pub window_index: u32,
    /// The window's name.
    pub window_name: String,
    /// The pane's index in the window.
    pub pane_index: u32,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// The process id of the program that the pane was started with.
    pub pid: i32,
    /// The command in the foreground, as tmux names it.
    pub command: String,
    /// Whether it is its window's active pane.
    pub active: bool,
    /// Whether its program has ended and tmux keeps the pane (`remain-on-exit`).
    pub dead: bool,
    /// A cursor at the present end of its stream, when the daemon is watching it.
    pub cursor: Option<String>,
}

/// The arguments of `list_servers`: none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListServers {}

/// The answer of `list_servers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Servers {
    /// The servers whose sockets are in this user's tmux directory or that the daemon watches.
    pub servers: Vec<ServerInfo>,
}

/// One tmux server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerInfo {
    /// The server's socket.
    pub socket_path: String,
    /// The server's process id; null when nothing answers on the socket.
    pub pid: Option<i32>,
    /// The server's tmux version, as the server says it.
    pub version: Option<String>,
    /// How many sessions the daemon has linked.
    pub links: usize,
    /// Why the server could not be asked.
    pub error: Option<String>,
}
