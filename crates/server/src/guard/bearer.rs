//! The access tokens of the store, read again every few seconds.

use jiff::{SignedDuration, Timestamp};
use preface_core::lint::hidden::escape_hidden;
use preface_engine::{
    host::system::System,
    store::{Store, StoreError, TokenRecord},
};
use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};
use tracing::warn;

/// The time after which the list is read again: a removed token is refused after it.
const FRESH: SignedDuration = SignedDuration::from_secs(3);

/// The time for which the last list is used while the store does not respond.
const OUTAGE: SignedDuration = SignedDuration::from_mins(10);

/// The pause between two readings where no request causes one, so that the list is recent when an outage begins.
pub(crate) const IDLE: Duration = Duration::from_secs(60);

/// A token with its digest in the form that is compared in constant time.
#[derive(Clone)]
pub(super) struct KnownToken {
    pub access: Arc<TokenRecord>,
    digest: blake3::Hash,
}

/// The tokens as they were read last.
#[derive(Clone)]
struct TokenSnapshot {
    tokens: Arc<[KnownToken]>,
    /// When the store returned them.
    read_at: Timestamp,
    /// When the store was read last.
    tried_at: Timestamp,
    /// True if it did not respond then.
    failed: bool,
}

impl TokenSnapshot {
    fn is_usable(&self, now: Timestamp) -> bool {
        now.duration_since(self.read_at).abs() < OUTAGE
    }

    fn is_fresh(&self, now: Timestamp) -> bool {
        // A clock that was set back makes nothing fresh.
        let age = now.duration_since(self.tried_at);
        self.is_usable(now) && !age.is_negative() && age < FRESH
    }
}

/// The tokens of a store. Where the store does not respond, those that were read last stay valid for a while.
pub(super) struct TokenList {
    store: Arc<dyn Store>,
    system: Arc<dyn System>,
    known: RwLock<Option<TokenSnapshot>>,
    /// One request reads the list, the others wait for its result.
    reading: tokio::sync::Mutex<()>,
}

impl TokenList {
    pub fn new(system: Arc<dyn System>, store: Arc<dyn Store>) -> Self {
        TokenList { store, system, known: RwLock::default(), reading: tokio::sync::Mutex::default() }
    }

    pub fn now(&self) -> Timestamp {
        self.system.now()
    }

    /// Returns the token, expired or not. It takes as long for a token that is nearly right as for any other.
    pub async fn find(&self, token: &str) -> Result<Option<KnownToken>, StoreError> {
        Ok(find(&self.current().await?, token))
    }

    /// Returns the token by the list in memory, without the store.
    pub fn find_known(&self, token: &str) -> Option<KnownToken> {
        let known = self.known().filter(|known| known.is_usable(self.now()))?;
        find(&known.tokens, token)
    }

    /// Returns the list, read again where it is too old.
    pub async fn current(&self) -> Result<Arc<[KnownToken]>, StoreError> {
        let now = self.now();
        let known = self.known().filter(|known| known.is_usable(now));
        if let Some(known) = &known
            && known.is_fresh(now)
        {
            return Ok(known.tokens.clone());
        }
        let _one = match (self.reading.try_lock(), known) {
            (Ok(one), _) => one,
            // In an outage each attempt takes long: one request makes it, the others go on.
            (Err(_), Some(known)) if known.failed => return Ok(known.tokens),
            (Err(_), _) => self.reading.lock().await,
        };
        match self.known() {
            Some(known) if known.is_fresh(self.now()) => Ok(known.tokens),
            _ => self.read().await,
        }
    }

    async fn read(&self) -> Result<Arc<[KnownToken]>, StoreError> {
        // Before the store is read: a change meanwhile is seen the next time.
        let read_at = self.now();
        let error = match self.store.accesses().await {
            Ok(list) => {
                let tokens: Arc<[KnownToken]> = list.into_iter().filter_map(KnownToken::of).collect();
                let known =
                    TokenSnapshot { tokens: tokens.clone(), read_at, tried_at: read_at, failed: false };
                self.set(known);
                return Ok(tokens);
            }
            Err(error) => error,
        };
        let now = self.now();
        let Some(known) = self.known().filter(|known| known.is_usable(now)) else { return Err(error) };
        if !known.failed {
            let reason = error.to_string();
            warn!(reason = &*escape_hidden(&reason), "cannot read the access tokens; using the last list");
        }
        let tokens = known.tokens.clone();
        self.set(TokenSnapshot { tried_at: now, failed: true, ..known });
        Ok(tokens)
    }

    fn known(&self) -> Option<TokenSnapshot> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, known: TokenSnapshot) {
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Some(known);
    }
}

impl KnownToken {
    /// Returns nothing for a digest that is none: no token matches it.
    fn of(access: TokenRecord) -> Option<Self> {
        let digest = blake3::Hash::from_hex(&access.digest).ok()?;
        Some(KnownToken { access: access.into(), digest })
    }
}

fn find(tokens: &[KnownToken], token: &str) -> Option<KnownToken> {
    let digest = blake3::hash(token.as_bytes());
    let mut found = None;
    for known in tokens {
        if known.digest == digest {
            found = Some(known.clone());
        }
    }
    found
}

impl fmt::Debug for TokenList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenList")
    }
}
