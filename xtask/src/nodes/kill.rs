//! Nodes that die in the middle of their work: what was acknowledged is there, what is there is whole.

use super::{
    Size,
    cluster::Cluster,
    dice::Dice,
    load::{FEW, Load},
    read_back,
};
use crate::failure::Failure;
use std::{thread, time::Duration};

/// Kills nodes under load. Returns the figures.
pub fn run(cluster: &Cluster, size: &Size) -> Result<String, Failure> {
    let load = Load::new(cluster, FEW);
    load.during(|| {
        let mut dice = Dice::new(1);
        for _ in 0..size.kills {
            thread::sleep(Duration::from_millis(50 + dice.below(250) as u64));
            cluster.kill(dice.below(cluster.len()))?;
        }
        thread::sleep(Duration::from_millis(200));
        Ok::<(), Failure>(())
    })?;
    let mut ledger = load.ledger();
    read_back::all(cluster, &load.counts, &mut ledger);
    if let Some(faults) = ledger.faults() {
        return Err(Failure::new(format!(
            "not everything outlived the kills:{faults}{}",
            cluster.last_log_lines()
        )));
    }
    Ok(format!(
        "{} nodes; {} kills; {} conversations, {} prompts, {} versions of the template acknowledged; {}, {} retries",
        cluster.len(),
        size.kills,
        ledger.begun().len(),
        ledger.built(),
        ledger.versions().len(),
        load.counts,
        load.retries()
    ))
}
