//! panewatch
pub mod cli;
pub mod client;
pub mod control;
pub mod daemon;
pub mod limits;
pub mod observer;
pub mod pane;
pub mod rpc;
pub mod socket;
pub mod tmux;
pub mod wait;
