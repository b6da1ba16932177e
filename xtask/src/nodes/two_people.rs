//! Two people in two browsers write into one template, while connections drop and nodes change: each word is in a version or in a draft. The people are
//! `web/tools/two-people.mjs`.

use super::{Size, cluster::Cluster};
use crate::{failure::Failure, web};
use std::process::Command;

/// Lets two people write. Returns the figures.
pub fn run(cluster: &Cluster, size: &Size) -> Result<String, Failure> {
    web::install()?;
    web::ensure_chromium()?;
    let mut people = Command::new("node");
    people.current_dir(web::directory()).arg("tools/two-people.mjs");
    people.arg(size.seconds.to_string()).arg(size.seed.to_string());
    people.args((0..cluster.len()).map(|node| cluster.addresses.get(node).to_string()));
    let output = people.output().map_err(|error| Failure::start("node", &error))?;
    let figures = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if let Some(node) = cluster.stopped_node() {
        return Err(Failure::new(format!("node {node} is not running any more{}", cluster.last_log_lines())));
    }
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::new(format!("{figures}\n{}{}", why.trim(), cluster.last_log_lines())));
    }
    Ok(format!("{} nodes; {figures}", cluster.len()))
}
