//! The directories of a turn, and what is in them.

pub mod discover;
pub mod places;
pub mod scaffold;
pub mod settings_file;
pub mod work_tree;
