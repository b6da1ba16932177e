//! A store in one file.
