//! The order of the parts for each pair of conditions, compared with a model that knows nothing of profiles: the tables of
//! the specification, written down once more.
use preface_engine::{ASSETS, BuildOptions, Engine, ToolChoice};
use preface_testkit::MemorySystem;
use std::collections::BTreeSet;

/// What can be true or false, a bit each.
#[derive(Clone, Copy, Debug)]
struct Conditions(u32);

impl Conditions {
    const COUNT: u32 = 11;

    /// Returns combinations in which each pair of conditions has all four of its states: none, all, and for each digit of
    /// the conditions' numbers those in which it is 1 and those in which it is 0. Two numbers differ in one digit at least.
    ///
    /// Pairs are enough: a part is there for one condition alone, and of two parts the order decides which comes first,
    /// whatever else is there. So a fault is one of a condition or of two, and each of these is in some combination.
    fn pairs() -> Vec<Conditions> {
        let having = |holds: &dyn Fn(u32) -> bool| {
            Conditions((0..Self::COUNT).filter(|bit| holds(*bit)).fold(0, |bits, bit| bits | 1 << bit))
        };
        let mut rows = vec![having(&|_| false), having(&|_| true)];
        for digit in 0..u32::BITS - (Self::COUNT - 1).leading_zeros() {
            rows.push(having(&|bit| bit >> digit & 1 == 1));
            rows.push(having(&|bit| bit >> digit & 1 == 0));
        }
        rows
    }

    fn has(self, bit: u32) -> bool {
        self.0 & (1 << bit) != 0
    }

    fn sessions(self) -> bool {
        self.has(0)
    }
    fn memory(self) -> bool {
        self.has(1)
    }
    fn glob(self) -> bool {
        self.has(2)
    }
    fn grep(self) -> bool {
        self.has(3)
    }
    fn edit(self) -> bool {
        self.has(4)
    }
    fn todo(self) -> bool {
        self.has(5)
    }
    fn servers(self) -> bool {
        self.has(6)
    }
    fn commands(self) -> bool {
        self.has(7)
    }
    fn instructions(self) -> bool {
        self.has(8)
    }
    fn style(self) -> bool {
        self.has(9)
    }
    fn append(self) -> bool {
        self.has(10)
    }
}

