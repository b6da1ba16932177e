//! The template language: `[type:name]` and `[if type:name]…[else]…[endif]`.
//!
//! [`Template::parse`] turns a text into a flat list of operations, once. [`Template::render`] walks that list and
//! passes the keys that it reaches, the bytes of the template and the tags of values to an [`Output`], in order.
//! Values are written, never read for tags. [`parse_template`] is all of it in one pure function.
//!
//! Everything outside of tags is text, byte for byte: nothing in a template is an error, except its size and its depth.

mod blocks;
mod error;
mod lines;
mod literal;
mod ops;
mod options;
mod parse;
mod position;
mod render;
mod scan;
mod tiles;
mod utf16;
mod white;

pub use blocks::StrayReason;
pub use error::TemplateError;
pub use literal::literal;
pub use options::TemplateOptions;
pub use parse::Template;
pub use position::{Locator, TextPosition};
pub use render::{Output, parse_template};
pub use tiles::{Branch, Tile, TileKind};
pub use utf16::Utf16;

pub(crate) use blocks::{Tag, TagRole};
pub(crate) use scan::find_endraw;
pub(crate) use white::is_white;
pub use white::trim;
