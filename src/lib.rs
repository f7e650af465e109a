//! panewatch
pub mod control;
pub mod limits;
pub mod pane;
pub mod wait;
