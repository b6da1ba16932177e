//! Thousands of extensions over three layers, one in twenty of them broken, resolved in one pass.

use crate::{
    Bench, BenchError,
    harness::{closure, interleave},
    table::{Bar, Table},
};
use preface_engine::{ASSETS, BuildOptions, Engine, TrustChoice, core::extension::Category};
use preface_host::system::testing::MemorySystem;

pub const BENCH: Bench = Bench {
    name: "extensions",
    about: "`Engine::scopes` over three layers with 500, 1,000 and 2,000 extensions, 5 % of them broken.",
    run,
};

/// The sizes, by the names that the bar uses.
const SIZES: [(&str, usize); 3] = [("500", 500), ("1,000", 1000), ("2,000", 2000)];

/// The limit of the cost of four times as many: linear, and room for caches that no longer hold them.
const AT_MOST: f64 = 5.0;

fn run(rounds: Option<usize>) -> Result<Vec<Table>, BenchError> {
    let machines: Vec<(&str, usize, MemorySystem)> =
        SIZES.iter().map(|(name, count)| (*name, *count, machine(*count))).collect();
    for (_, count, machine) in &machines {
        let scopes = Engine::new(machine)
            .look(&request())
            .and_then(|build| build.scopes())
            .map_err(|error| BenchError::Failed(error.to_string()))?;
        let ours = scopes.scopes.entries.iter().filter(|entry| entry.name.starts_with("e-")).count();
        let broken = scopes.scopes.startup().error_count;
        if ours != *count || broken == 0 {
            return Err(BenchError::Failed(format!("{ours} of {count} extensions, {broken} errors")));
        }
    }
    let contestants = machines
        .iter()
        .map(|(name, _, machine)| {
            closure(*name, move || {
                Engine::new(machine)
                    .look(&request())
                    .and_then(|build| build.scopes())
                    .map(|report| report.scopes.entries.len())
            })
        })
        .collect();
    let bar = Bar { of: "2,000", to: "500", at_most: AT_MOST };
    let measured = interleave(contestants, rounds.unwrap_or(31));
    Ok(vec![Table::new("extensions over three layers", measured, vec![bar])])
}

fn request() -> BuildOptions {
    BuildOptions {
        preset: Some("stud".to_owned()),
        trust: TrustChoice::Once,
        now: Some("2026-01-02T03:04:05Z".into()),
        ..BuildOptions::in_dir("/home/user/project")
    }
}

/// A machine in memory: what is measured is the resolver, not a disk. A third of the extensions in each layer, in all
/// categories; every second name of a layer is also in the one above.
fn machine(count: usize) -> MemorySystem {
    let shipped =
        ASSETS.iter().fold(MemorySystem::new(), |machine, (path, bytes)| machine.with_bundled(*path, *bytes));
    let mut machine = shipped.with_dir("/home/user/project");
    for number in 0..count {
        let category = Category::ALL[number % Category::ALL.len()];
        let layer = ["bundled", "global", "project"][number / Category::ALL.len() % 3];
        let id = format!("e-{}", number / 2);
        let id = if number % 2 == 0 { id } else { format!("{id}-{number}") };
        let description = if number % 20 == 0 { "5" } else { "\"What it does.\"" };
        let version = if number % 20 == 0 { "2.0.0" } else { "1.0.0" };
        let manifest = format!(
            r#"{{"id": "{id}", "category": "{category}", "contractVersion": "{version}", "requiredCoreVersion": ">=1.0.0", "description": {description}, "slot": "TOOL_CALL/pre"}}"#
        );
        let path = format!("extensions/{category}/{id}/manifest.json");
        machine = match layer {
            "bundled" => machine.with_bundled(path, manifest.into_bytes()),
            "global" => machine.with_file(format!("/home/user/.stud/{path}"), &manifest),
            _ => machine.with_file(format!("/home/user/project/.stud/{path}"), &manifest),
        };
    }
    machine
}
