//! JSON-RPC on the Unix socket: the only module that knows jsonrpsee's server.
//!
//! - [`serve`]: connections accepted, their peers checked
//! - [`methods`]: what can be called
//! - [`several`]: one wait over several panes
//! - [`named`]: waits that can be ended by name
//! - [`typing`]: the methods that type
//! - [`in_flight`]: what is known of a connection, beside each of its calls
//! - [`error`]: errors as they go over the wire

pub mod error;
pub mod in_flight;
pub mod methods;
pub mod named;
pub mod serve;
pub mod several;
pub mod typing;
