//! The owner: one task per tmux server, which owns everything known about it.
//!
//! - [`servers`]: the observers of this daemon, one per socket
//! - [`handle`]: what others hold of an observer: questions in, answers out
//! - [`task`]: the loop of that task
//! - [`asking`]: questions on their way to a stream
//! - [`links`]: links opened, answered and lost
//! - [`captures`]: how a pane is captured
//! - [`panes`]: the panes whose streams are kept, and their streams fed
//! - [`fate`]: what becomes of panes
//! - [`typists`]: what is typed into panes, one thing at a time
//! - [`topology`]: PURE: what `list-panes` says
//! - [`target`]: PURE: which pane a caller means
//! - [`alarms`]: what is to be done later
//! - [`life`]: when a pane's program ends

pub mod alarms;
pub mod asking;
pub mod captures;
pub mod fate;
pub mod handle;
pub mod life;
pub mod links;
pub mod panes;
pub mod servers;
pub mod target;
pub mod task;
pub mod topology;
pub mod typists;

pub use handle::{Handle, ObserverError, Typing, Waiting};
pub use servers::{Servers, Settings};
