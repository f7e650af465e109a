//! Talks to tmux: the only module that opens tmux's socket or starts its binary.
//!
//! - [`endpoint`]: which socket, and which server answers on it
//! - [`imsg`]: PURE: the messages of tmux's own client protocol
//! - [`peer`]: a connection that speaks them
//! - [`command`]: one command, run without a process
//! - [`typing`]: typing into a pane
//! - [`link`]: one control-mode connection to one session, of either kind
//! - [`direct`]: the link that is opened without tmux's binary; the default
//! - [`process`]: the link that tmux's binary opens
//! - [`drain`]: the thread that reads every link, whatever else happens

pub mod command;
pub mod direct;
pub mod drain;
pub mod endpoint;
pub mod imsg;
pub mod link;
pub mod peer;
pub mod process;
pub mod typing;

pub use command::TmuxError;
pub use drain::Drain;
pub use endpoint::{Endpoint, Identity, Version};
pub use link::{FromLink, LinkEnd, LinkHandle, LinkId, LinkKind};
