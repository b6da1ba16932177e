//! Imported prompt catalogs: one template for each prompt, and the values of the names in it.
//!
//! `preface-catalog` converts the files of a catalog to templates with `[catalog:KEY]` and `[if catalog:!!KEY]`;
//! the contents are a [`CatalogIndex`]. [`Bindings`] are what a profile has for each KEY; [`Bindings::apply`] puts
//! them into a template. The result is a text like any other.

mod bind;
mod binding;
mod index;

pub use bind::UnboundKeys;
pub use binding::{Binding, Bindings};
pub use index::{CatalogEntry, CatalogIndex, Generation, INDEX_FORMAT};

/// The type of the keys in a converted template.
pub const KIND: &str = "catalog";
/// What is before the KEY of a condition.
pub const CONDITION: &str = "!!";
