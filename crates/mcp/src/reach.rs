//! Whom to talk to, for how long, and how much of an answer to take.

use crate::Stop;
use preface_core::mcp_servers::Want;
use std::{path::PathBuf, time::Duration};

/// A server to talk to. Its values are ready to use: nothing here is expanded.
#[derive(Clone)]
pub struct Target {
    /// Its name in `mcp.json`.
    pub name: String,
    /// How it is reached.
    pub reach: Reach,
    /// How long all of it may take, from start to goodbye.
    pub deadline: Duration,
    /// What is wanted of it beside its lists.
    pub wants: Vec<Want>,
}

/// How a server is reached.
#[derive(Clone)]
pub enum Reach {
    /// A program to start. It gets these variables and no others.
    Program {
        /// The program.
        command: String,
        /// Its arguments. Nothing passes through a shell.
        args: Vec<String>,
        /// Its whole environment.
        env: Vec<(String, String)>,
        /// The directory that it runs in.
        cwd: PathBuf,
    },
    /// An address that speaks streamable HTTP.
    Address {
        /// The address.
        url: String,
        /// The headers of each request. They may be secrets.
        headers: Vec<(String, String)>,
    },
}

/// How much of an answer is taken, and whether asking may be stopped. Each limit of size that is reached is a note.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most bytes that a server may send in all.
    pub bytes: usize,
    /// The most tools, prompts and resources that are listed, each.
    pub items: usize,
    /// The most bytes of a prompt's messages or a resource's contents.
    pub fetched: usize,
    /// Ends asking early. Nobody stops the default one.
    pub stop: Stop,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 8 << 20, items: 1000, fetched: 1 << 20, stop: Stop::default() }
    }
}
