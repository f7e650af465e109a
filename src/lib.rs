//! panewatch
pub mod control;
pub mod limits;
pub mod observer;
pub mod pane;
pub mod tmux;
pub mod wait;
