//! Values made of files of the bundled layer, each made once in a process.
//!
//! A value is found by the bytes of the files that it was made of: a machine with other files gets another value.

use crate::system::System;
use std::{
    borrow::{Borrow, Cow},
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// A file of the bundled layer: its path and bytes.
pub(crate) type BundledFile = (String, Cow<'static, [u8]>);

/// A value with the files that it was made of.
type MemoEntry<T> = (Vec<BundledFile>, Arc<T>);

/// Values by key, each with the files that it was made of.
pub(crate) struct Memo<K, T> {
    kept: Mutex<BTreeMap<K, MemoEntry<T>>>,
    /// The largest number of values.
    most: usize,
}

impl<K: Ord, T> Memo<K, T> {
    pub(crate) const fn new(most: usize) -> Self {
        Memo { kept: Mutex::new(BTreeMap::new()), most }
    }

    /// Returns the value of a key if the bundled files that it was made of are unchanged.
    pub(crate) fn get<Q>(&self, key: &Q, system: &dyn System) -> Option<Arc<T>>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let kept = self.kept.lock().ok()?;
        let (files, value) = kept.get(key)?;
        let is_same = |(path, bytes): &BundledFile| {
            let here = system.bundled(path);
            here.is_some_and(|here| std::ptr::eq(here.as_ref(), bytes.as_ref()) || here == *bytes)
        };
        files.iter().all(is_same).then(|| value.clone())
    }

    /// Stores the value of a key. If there is no room, all other values are removed first.
    pub(crate) fn put(&self, key: K, files: Vec<BundledFile>, value: Arc<T>) {
        let Ok(mut kept) = self.kept.lock() else { return };
        if kept.len() >= self.most && !kept.contains_key(&key) {
            kept.clear();
        }
        kept.insert(key, (files, value));
    }
}
