//! PURE: the text of tmux's control mode, as bytes in and events out.
//!
//! - [`ids`]: panes, windows and sessions, as tmux numbers them
//! - [`unescape`]: the octal escapes of `%output`, undone in place
//! - [`layout`]: the sizes that a `%layout-change` carries
//! - [`notice`]: one `%` line that stands outside a reply
//! - [`quote`]: words for tmux's command language
//! - [`codec`]: a link's bytes to events

pub mod codec;
pub mod ids;
pub mod layout;
pub mod notice;
pub mod quote;
pub mod unescape;

pub use codec::{ControlCodec, Event, Reply};
pub use ids::{PaneId, SessionId, WindowId};
pub use notice::Notice;
