//! The integration tests: the built program, asked from outside, over real tmux servers.
//!
//! Every test has a tmux server and a daemon of its own, in a directory of its own, and ends what it
//! started. They need `tmux`, `curl`, `python3`, `dash`, `bash`, `zsh` and `fish`; `PANEWATCH_TEST_TMUXES` is a colon-separated
//! list of further tmux binaries for the tests that run on several versions.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and its fixtures say why on stderr"
)]

mod support;

mod against_tmux;
mod command;
mod contract;
mod cursors;
mod echo;
mod ends;
mod guest;
mod invariants;
mod leaving;
mod life;
mod limits;
mod methods;
mod quiet;
mod recordings;
mod recovery;
mod rows;
mod several;
mod targets;
mod transient;
mod typing;
mod wait;
