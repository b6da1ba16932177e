//! What is found in texts, and helpers for texts and messages.

pub mod bounded_list;
pub mod causes;
pub mod duplicate_key;
pub mod input_error;
pub mod json_type;
pub mod lint;
pub mod markdown_code;
pub mod suggestion;
