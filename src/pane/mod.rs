//! PURE: what one pane has said.
//!
//! Bytes come in by [`stream`]; rows go out of it, each with the stream positions of its text.
//!
//! - [`row`]: a row as it was left, and which of its text is newer than a position
//! - [`mod@line`]: one line of the screen, edited by column
//! - [`screen`]: the rows of the screen and the cursor
//! - [`open`]: the row written last, and when it has been left
//! - [`mod@print`]: printing on that screen
//! - [`edit`]: erasing, inserting, deleting and scrolling on that screen
//! - [`decode`]: bytes to what they do to the screen
//! - [`charset`]: the line-drawing characters
//! - [`log`]: the rows that were left, bounded
//! - [`seed`]: a screen as tmux captured it
//! - [`echo`]: what is written because somebody typed
//! - [`recover`]: text that a capture has and the stream has not
//! - [`stream`]: all of it, for one pane

pub mod charset;
pub mod decode;
pub mod echo;
pub mod edit;
pub mod line;
pub mod log;
pub mod open;
pub mod print;
pub mod recover;
pub mod row;
pub mod screen;
pub mod seed;
pub mod stream;

pub use row::{Kind, Row, Span};
pub use seed::Seed;
pub use stream::PaneStream;
