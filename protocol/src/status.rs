//! `status`: what the daemon is doing, and within which limits.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The arguments of `status`: none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetStatus {}

/// The answer of `status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    /// The daemon's version.
    pub version: String,
    /// The protocol's number.
    pub protocol: u32,
    /// The daemon's process id.
    pub pid: i32,
    /// Seconds since it started.
    pub uptime_seconds: f64,
    /// The socket it listens on.
    pub socket_path: String,
    /// Waits held now, over all servers.
    pub waits: usize,
    /// The servers it watches.
    pub servers: Vec<ServerStatus>,
    /// The limits in force, by name; the unit is in the name.
    pub limits: BTreeMap<String, u64>,
}

/// What the daemon knows of one server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerStatus {
    /// The server's socket.
    pub socket_path: String,
    /// The server's process id.
    pub pid: i32,
    /// The server's tmux version.
    pub version: String,
    /// The links held, one per session.
    pub links: Vec<LinkStatus>,
    /// Panes whose streams are kept.
    pub streams: usize,
    /// Bytes kept of those streams.
    pub kept_bytes: u64,
    /// Bytes that those streams have carried.
    pub seen_bytes: u64,
    /// Gaps in those streams.
    pub gaps: u64,
    /// Waits held now.
    pub waits: usize,
}

/// One link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkStatus {
    /// The session's id.
    pub session_id: String,
    /// `direct` or `process`.
    pub kind: String,
}
