//! Context providers: each looks at one thing outside and says what it found.

pub mod git;
