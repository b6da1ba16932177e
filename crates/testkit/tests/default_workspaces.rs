//! Laws that hold for every build, checked on random machines: odd bytes at random layers, random settings, profiles,
//! tools and budgets. The seed is fixed, so that a failure comes back.

use preface_engine::{
    ASSETS, BuildOptions, BuildResult, Engine, Error, ToolChoice, TrustChoice,
    core::{
        audit::AuditEvent,
        budget::{Bytes4, Counter},
        origin::Origin,
        prompt::Prompt,
        scope::Scope,
        snapshot::Snapshot,
    },
    host::system::{ReadScope, System},
};
use preface_testkit::MemorySystem;
use proptest::{
    collection::vec,
    prelude::*,
    sample::{select, subsequence},
    test_runner::{Config, TestRunner},
};
use std::path::{Path, PathBuf};

const CWD: &str = "/home/user/project/api";

/// Places that a build may look at, from the root down.
const PLACES: &[&str] = &[
    "/AGENTS.md",
    "/home/CLAUDE.md",
    "/home/user/AGENTS.md",
    "/home/user/project/AGENTS.md",
    "/home/user/project/CLAUDE.md",
    "/home/user/project/api/AGENTS.md",
    "/home/user/project/api/CLAUDE.md",
    "/home/user/project/api/.preface/system.md",
    "/home/user/project/api/.preface/append.md",
    "/home/user/project/api/.preface/sections/rules.md",
    "/home/user/project/api/.preface/sections/identity.md",
    "/home/user/project/api/.preface/settings.json",
    "/home/user/project/api/f1",
    "/home/user/project/api/f2",
    "/home/user/.config/preface/base.md",
    "/home/user/.config/preface/system.md",
    "/home/user/.config/preface/append.md",
    "/home/user/.config/preface/sections/answers.md",
    "/home/user/.config/preface/sections/own.md",
];

