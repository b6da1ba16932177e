//! The prompts of conversations over HTTP: when each is built, read, replaced and refused. The router is a function here;
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
