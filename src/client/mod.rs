//! Typed calls to the daemon, shared by the faces that are its clients.
//!
//! - [`call`]: one connection, and calls over it
//! - [`autostart`]: a daemon is started when none runs

pub mod autostart;
pub mod call;

pub use call::{Client, ClientError};