type Row = (&'static str, fn(Conditions) -> bool);

fn always(_: Conditions) -> bool {
    true
}

/// Section 4 of the seed, step by step. The security policy is text of `main` and is not repeated.
const SEED: &[Row] = &[
    ("main", always),
    ("censoring-policy", always),
    ("environment", always),
    ("past-sessions", Conditions::sessions),
    ("agent-memory", Conditions::memory),
    ("glob-docs", Conditions::glob),
    ("grep-docs", Conditions::grep),
    ("search-replace", Conditions::edit),
    ("todo", Conditions::todo),
    ("mcp-servers", Conditions::servers),
    ("slash-commands", Conditions::commands),
    ("conversational-style", always),
    ("proactive-suggestions", always),
    ("respect-conventions", always),
    ("tool-use-formatting", always),
    ("verify-with-tools", always),
    ("do-not-litter", always),
    ("large-files", always),
    ("file-read-limits", always),
    ("claude-md", Conditions::instructions),
    ("output-style", Conditions::style),
    ("append", Conditions::append),
];

/// Table 3.1 of the seed, row by row; what it does not list stays last.
const CATALOG: &[Row] = &[
    ("main", always),
    ("past-sessions", Conditions::sessions),
    ("agent-memory", Conditions::memory),
    ("censoring-policy", always),
    ("claude-md", Conditions::instructions),
    ("conversational-style", always),
    ("slash-commands", Conditions::commands),
    ("do-not-litter", always),
    ("environment", always),
    ("file-read-limits", always),
    ("glob-docs", Conditions::glob),
    ("grep-docs", Conditions::grep),
    ("large-files", always),
    ("mcp-servers", Conditions::servers),
    ("proactive-suggestions", always),
    ("respect-conventions", always),
    ("search-replace", Conditions::edit),
    ("todo", Conditions::todo),
    ("tool-use-formatting", always),
    ("verify-with-tools", always),
    ("output-style", Conditions::style),
    ("append", Conditions::append),
];

fn machine(conditions: Conditions) -> MemorySystem {
    let mut system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_dir("/home/user/.claude")
        .with_dir("/work")
        .with_current_dir("/work");
    if conditions.servers() {
        let servers = r#"{"mcpServers": {"docs": {"command": "docs-server"}}}"#;
        let recorded = r#"{"tools": [{"name": "find"}]}"#;
        system = system
            .with_file("/home/user/.claude/mcp.json", servers)
            .with_file("/home/user/.claude/mcp-descriptions/docs.json", recorded);
    }
    if conditions.commands() {
        system = system.with_file("/work/.claude/commands/ship.md", "Ship it.\n");
    }
    if conditions.instructions() {
        system = system.with_file("/work/CLAUDE.md", "Use tabs.\n");
    }
    system
}

fn request(order: &str, conditions: Conditions) -> BuildOptions {
    let tools = [
        ("Glob", conditions.glob()),
        ("Grep", conditions.grep()),
        // The seed's name of the tool, and the tool's own, in turn.
        (if conditions.has(2) { "FileEdit" } else { "Edit" }, conditions.edit()),
        ("TodoWrite", conditions.todo()),
        ("mcp__docs__find", conditions.servers()),
    ];
    let mut sets = vec![format!("order={order}")];
    let mut set = |holds: bool, what: &str| sets.extend(holds.then(|| what.to_owned()));
    set(conditions.sessions(), "sessions=true");
    set(conditions.memory(), "memory=true");
    set(conditions.style(), "outputStyle=Concise");
    set(conditions.append(), "systemPrompt.append=Be kind.");
    BuildOptions {
        preset: Some("claude-code".into()),
        tools: ToolChoice::Named(
            tools.into_iter().filter(|(_, active)| *active).map(|(name, _)| name.to_owned()).collect(),
        ),
        sets,
        now: Some("2026-03-07T14:55:05Z".into()),
        ..BuildOptions::in_dir("/work")
    }
}

fn compare(order: &str, rows: &[Row]) {
    for conditions in Conditions::pairs() {
        let system = machine(conditions);
        let built = Engine::new(&system)
            .build(&request(order, conditions))
            .unwrap_or_else(|error| panic!("{conditions:?}: {error}"));
        let parts: Vec<&str> = built.prompt.parts.iter().map(|part| part.section.as_str()).collect();
        let model: Vec<&str> =
            rows.iter().filter(|(_, holds)| holds(conditions)).map(|(id, _)| *id).collect();
        assert_eq!(parts, model, "{conditions:?}");
        // Whatever is not there is accounted for, and nothing is both.
        let absent: Vec<&str> = built.prompt.absent.iter().map(|absent| absent.section.as_str()).collect();
        for (id, holds) in rows {
            assert_eq!(absent.contains(id), !holds(conditions), "`{id}` of {conditions:?}");
        }
        assert!(absent.contains(&"security-policy"), "the merged part is listed");
        for part in &built.prompt.parts[1..] {
            let text = built.prompt.text_of(part);
            assert!(
                text.starts_with("\n\n") && !text.starts_with("\n\n\n"),
                "`{}` has one gap",
                part.section
            );
        }
    }
}

#[test]
fn each_pair_of_conditions_has_all_four_states() {
    let rows = Conditions::pairs();
    for (one, other) in (0..Conditions::COUNT).flat_map(|one| (0..one).map(move |other| (one, other))) {
        let states: BTreeSet<_> = rows.iter().map(|row| (row.has(one), row.has(other))).collect();
        assert_eq!(states.len(), 4, "{one} and {other}");
    }
}

#[test]
fn the_seeds_order_holds_for_each_pair() {
    compare("seed", SEED);
}

#[test]
fn the_catalogs_order_holds_for_each_pair() {
    compare("catalog", CATALOG);
}

/// What never changes is before what belongs to the conversation, in the seed's order on either side.
/// What `stable-first` puts first is the same whichever tools are active.
#[test]
fn the_stable_prefix_does_not_depend_on_tools() {
    let system = machine(Conditions(0));
    let build = |tools: ToolChoice| {
        let request = BuildOptions { tools, ..request("stable-first", Conditions(0)) };
        Engine::new(&system).build(&request).expect("it builds").prompt
    };
    let all = build(ToolChoice::Profile);
    let of_static = |part: &&preface_engine::core::prompt::Part| {
        part.stability == preface_engine::core::variable::Stability::Static
    };
    let prefix = all.parts.iter().filter(of_static).map(|part| part.range.end).max().unwrap_or_default();
    assert!(prefix > 4_000, "{prefix} bytes");
    for tools in [vec![], vec!["Read".to_owned()], vec!["Glob".to_owned(), "Task".to_owned()]] {
        let other = build(ToolChoice::Named(tools));
        assert_eq!(other.text.get(..prefix), all.text.get(..prefix));
    }
}

#[test]
fn stable_first_moves_parts_by_their_stability_alone() {
    for conditions in Conditions::pairs() {
        let system = machine(conditions);
        let build = |order| {
            let built = Engine::new(&system).build(&request(order, conditions)).expect("it builds");
            built.prompt.parts
        };
        let mut model = build("seed");
        let last = |id: &str| id == "append";
        model.sort_by_key(|part| (last(part.section.as_str()), part.stability));
        let model: Vec<String> = model.iter().map(|part| part.section.to_string()).collect();
        let parts: Vec<String> = build("stable-first").iter().map(|part| part.section.to_string()).collect();
        assert_eq!(parts, model, "{conditions:?}");
    }
}
