//! Errors as they go over the wire: a code, a message, and data that programs can use.

use jsonrpsee::types::ErrorObjectOwned;
use panewatch_protocol::error::{ErrorData, ErrorKind};

use crate::observer::ObserverError;
use crate::wait::text::QuestionError;

/// An error of a kind.
pub fn error(kind: ErrorKind, message: impl Into<String>) -> ErrorObjectOwned {
    ErrorObjectOwned::owned(kind.code(), message, Some(ErrorData::from(kind)))
}

/// An argument that cannot be used.
pub fn invalid(message: impl Into<String>) -> ErrorObjectOwned {
    error(ErrorKind::InvalidArgument, message)
}

impl From<ObserverError> for ErrorObjectOwned {
    fn from(e: ObserverError) -> Self {
        error(e.kind, e.message)
    }
}

impl From<QuestionError> for ErrorObjectOwned {
    fn from(e: QuestionError) -> Self {
        error(e.kind(), e.to_string())
    }
}
