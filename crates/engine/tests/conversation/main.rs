//! Construct once: a prompt is built on the first turn, kept, and built again only at a compaction or where
//! somebody asks. With a machine and a store in memory.

mod bench;
mod compactions;
mod extension;
mod input_cache;
mod model;
mod once;
mod places;
mod races;
mod records;
mod refreshes;
mod requests;
mod templates;
mod trust;
