//! JSON-RPC on the Unix socket: the only module that knows jsonrpsee's server.
//!
//! - [`serve`]: connections accepted, their peers checked
//! - [`methods`]: what can be called
//! - [`named`]: waits that can be ended by name
//! - [`in_flight`]: how many calls one connection may have under way
//! - [`error`]: errors as they go over the wire

pub mod error;
pub mod in_flight;
pub mod methods;
pub mod named;
pub mod serve;
