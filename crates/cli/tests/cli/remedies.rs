//! Every command and flag that a help names works as it is printed: a state, a preset that reports it, what is printed, run,
//! and the report is gone.

use crate::{
    catalog::{BELL, README},
    mcp_query::FAKE,
    sandbox::Sandbox,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::symlink,
};

const PRESETS: [&str; 5] = ["default", "claude-code", "pi", "stud", "template"];

/// A state of a project or a home: how it is made, and the call that reports it.
struct State {
    name: &'static str,
    make: fn(&Sandbox, &str),
    call: &'static str,
}

const STATES: [State; 31] = [
    State {
        name: "a text",
        make: |sandbox, _| texts(sandbox, "Use tabs.\n"),
        call: "build --set trust.mode=pinned",
    },
    State {
        name: "a changed text",
        make: |sandbox, preset| {
            texts(sandbox, "Use tabs.\n");
            sandbox.run(&format!("preface trust grant --preset {preset} --set trust.mode=pinned"));
            texts(sandbox, "Use blanks.\n");
        },
        call: "build --set trust.mode=pinned",
    },
    State { name: "a project as a whole", make: project, call: "build --set trust.mode=whole" },
    State {
        name: "a changed project",
        make: |sandbox, preset| {
            project(sandbox, preset);
            sandbox.run(&format!("preface trust grant --preset {preset} --set trust.mode=whole"));
            sandbox.work(&format!("{}/append.md", directory(preset)), "Be long.\n");
        },
        call: "build --set trust.mode=whole",
    },
    State {
        name: "a server of the project",
        make: |sandbox, preset| servers(sandbox, &format!("work/{}", directory(preset))),
        call: "mcp refresh",
    },
    State {
        name: "a server of the project whose list is granted",
        make: |sandbox, preset| {
            servers(sandbox, &format!("work/{}", directory(preset)));
            sandbox.run(&format!("preface trust grant --preset {preset}"));
        },
        call: "mcp refresh",
    },
    State {
        name: "a server that was never asked",
        make: |sandbox, preset| servers(sandbox, &format!("home/{}", home(preset))),
        call: "build --profile [ROOT]/servers.toml",
    },
    State {
        name: "a server that is switched off",
        make: |sandbox, preset| {
            servers(sandbox, &format!("home/{}", home(preset)));
            let off = r#"{"mcpServers": {"fake": {"disable": true}}}"#;
            sandbox.work(&format!("{}/mcp.json", directory(preset)), off);
            sandbox.run(&format!("preface trust grant --preset {preset}"));
        },
        call: "mcp refresh fake",
    },
    State {
        name: "a link that leads outside",
        make: |sandbox, _| {
            fs::write(sandbox.path("outside.md"), "Use tabs.\n").expect("a file");
            for name in ["AGENTS.md", "CLAUDE.md"] {
                symlink(sandbox.path("outside.md"), sandbox.path("work").join(name)).expect("a link");
            }
        },
        call: "build --set trust.mode=none",
    },
    State {
        name: "a budget",
        make: |sandbox, _| texts(sandbox, &"Use tabs. ".repeat(500)),
        call: "build --budget 600 --set trust.mode=none",
    },
    State { name: "an agent that nobody has", make: |_, _| {}, call: "build --agent nobody" },
    State {
        name: "a catalog that is not imported",
        make: |sandbox, _| {
            sandbox.work("catalog/README.md", README).work("catalog/system-prompts/bell.md", BELL);
        },
        call: "build --set catalog=1.2.3",
    },
    State {
        name: "another catalog of an imported version",
        make: |sandbox, preset| {
            catalog(sandbox, preset);
            sandbox.work("catalog/system-prompts/bell.md", BELL.replace("Never", "Always"));
        },
        call: "catalog import catalog",
    },
    State {
        name: "a catalog that was changed after its import",
        make: |sandbox, preset| {
            catalog(sandbox, preset);
            let file = sandbox.path("home/.local/state/preface/catalogs/1.2.3.json");
            fs::write(file, "Changed.\n").expect("a file");
        },
        call: "catalog show 1.2.3 'Tool Description: Bell'",
    },
    State {
        name: "a prompt that a catalog does not have",
        make: catalog,
        call: "catalog show 1.2.3 'Tool Description: Bel'",
    },
    State {
        name: "more agents than are listed",
        make: |sandbox, preset| {
            for number in 0..200 {
                let agent =
                    format!("---\nname: a{number}\ndescription: {}\n---\n\nLook.\n", "long ".repeat(99));
                sandbox.home(&format!("{}/agents/a{number}.md", home(preset)), &agent);
            }
        },
        call: "build",
    },
    State {
        name: "a budget that an estimate is near to",
        make: |sandbox, _| {
            let text = "Use tabs. ".repeat(500);
            let profile = format!("[orders]\nmain = [\"all\"]\n\n[section.all]\ntext = \"{text}\"\n");
            fs::write(sandbox.path("near.toml"), profile).expect("a profile");
        },
        call: "build --profile [ROOT]/near.toml --budget 1300 --set budget.onOver=warn --tokenizer estimate:gpt",
    },
    State {
        name: "a server that is slow",
        make: |sandbox, preset| {
            servers(sandbox, &format!("home/{}", home(preset)));
            fs::write(sandbox.path("fake/mode"), "slow\n").expect("a file");
        },
        call: "mcp refresh --timeout 0.3",
    },
    State {
        name: "a denied project that is trusted",
        make: |sandbox, preset| {
            texts(sandbox, "Use tabs.\n");
            sandbox.run(&format!("preface trust grant --preset {preset} --set trust.mode=pinned"));
        },
        call: "build --set trust.mode=pinned --trust deny",
    },
    State {
        name: "a text that the pins of the call do not have",
        make: |sandbox, preset| {
            texts(sandbox, "Use tabs.\n");
            let mode = format!("--preset {preset} --set trust.mode=pinned");
            sandbox.run(&format!("preface trust grant {mode}"));
            sandbox.work("pins.json", sandbox.run(&format!("preface trust export {mode}")).stdout);
            sandbox.run(&format!("preface trust revoke {mode}"));
            texts(sandbox, "Use blanks.\n");
        },
        call: "build --set trust.mode=pinned --trust-pins pins.json",
    },
    State {
        name: "a git directory",
        make: |sandbox, _| {
            sandbox.work("HEAD", "ref: refs/heads/main\n").work("objects/x", "").work("refs/x", "");
        },
        call: "build",
    },
    State {
        name: "a template that is too large",
        make: |sandbox, preset| {
            sandbox.home(&settings_of(preset), r#"{"template": {"maxBytes": 10}}"#);
        },
        call: "build",
    },
    State {
        name: "a template that is too deep",
        make: |sandbox, preset| {
            sandbox.home(&settings_of(preset), r#"{"template": {"maxDepth": 1}}"#);
            let nested = "[if system:date][if system:date]now[/if][/if]\n";
            sandbox.home(&format!("{}/append.md", home(preset)), nested);
        },
        call: "build",
    },
    State {
        name: "switches for a tool and a server that nobody has",
        make: |sandbox, preset| {
            let (tools, servers) =
                (r#"{"tools": {"ghost": {"disable": true}}}"#, r#"{"ghost": {"disable": true}}"#);
            sandbox.home(&settings_of(preset), tools);
            sandbox.home(&format!("{}/mcp.json", home(preset)), servers);
        },
        call: "list extensions",
    },
    State {
        name: "a tool that is switched off",
        make: |sandbox, preset| {
            let settings = r#"{"tools": {"bash": {"disable": true}}}"#;
            sandbox.home(&settings_of(preset), settings);
        },
        call: "build --tools bash",
    },
    State {
        name: "an agent with a tool that nobody has",
        make: |sandbox, preset| {
            let agent = "---\nname: a\ndescription: It looks.\ntools: Ghost\n---\n\nLook.\n";
            sandbox.home(&format!("{}/agents/a.md", home(preset)), agent);
        },
        call: "build --agent a",
    },
    State {
        name: "a home inside of the project",
        make: |sandbox, _| {
            repository(sandbox, ".git", "main");
            fs::remove_file(sandbox.path(".git/refs/heads/main")).expect("a file");
        },
        call: "build",
    },
    State {
        name: "an order of hooks",
        make: |sandbox, preset| {
            for name in ["one", "two"] {
                let manifest = format!(
                    r#"{{"id": "{name}", "category": "hooks", "contractVersion": "1.0.0", "slot": "TOOL_CALL/pre",
                        "requiredCoreVersion": ">=1.0.0 <2.0.0", "command": ["/bin/true"]}}"#
                );
                sandbox.home(&format!("{}/extensions/hooks/{name}/manifest.json", home(preset)), &manifest);
            }
            let order = r#"{"hooks": {"TOOL_CALL/pre": ["two", "one"]}}"#;
            sandbox.work(&format!("{}/ordering.json", directory(preset)), order);
            sandbox.run(&format!("preface trust grant --preset {preset}"));
        },
        call: "list extensions",
    },
    State {
        name: "another branch",
        make: |sandbox, preset| {
            repository(sandbox, "work/.git", "main");
            sandbox.run(&format!("preface trust grant --preset {preset} --set trust.mode=pinned"));
            repository(sandbox, "work/.git", &"other-".repeat(20));
        },
        call: "build --set trust.mode=pinned",
    },
    State {
        name: "a section that is replaced",
        make: |sandbox, preset| {
            let home = home(preset);
            sandbox.home(&format!("{home}/base.md"), "Help.\n");
            sandbox.home(&format!("{home}/sections/identity.md"), "You help.\n");
        },
        call: "build",
    },
    State {
        name: "a program of the project",
        make: |sandbox, preset| {
            let manifest = r#"{"id": "speaker", "category": "contextProviders", "contractVersion": "1.0.0",
                "requiredCoreVersion": ">=1.0.0 <2.0.0", "command": ["/bin/echo", "Hello."]}"#;
            let directory = directory(preset);
            sandbox.work(&format!("{directory}/extensions/contextProviders/speaker/manifest.json"), manifest);
            sandbox.run(&format!("preface trust grant --preset {preset}"));
        },
        call: "build",
    },
];