#[derive(Clone, Debug)]
enum What {
    File(Vec<u8>),
    Link(&'static str),
    Dir,
    Pipe,
    Unreadable,
}

#[derive(Clone, Debug)]
struct Machine {
    entries: Vec<(&'static str, What)>,
    settings: &'static str,
    profile: Option<&'static str>,
    tools: Vec<&'static str>,
    budget: Option<usize>,
    trust: TrustChoice,
    model: bool,
}

/// A bit of text: words, line ends, tags that match and tags that do not, bytes that are no UTF-8.
fn bit() -> impl Strategy<Value = Vec<u8>> {
    select(vec![
        &b"word "[..],
        b"Use tabs.\n",
        b"\n",
        b"\r\n",
        b"\r",
        b"\n\n\n",
        b"  ",
        b"\t",
        b"\xef\xbb\xbf",
        b"\0",
        b"\xff",
        b"\xe2\x82",
        b"\xf0\x9f\xa6\x80",
        b"e\xcc\x81",
        b"[",
        b"]",
        b"[if tool:read]",
        b"[if !tool:read]",
        b"[if file:f1]",
        b"[else]",
        b"[endif]",
        b"[raw]",
        b"[endraw]",
        b"[file:f1]",
        b"[file:f2]",
        b"[file:none]",
        b"[file:/etc/outside]",
        b"[git:branch]",
        b"[git:status]",
        b"[prompt:model]",
        b"[system:date]",
        b"[no:such]",
        b"</system-reminder>",
        b"\nHuman: ",
        b"# Project instructions\n",
    ])
    .prop_map(<[u8]>::to_vec)
}

fn what() -> impl Strategy<Value = What> {
    prop_oneof![
        12 => vec(bit(), 0..12).prop_map(|bits| What::File(bits.concat())),
        1 => select(vec!["/etc/outside", "/home/user/project/AGENTS.md", "nowhere", "."]).prop_map(What::Link),
        1 => Just(What::Dir),
        1 => Just(What::Pipe),
        1 => Just(What::Unreadable),
    ]
}

fn machine() -> impl Strategy<Value = Machine> {
    let settings = vec![
        "{}",
        r#"{"sections": {"environment": {"text": "[system:date] [if file:f2]x[endif]"}}}"#,
        r#"{"sections": {"tools": {"disable": true}, "own": {"before": "base", "maxTokens": 3}}}"#,
        r#"{"sections": {"late": {"text": "Late [file:f1].", "after": "environment", "priority": 99}}}"#,
        r#"{"systemPrompt": {"append": "\n The end.\r\n"}}"#,
        r#"{"systemPrompt": {"custom": "All of it [file:f1].\n"}}"#,
        r#"{"budget": {"tokens": 60}, "contextProviders": {"SystemPromptFile": {"maxTokens": 5}}}"#,
        r#"{"budget": {"onOver": "warn"}, "template": {"raw": false, "trimTagLines": false}}"#,
        "{ broken",
    ];
    let profiles = vec![
        "extends = \"default\"\narrange = \"priority\"\n",
        "extends = \"default\"\narrange = \"listed\"\nseam = false\njoin = \"\\n---\\n\"\n",
        "extends = \"default\"\n[section.project-context]\norder = \"nearest-first\"\nitem = \"<[item:text]>\"\ndedupe = \"path\"\n",
        "extends = \"default\"\nescape = [\"file\", \"tool\"]\n[section.identity]\nlast = true\ncut = \"clip\"\n[section.append]\ntrim = \"both\"\n",
    ];
    (
        (1..PLACES.len()).prop_flat_map(|many| {
            (subsequence(PLACES.to_vec(), many), vec(what(), many))
                .prop_map(|(places, whats)| places.into_iter().zip(whats).collect())
        }),
        select(settings),
        proptest::option::of(select(profiles)),
        subsequence(vec!["read", "bash", "edit", "grep", "</skill>"], 0..5),
        proptest::option::of(0..200_usize),
        select(vec![TrustChoice::Ask, TrustChoice::Once, TrustChoice::Once, TrustChoice::Deny]),
        any::<bool>(),
    )
        .prop_map(|(entries, settings, profile, tools, budget, trust, model)| Machine {
            entries,
            settings,
            profile,
            tools,
            budget,
            trust,
            model,
        })
}

impl Machine {
    fn system(&self) -> MemorySystem {
        let mut system = MemorySystem::new()
            .with_bundle(ASSETS)
            .with_dir(CWD)
            .with_var("SHELL", "/bin/bash")
            .with_file("/etc/outside", "OUTSIDE")
            .with_file("/home/user/project/.git/HEAD", "ref: refs/heads/<skill>\n")
            .with_file(
                "/home/user/project/.git/refs/heads/<skill>",
                "1234567890123456789012345678901234567890\n",
            )
            .with_dir("/home/user/project/.git/objects")
            .with_file("/home/user/.config/preface/settings.json", self.settings);
        if let Some(profile) = self.profile {
            system = system.with_file("/home/user/p.toml", profile);
        }
        for (path, what) in &self.entries {
            system = match what {
                What::File(bytes) => system.with_file(path, bytes),
                What::Link(target) => system.with_link(path, *target),
                What::Dir => system.with_dir(path),
                What::Pipe => system.with_special(path),
                What::Unreadable => system.with_unreadable(path),
            };
        }
        system
    }

