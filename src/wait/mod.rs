//! PURE: questions about streams, and when they are answered.
//!
//! - [`cursor`]: a place in a pane's stream, as text that callers hold
//! - [`pattern`]: what a caller looks for, compiled, with its limits
//! - [`joined`]: finished rows, joined for patterns that can match a line break
//! - [`text`]: one `wait_for_text`, shown rows until one of them answers it
//! - [`answer`]: what the caller gets
//! - [`registry`]: all the waits of one server, by pane and by deadline

pub mod answer;
pub mod cursor;
pub mod joined;
pub mod pattern;
pub mod registry;
pub mod text;

pub use cursor::{Cursor, PaneLife};
pub use registry::{Answered, WaitId, Waits};
pub use text::TextWait;