/// Writes what a repository on a branch has at least.
fn repository(sandbox: &Sandbox, directory: &str, branch: &str) {
    let dir = sandbox.path(directory);
    for name in ["objects", "refs/heads"] {
        fs::create_dir_all(dir.join(name)).expect("a directory");
    }
    fs::write(dir.join("HEAD"), format!("ref: refs/heads/{branch}\n")).expect("a file");
    fs::write(dir.join("refs/heads").join(branch), format!("{}\n", "a".repeat(40))).expect("a file");
}

/// Writes a catalog and imports it.
fn catalog(sandbox: &Sandbox, _: &str) {
    sandbox.work("catalog/README.md", README).work("catalog/system-prompts/bell.md", BELL);
    sandbox.run("preface catalog import catalog").exits(0);
}

fn texts(sandbox: &Sandbox, text: &str) {
    sandbox.work("AGENTS.md", text).work("CLAUDE.md", text);
}

fn project(sandbox: &Sandbox, preset: &str) {
    texts(sandbox, "Use tabs.\n");
    sandbox.work(&format!("{}/append.md", directory(preset)), "Be brief.\n");
}

/// Returns the project's directory of a preset.
fn directory(preset: &str) -> &'static str {
    match preset {
        "claude-code" => ".claude",
        "pi" => ".sf",
        "stud" => ".stud",
        _ => ".preface",
    }
}