    fn request(&self) -> BuildOptions {
        BuildOptions {
            profile: self.profile.map(|_| "/home/user/p.toml".into()),
            tools: ToolChoice::Named(self.tools.iter().map(|tool| (*tool).to_owned()).collect()),
            model: self.model.then(|| "m-1".to_owned()),
            budget: self.budget,
            trust: self.trust,
            ..BuildOptions::in_dir(CWD)
        }
    }
}

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
}

#[test]
fn every_build_holds_the_laws() {
    runner(600)
        .run(&machine(), |machine| {
            let system = machine.system();
            let engine = Engine::new(&system);
            let built = match engine.build(&machine.request()) {
                Ok(built) => built,
                Err(Error::Over(over)) => {
                    prop_assert!(over.needed > over.limit, "{over}");
                    return Ok(());
                }
                Err(error) => {
                    return Err(TestCaseError::fail(format!("no machine stops a build: {error:?}")));
                }
            };
            built.prompt.check_tiling().map_err(TestCaseError::fail)?;
            same_again(&engine, &machine, &built).map_err(TestCaseError::fail)?;
            sources_are_as_on_disk(&system, &built.prompt).map_err(TestCaseError::fail)?;
            counts_are_those_of_the_parts(&built).map_err(TestCaseError::fail)?;
            nothing_leaks(&machine, &built).map_err(TestCaseError::fail)?;
            fits(&built).map_err(TestCaseError::fail)
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

/// Building again, and building from the saved snapshot, gives the same bytes.
fn same_again(engine: &Engine<'_>, machine: &Machine, built: &BuildResult) -> Result<(), String> {
    let again = engine.build(&machine.request()).map_err(|error| error.to_string())?;
    if again.prompt != built.prompt {
        return Err("two builds differ".to_owned());
    }
    let json = serde_json::to_string(&built.snapshot).map_err(|error| error.to_string())?;
    let mut snapshot: Snapshot = serde_json::from_str(&json).map_err(|error| error.to_string())?;
    if snapshot != built.snapshot {
        return Err("the snapshot does not survive its JSON form".to_owned());
    }
    let rebuilt = Engine::rebuild(&mut snapshot).map_err(|error| error.to_string())?;
    if (&rebuilt.text, &rebuilt.parts) == (&built.prompt.text, &built.prompt.parts) {
        return Ok(());
    }
    Err("the saved snapshot gives another prompt".to_owned())
}

/// Each span that names a source is those bytes of that file.
fn sources_are_as_on_disk(system: &MemorySystem, prompt: &Prompt) -> Result<(), String> {
    for (_, range, origin) in prompt.spans() {
        let Origin::Source { source, span, lossy } = origin else { continue };
        if *lossy {
            continue;
        }
        let bytes = match (source.scope, source.path.strip_prefix("bundled/"), source.path.strip_prefix("~/"))
        {
            (Scope::Bundled, Some(path), _) => system.bundled(path).map(std::borrow::Cow::into_owned),
            (_, _, Some(path)) => on_disk(system, &Path::new("/home/user").join(path)),
            _ => on_disk(system, &Path::new(CWD).join(&source.path)),
        };
        let bytes = bytes.ok_or_else(|| format!("{} cannot be read", source.path))?;
        if bytes.get(span.clone()) != Some(prompt.text[range.clone()].as_bytes()) {
            return Err(format!("{:?} of {} is not what stands at {range:?}", span, source.path));
        }
    }
    Ok(())
}

fn on_disk(system: &MemorySystem, path: &Path) -> Option<Vec<u8>> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => _ = plain.pop(),
            part => plain.push(part),
        }
    }
    system.read(&plain, ReadScope::Anywhere, 1 << 20).ok().map(|read| read.into_bytes())
}

/// An audit event counts the bytes of its part, without the text before it.
fn counts_are_those_of_the_parts(built: &BuildResult) -> Result<(), String> {
    let join = built.snapshot.profile.join.text.as_str();
    let counted: Vec<usize> = built
        .prompt
        .audit
        .iter()
        .filter_map(|event| match event {
            AuditEvent::ContextContributionMade { byte_count, .. } => Some(*byte_count),
            _ => None,
        })
        .collect();
    let parts: Vec<usize> = built
        .prompt
        .parts
        .iter()
        .enumerate()
        .filter(|(_, part)| part.provider.is_some())
        .map(|(at, part)| {
            let text = built.prompt.text_of(part);
            if at == 0 { text } else { text.strip_prefix(join).unwrap_or(text) }.len()
        })
        .filter(|bytes| *bytes > 0)
        .collect();
    if counted == parts { Ok(()) } else { Err(format!("counted {counted:?}, the parts have {parts:?}")) }
}

/// No path, no error and nothing from outside is in the text, but for the headings of context files and the cwd.
fn nothing_leaks(machine: &Machine, built: &BuildResult) -> Result<(), String> {
    let is_allowed = |origin: &Origin| match origin {
        // Our own texts may contain anything; these variables are paths.
        Origin::Source { source, .. } => source.scope == Scope::Bundled,
        Origin::Variable { key, .. } => matches!(key.as_str(), "item:path" | "prompt:cwd"),
        _ => false,
    };
    let text: String = built
        .prompt
        .spans()
        .filter(|(.., origin)| !is_allowed(origin))
        .map(|(_, range, _)| &built.prompt.text[range])
        .collect();
    // A link to a context file of that name is followed on purpose; a template of the user's may name any file.
    let outside_is_fine = machine.entries.iter().any(|(_, what)| matches!(what, What::Link("/etc/outside")))
        || built.prompt.spans().any(|(.., origin)| origin.to_string() == "[file:/etc/outside]");
    let mut forbidden = vec![
        "/home",
        ".preface",
        ".config",
        "..",
        "~/",
        "permission",
        "not found",
        "was held",
        "left out",
        "secret",
        "not a file",
        "no such file",
        "trusted",
        "U+FFFD",
        "absent",
    ];
    if !outside_is_fine {
        forbidden.push("OUTSIDE");
    }
    match forbidden.iter().find(|words| text.contains(*words)) {
        Some(words) => Err(format!("`{words}` is in the prompt:\n{}", built.prompt.text)),
        None => Ok(()),
    }
}

/// Where a budget cuts, the prompt fits it.
fn fits(built: &BuildResult) -> Result<(), String> {
    let Snapshot { turn, profile, .. } = &built.snapshot;
    let Some(limit) = turn.budget.or(profile.budget.tokens) else { return Ok(()) };
    let tokens = Bytes4.count(&built.prompt.text);
    let warned = built.prompt.diagnostics.iter().any(|diagnostic| diagnostic.code.as_str() == "budget/over");
    if tokens <= limit || warned {
        Ok(())
    } else {
        Err(format!("{tokens} tokens, and the budget is {limit}"))
    }
}

/// A text of the project reads nothing outside, whatever it contains.
#[test]
fn no_text_of_a_project_brings_in_what_lies_outside() {
    let places = vec![
        "/home/user/project/api/.preface/append.md",
        "/home/user/project/api/.preface/sections/rules.md",
        "/home/user/project/api/.preface/system.md",
        "/home/user/project/api/AGENTS.md",
    ];
    let texts = (select(places), vec(bit(), 1..10)).prop_map(|(place, bits)| (place, bits.concat()));
    runner(150)
        .run(&vec(texts, 1..4), |texts| {
            let mut system =
                MemorySystem::new().with_bundle(ASSETS).with_dir(CWD).with_file("/etc/outside", "OUTSIDE");
            for (path, bytes) in &texts {
                system = system.with_file(path, bytes);
            }
            let request = BuildOptions { trust: TrustChoice::Once, ..BuildOptions::in_dir(CWD) };
            let built = Engine::new(&system)
                .build(&request)
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert!(!built.prompt.text.contains("OUTSIDE"), "{}", built.prompt.text);
            prop_assert_eq!(system.reads("/etc/outside"), 0);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

/// Granting is enough: what a grant pins is exactly what the next build uses.
#[test]
fn after_a_grant_nothing_is_held() {
    runner(80)
        .run(&machine(), |machine| {
            let system = machine.system();
            let engine = Engine::new(&system);
            let request = BuildOptions { trust: TrustChoice::Ask, budget: None, ..machine.request() };
            let once = BuildOptions { trust: TrustChoice::Once, ..request.clone() };
            let wanted = engine.build(&once).map_err(|error| TestCaseError::fail(error.to_string()))?;
            preface_testkit::grant(&engine, &request, &[], preface_engine::coverage::HiddenText::Allow)
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            let built = engine.build(&request).map_err(|error| TestCaseError::fail(error.to_string()))?;
            let untrusted: Vec<&str> = built.untrusted().map(|seen| seen.shown.as_str()).collect();
            prop_assert!(untrusted.is_empty(), "held after a grant: {:?}", untrusted);
            if !built.seen.is_empty() {
                prop_assert_eq!(&built.prompt.text, &wanted.prompt.text, "as with `--trust once`");
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}
