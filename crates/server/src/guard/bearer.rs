//! The access tokens that the store knows, looked up again every few seconds.

use preface::store::{Role, Store, StoreError};
use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, Instant},
};

/// How long a token that was taken away may still be let in.
const FRESH: Duration = Duration::from_secs(3);

/// Who a token stands for.
#[derive(Clone)]
pub(super) struct Door {
    pub name: Arc<str>,
    pub role: Role,
    digest: blake3::Hash,
}

/// Knows the tokens. Where the store cannot be asked, nobody is let in.
pub(super) struct Doors {
    store: Arc<dyn Store>,
    known: RwLock<Option<(Instant, Arc<[Door]>)>>,
    /// One asks the store, the others wait for what it hears.
    asking: tokio::sync::Mutex<()>,
}

impl Doors {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Doors { store, known: RwLock::default(), asking: tokio::sync::Mutex::default() }
    }

    /// Returns who a token stands for. It takes as long for a token that is nearly right as for any other.
    pub async fn of(&self, token: &str) -> Result<Option<Door>, StoreError> {
        let digest = blake3::hash(token.as_bytes());
        let doors = match self.fresh() {
            Some(doors) => doors,
            None => self.ask().await?,
        };
        let mut found = None;
        for door in doors.iter() {
            if door.digest == digest {
                found = Some(door.clone());
            }
        }
        Ok(found)
    }

    fn fresh(&self) -> Option<Arc<[Door]>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().filter(|(at, _)| at.elapsed() < FRESH).map(|(_, doors)| doors.clone())
    }

    async fn ask(&self) -> Result<Arc<[Door]>, StoreError> {
        let _one = self.asking.lock().await;
        if let Some(doors) = self.fresh() {
            return Ok(doors);
        }
        let at = Instant::now();
        let doors: Arc<[Door]> = self
            .store
            .accesses()
            .await?
            .into_iter()
            .filter_map(|access| {
                let digest = blake3::Hash::from_hex(&access.digest).ok()?;
                Some(Door { name: access.name.into(), role: access.role, digest })
            })
            .collect();
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some((at, doors.clone()));
        Ok(doors)
    }
}

impl fmt::Debug for Doors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Doors")
    }
}