/// Returns the user's directory of a preset.
fn home(preset: &str) -> &'static str {
    match preset {
        "claude-code" => ".claude",
        "pi" => ".sf/agent",
        "stud" => ".stud",
        _ => ".config/preface",
    }
}

/// Returns the user's settings file of a preset.
fn settings_of(preset: &str) -> String {
    let name = if matches!(preset, "claude-code" | "pi") { "preface.json" } else { "settings.json" };
    format!("{}/{name}", home(preset))
}

/// Writes a list of servers with one in it, which works.
fn servers(sandbox: &Sandbox, directory: &str) {
    let fake = sandbox.path("fake");
    fs::create_dir_all(&fake).expect("a directory");
    for (name, text) in [("fake.sh", FAKE), ("mode", "good\n"), ("tools", "[]")] {
        fs::write(fake.join(name), text).expect("a file");
    }
    let list = serde_json::json!({"mcpServers": {"fake": {
        "command": "/bin/sh", "args": [fake.join("fake.sh"), &fake],
    }}});
    fs::create_dir_all(sandbox.path(directory)).expect("a directory");
    fs::write(sandbox.path(directory).join("mcp.json"), list.to_string()).expect("a file");
    let section = "[orders]\nmain = [\"servers\"]\n\n[section.servers]\nfill = \"mcp-servers\"\n";
    let directory =
        directory.strip_prefix("home/").map(|own| format!("home = {{ global = [\"~/{own}\"] }}\n"));
    let profile = format!("{}\n{section}", directory.unwrap_or_default());
    fs::write(sandbox.path("servers.toml"), profile).expect("a profile");
}

