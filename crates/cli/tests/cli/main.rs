//! The command line, from outside: a sandbox, a command, what it prints and how it ends. One file per command.

mod action;
mod agents;
mod build;
mod build_request;
mod capture;
mod catalog;
mod completions;
mod conversations;
mod counting;
mod diff;
mod exec;
mod explain;
mod hook_answer;
mod init;
mod lint;
mod man;
mod mcp;
mod mcp_query;
mod mcp_serve;
mod mcp_serve_bounds;
mod mcp_server;
#[cfg(target_os = "linux")]
mod mcp_signals;
mod pi_hostile;
mod pi_project;
mod profile;
#[cfg(unix)]
mod remedies;
mod reminders;
mod render;
mod sandbox;
mod scopes;
mod scopes_hostile;
#[cfg(feature = "serve")]
mod serve;
mod settings;
mod skills;
mod stored_prompts;
mod surroundings;
mod template;
mod trust;
mod upgrade;
mod usage;
mod variables;

/// A forgotten file fails.
#[test]
fn every_file_here_is_run() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let listed = std::fs::read_to_string(here.join("main.rs")).expect("this file can be read");
    for file in std::fs::read_dir(here).expect("this directory can be read") {
        let name = file.expect("an entry").file_name().into_string().expect("a plain name");
        let name = name.trim_end_matches(".rs");
        assert!(
            name == "main" || listed.contains(&format!("mod {name};")),
            "`{name}.rs` is listed in main.rs"
        );
    }
}
