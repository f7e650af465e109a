//! Waits that were given a name, so that `cancel_wait` can end them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

/// The named waits of this daemon. A lock and not a task: it is held for a look-up.
#[derive(Debug, Clone, Default)]
pub struct NamedWaits {
    by_name: Arc<Mutex<HashMap<String, CancellationToken>>>,
}

impl NamedWaits {
    /// Gives a wait its name for as long as the guard lives. `None`: another wait has it.
    pub fn name(&self, name: &str) -> Option<Named> {
        let mut by_name = self.by_name.lock().unwrap_or_else(PoisonError::into_inner);
        if by_name.contains_key(name) {
            return None;
        }
        let cancelled = CancellationToken::new();
        by_name.insert(name.to_owned(), cancelled.clone());
        Some(Named { waits: self.clone(), name: name.to_owned(), cancelled })
    }

    /// Ends the wait with a name. Answers whether there was one.
    pub fn cancel(&self, name: &str) -> bool {
        let by_name = self.by_name.lock().unwrap_or_else(PoisonError::into_inner);
        by_name.get(name).map(CancellationToken::cancel).is_some()
    }
}

/// The name of a wait, held while it waits.
#[derive(Debug)]
pub struct Named {
    waits: NamedWaits,
    name: String,
    cancelled: CancellationToken,
}

impl Named {
    /// Cancelled when the wait is ended by name.
    pub fn token(&self) -> CancellationToken {
        self.cancelled.clone()
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        self.waits.by_name.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_free_again_when_its_wait_is_over() {
        let waits = NamedWaits::default();
        let named = waits.name("a").unwrap();
        assert!(waits.name("a").is_none());
        assert!(waits.cancel("a") && named.cancelled.is_cancelled());
        drop(named);
        assert!(!waits.cancel("a"));
        assert!(waits.name("a").is_some());
    }
}