/// A code and one of the commands or flags that its help names.
type Printed = (String, String);

/// Returns the codes that a call reports, with each command and flag that their helps name.
fn printed(sandbox: &Sandbox, call: &str) -> (Vec<String>, Vec<Printed>) {
    let ran = sandbox.run(&format!("preface {call} -v"));
    let words = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut codes = Vec::new();
    let mut all = Vec::new();
    let starts = ["error: ", "warning: ", "info: "];
    let mut rest = words.as_str();
    while let Some(at) = starts.iter().filter_map(|start| rest.find(start).map(|at| at + start.len())).min() {
        rest = &rest[at..];
        let end = starts.iter().filter_map(|start| rest.find(start)).min().unwrap_or(rest.len());
        let one = &rest[..end];
        let code = one.split(" [").filter_map(|rest| Some(rest.split_once(']')?.0));
        let code = code.filter(|code| code.contains('/') && !code.contains(' ')).last().unwrap_or_default();
        codes.push(code.to_owned());
        let help = one.split_once("help: ").map_or("", |(_, help)| help);
        for command in help.split('`').skip(1).step_by(2) {
            if command.starts_with("preface ") || command.starts_with("--") {
                all.push((code.to_owned(), command.to_owned()));
            }
        }
    }
    (codes, all)
}

/// The commands that change what is reported. The others show it.
const MENDS: [&str; 6] =
    ["trust grant", "mcp refresh", "catalog import", "config set", "config init", "catalog delete"];

