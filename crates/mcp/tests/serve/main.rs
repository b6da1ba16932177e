//! The server's protocol half: what a client of either era sees, and what a client that misbehaves does not break.

mod eras;
mod fake;
mod misbehaving;
