//! The process: one per user, and how it begins and ends.
//!
//! - [`instance`]: who is the daemon, and the socket that only it may have
//! - [`run`]: the parts put together, and taken apart in order

pub mod instance;
pub mod run;