/// What is printed where: the state, the code if it has one, the remedy without the flags of the call, the presets.
const PRINTED: &str = "\
a budget that an estimate is near to | budget/near | --tokenizer o200k | default claude-code pi stud template
a budget | budget/cut | preface explain | default
a budget | budget/dropped | preface explain --absent | default pi
a catalog that is not imported |  | preface catalog import catalog | claude-code
a catalog that was changed after its import |  | preface catalog import catalog | claude-code
a changed project | trust/changed | preface trust grant | default
a changed text | trust/untrusted | --trust once | default claude-code pi template
a changed text | trust/untrusted | preface trust grant | default claude-code pi template
a denied project that is trusted | trust/untrusted | --trust deny | default claude-code pi template
a git directory | git/no-work-tree | --variable git:branch=main | default claude-code
a home inside of the project | git/no-commit | --variable git:branch=main | default claude-code
a home inside of the project | layer/inside-project | --trust-home | default claude-code pi stud template
a link that leads outside | file/outside | --follow [ROOT]/outside.md | default claude-code pi
a link that leads outside | template/file | --follow [ROOT]/outside.md | template
a program of the project | extension/needs-grant | preface trust grant --allow-commands | default claude-code pi stud
a project as a whole | trust/untrusted | --trust once | default claude-code pi stud
a project as a whole | trust/untrusted | preface trust grant | default claude-code pi stud
a prompt that a catalog does not have |  | preface catalog list 1.2.3 | claude-code
a section that is replaced | section/not-in-order | preface explain --absent | default
a server of the project whose list is granted | extension/needs-grant | preface trust grant --allow-commands | default claude-code pi stud
a server of the project | scaffold/skipped | preface config init | stud
a server of the project | trust/untrusted | --trust once | default claude-code pi stud
a server of the project | trust/untrusted | preface trust grant | default claude-code pi stud
a server that is slow | mcp/late | --timeout 60 | default claude-code pi stud template
a server that is switched off | mcp/inactive | preface list --why servers/fake | default claude-code pi stud
a server that was never asked | mcp/no-recording | preface mcp refresh fake --profile [ROOT]/servers.toml | default claude-code pi stud template
a template that is too deep |  | --set template.maxDepth=0 | claude-code
a template that is too deep |  | preface config set template.maxDepth 0 | claude-code
a template that is too large |  | --set template.maxBytes=0 | default claude-code pi template
a template that is too large |  | preface config set template.maxBytes 0 | default claude-code pi template
a text that the pins of the call do not have | trust/untrusted | preface trust export | default claude-code pi template
a text that the pins of the call do not have | trust/untrusted | preface trust grant | default claude-code pi template
a text | trust/untrusted | --trust once | default claude-code pi template
a text | trust/untrusted | preface trust grant | default claude-code pi template
a tool that is switched off | tool/left-out | preface list --why tools/bash | default pi stud template
an agent that nobody has |  | preface list agents | claude-code
an agent with a tool that nobody has | agent/tool | preface list tools | claude-code
an order of hooks |  | preface list hooks | default claude-code pi stud
another branch | trust/branch | --trust once | default claude-code
another branch | trust/branch | preface trust grant | default claude-code
another catalog of an imported version |  | --replace | claude-code
more agents than are listed | agents/cut | preface list agents | claude-code
switches for a tool and a server that nobody has | mcp/unknown | preface list servers | default claude-code pi stud template
switches for a tool and a server that nobody has | scope/unknown | preface list tools | default claude-code pi stud template
";

/// Returns a call with a flag, which takes the place of the same one. One that is in the call already is to be left out.
fn with_flag(call: &str, flag: &str) -> String {
    let name = flag.split(' ').next().unwrap_or_default();
    let mut words: Vec<&str> = call.split(' ').collect();
    let is_single = ["--timeout", "--tokenizer", "--trust"].contains(&name);
    if let Some(at) = words.iter().position(|word| is_single && *word == name) {
        words.drain(at..at + 2);
    }
    if !call.contains(flag) {
        words.push(flag);
    }
    words.join(" ")
}

#[test]
fn what_a_help_names_works_in_each_preset() {
    let mut rows: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for state in &STATES {
        for preset in PRESETS {
            // A catalog is not of a preset.
            let is_catalog = state.call.starts_with("catalog");
            if is_catalog && preset != "claude-code" {
                continue;
            }
            let call = match is_catalog || state.call.contains("--profile") {
                true => state.call.to_owned(),
                false => format!("{} --preset {preset}", state.call),
            };
            let sandbox = || {
                let sandbox = Sandbox::empty();
                (state.make)(&sandbox, preset);
                sandbox
            };
            let remedies: BTreeSet<Printed> = printed(&sandbox(), &call).1.into_iter().collect();
            for (code, remedy) in remedies {
                let sandbox = sandbox();
                let remedy = remedy.replace("=VALUE", "=main").replace("DIR", "catalog");
                let after = match remedy.strip_prefix("preface ") {
                    None => printed(&sandbox, &with_flag(&call, &remedy)).0,
                    Some(command) => {
                        sandbox.run(&remedy).exits(0);
                        match MENDS.iter().any(|mend| command.starts_with(mend)) {
                            true => printed(&sandbox, &call).0,
                            false => Vec::new(),
                        }
                    }
                };
                assert!(!after.contains(&code), "{} ({preset}): {remedy}: {after:?}", state.name);
                let verb = remedy.split(" --preset").next().unwrap_or_default();
                rows.entry(format!("{} | {code} | {verb}", state.name)).or_default().push(preset);
            }
        }
    }
    let rows = rows.iter().map(|(row, presets)| format!("{row} | {}\n", presets.join(" ")));
    assert_eq!(rows.collect::<String>(), PRINTED);
}
