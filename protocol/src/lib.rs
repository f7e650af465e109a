//! The wire types of panewatch: what its JSON-RPC methods take and answer.
//!
//! Serde and schemars only, so that a client in Rust can use these types without the daemon's
//! dependencies. Everything is an object with named members; a member that a method does not know
//! is an error, never ignored.
//!
//! - [`target`]: how a caller names a server and a pane
//! - [`wait`]: `wait_for_text` and `cancel_wait`
//! - [`typing`]: `send_keys`, `paste_text` and `declare_input`
//! - [`panes`]: `list_panes` and `list_servers`
//! - [`mod@status`]: what the daemon is doing
//! - [`error`]: the kinds of error, their codes and their data

pub mod error;
pub mod panes;
pub mod status;
pub mod target;
pub mod typing;
pub mod wait;

/// The version of this protocol. It grows when a change could break a client.
pub const PROTOCOL: u32 = 1;

/// The names of the methods.
pub mod method {
    /// Wait until a pane writes matching text: [`crate::wait::WaitForText`] to [`crate::wait::TextAnswer`].
    pub const WAIT_FOR_TEXT: &str = "wait_for_text";
    /// End a wait by its `wait_id`: [`crate::wait::CancelWait`] to [`crate::wait::Cancelled`].
    pub const CANCEL_WAIT: &str = "cancel_wait";
    /// Type: [`crate::typing::SendKeys`] to [`crate::typing::Typed`].
    pub const SEND_KEYS: &str = "send_keys";
    /// Paste: [`crate::typing::PasteText`] to [`crate::typing::Typed`].
    pub const PASTE_TEXT: &str = "paste_text";
    /// Say what another tool types: [`crate::typing::DeclareInput`] to [`crate::typing::Typed`].
    pub const DECLARE_INPUT: &str = "declare_input";
    /// The panes of a server: [`crate::panes::ListPanes`] to [`crate::panes::Panes`].
    pub const LIST_PANES: &str = "list_panes";
    /// The servers known: [`crate::panes::ListServers`] to [`crate::panes::Servers`].
    pub const LIST_SERVERS: &str = "list_servers";
    /// What the daemon is doing: [`crate::status::GetStatus`] to [`crate::status::Status`].
    pub const STATUS: &str = "status";
}
