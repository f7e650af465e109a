//! What the tests stand on: private tmux servers, daemons, clients, and programs in panes.
//!
//! Every fixture ends what it started when it is dropped, by its own socket or process id.

pub(crate) mod cli;
pub(crate) mod client;
pub(crate) mod daemon;
pub(crate) mod eventually;
pub(crate) mod person;
pub(crate) mod process;
pub(crate) mod program;
pub(crate) mod scene;
pub(crate) mod shell;
pub(crate) mod sink;
pub(crate) mod tmux;
