//! The prompts of conversations over HTTP: seed 002 §4, and what the issue answers in detail. The router is a function here;
//! nothing listens.

#[path = "../common/mod.rs"]
mod common;

mod bench;
mod bodies;
mod changes;
mod lists;
mod nodes;
mod outage;
mod switch;
mod turns;
