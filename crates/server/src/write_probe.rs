//! A probe for writes to the store. The service writes to it every few seconds, and `/readyz`
//! reports the result: a full disk, a read-only server and a table that is locked are invisible to reads.

use preface_core::lint::hidden::escape_hidden;
use preface_engine::store::{Store, StoreError};
use std::{
    sync::{PoisonError, RwLock},
    time::Duration,
};
use tracing::{info, warn};

/// The pause between two probes.
const PAUSE: Duration = Duration::from_secs(5);

/// The timeout of a probe.
const PATIENCE: Duration = Duration::from_secs(5);

/// The result of the last probe; nothing before the first.
#[derive(Debug, Default)]
pub(crate) struct WriteProbe(RwLock<Option<StoreError>>);

impl WriteProbe {
    /// Probes for as long as it is polled.
    pub async fn repeat(&self, store: &dyn Store) {
        loop {
            self.once(store).await;
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Writes to the store and keeps the result. The log has each change.
    pub async fn once(&self, store: &dyn Store) {
        let late = || StoreError::Busy(format!("a write took longer than {} s", PATIENCE.as_secs()));
        let failure =
            tokio::time::timeout(PATIENCE, store.probe()).await.unwrap_or_else(|_| Err(late())).err();
        let former =
            std::mem::replace(&mut *self.0.write().unwrap_or_else(PoisonError::into_inner), failure.clone());
        match (former, failure) {
            (None, Some(error)) => {
                let reason = error.to_string();
                warn!(
                    reason = &*escape_hidden(&reason),
                    "the store rejects writes; the service is not ready"
                );
            }
            (Some(_), None) => info!("the store accepts writes again"),
            _ => {}
        }
    }

    /// Returns why the last probe failed.
    pub fn failure(&self) -> Option<StoreError> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
