//! The files that travel inside the program: a sorted table.

use std::borrow::Cow;

type BundleTable = &'static [(&'static str, &'static [u8])];

pub(super) fn get(table: BundleTable, path: &str) -> Option<Cow<'static, [u8]>> {
    let index = table.binary_search_by_key(&path, |(name, _)| name).ok()?;
    Some(Cow::Borrowed(table[index].1))
}

pub(super) fn list(table: BundleTable, prefix: &str) -> Vec<String> {
    let start = table.partition_point(|(name, _)| *name < prefix);
    let names = table[start..].iter().map(|(name, _)| *name);
    names.take_while(|name| name.starts_with(prefix)).map(str::to_owned).collect()
}
