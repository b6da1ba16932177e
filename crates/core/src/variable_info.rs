//! The registered variables: what a tag of a template and a condition can name beside a profile's options and a caller's own
//! types. Their values come from providers outside of the core.

use crate::variable::Stability;

/// The description of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableInfo {
    /// The type.
    pub kind: &'static str,
    /// The name, or a placeholder if any name is valid.
    pub name: &'static str,
    /// True if any name is valid.
    pub dynamic: bool,
    /// One sentence.
    pub about: &'static str,
    /// An example of a value.
    pub example: &'static str,
    /// The period for which a value stays the same.
    pub stability: Stability,
    /// The cost of looking up a value, for display.
    pub cost: &'static str,
}

/// The registered variables, in the order in which `preface list variables` lists those that are not of the first ten.
pub const REGISTERED: &[VariableInfo] = &[
    system(
        "time",
        "Current time in UTC, ISO 8601 with milliseconds",
        "2026-03-07T14:55:05.000Z",
        Stability::Turn,
        "free",
    ),
    system(
        "date",
        "Current day in UTC; `system:local_date` is the day where the machine is",
        "2026-03-07",
        Stability::Turn,
        "free",
    ),
    system(
        "os",
        "Operating system: `linux`, `darwin`, `win32` and so on",
        "linux",
        Stability::Static,
        "free",
    ),
    system("hostname", "Name of the machine", "workshop", Stability::Static, "free"),
    system(
        "local_date",
        "Current day in the machine's time zone",
        "2026-03-07",
        Stability::Turn,
        "the zone's file",
    ),
    system(
        "local_time",
        "Current time in the machine's time zone, with its offset from UTC",
        "2026-03-07T08:55:05-06:00",
        Stability::Turn,
        "the zone's file",
    ),
    system(
        "long_time",
        "Current day and time in English words, with the time zone",
        "Saturday, March 7, 2026 at 08:55:05 AM CST",
        Stability::Turn,
        "the zone's file",
    ),
    system(
        "timezone",
        "Name of the machine's time zone",
        "America/Chicago",
        Stability::Conversation,
        "the zone's file",
    ),
    system("month", "Current month and year in UTC, in English", "March 2026", Stability::Turn, "free"),
    system("shell", "Name of the user's shell", "bash", Stability::Static, "free"),
    system("year", "Current year in UTC", "2026", Stability::Turn, "free"),
    of_turn("prompt", "cwd", "Working directory of the conversation", "/home/ada/engine"),
    of_turn("prompt", "model", "Name of the model that answers; absent where none is given", "some-model-1"),
    of_turn("prompt", "conversation_id", "Id of the conversation; absent where none is given", "c-42"),
    of_turn(
        "prompt",
        "cwd_slashes",
        "Working directory with `/` between its parts on every system",
        "C:/engine",
    ),
    of_turn(
        "prompt",
        "global_dir",
        "Directory of the user's own settings and texts, with `/` between its parts",
        "/home/ada/.config/preface",
    ),
    VariableInfo {
        dynamic: true,
        stability: Stability::Conversation,
        ..of_turn("tool", "<name>", "Exists while the tool of that name is active; its value is empty", "")
    },
    VariableInfo {
        kind: "git",
        name: "branch",
        dynamic: false,
        about: "Current git branch; `HEAD` when detached, absent outside of a repository and before the first commit",
        example: "main",
        stability: Stability::Conversation,
        cost: "two small files",
    },
    VariableInfo {
        kind: "git",
        name: "status",
        dynamic: false,
        about: "Changed files, as `git status --short` lists them; empty if there are no changes, absent outside a repository",
        example: " M src/lib.rs",
        stability: Stability::Turn,
        cost: "a walk over the work tree",
    },
    VariableInfo {
        kind: "file",
        name: "<path>",
        dynamic: true,
        about: "Text of a file: a path inside the working directory, or an absolute one",
        example: "docs/rules.md",
        stability: Stability::Conversation,
        cost: "one file",
    },
    VariableInfo {
        kind: "project_file",
        name: "<path>",
        dynamic: true,
        about: "What `file:` is in a text that a project wrote: inside the working directory only",
        example: "docs/rules.md",
        stability: Stability::Conversation,
        cost: "one file",
    },
    VariableInfo {
        kind: "agents",
        name: "own",
        dynamic: false,
        about: "The agents that you and the project have defined, one line each; absent if there are none",
        example: "- reviewer: Reads a change and finds what is wrong with it.",
        stability: Stability::Conversation,
        cost: "reads agents/*.md",
    },
    VariableInfo {
        kind: "agents",
        name: "own.<name>",
        dynamic: true,
        about: "The line of one of these agents, whatever the case of its name; absent if there is none",
        example: "- reviewer: Reads a change and finds what is wrong with it.",
        stability: Stability::Conversation,
        cost: "reads agents/*.md",
    },
];

const fn system(
    name: &'static str,
    about: &'static str,
    example: &'static str,
    stability: Stability,
    cost: &'static str,
) -> VariableInfo {
    VariableInfo { kind: "system", name, dynamic: false, about, example, stability, cost }
}

const fn of_turn(
    kind: &'static str,
    name: &'static str,
    about: &'static str,
    example: &'static str,
) -> VariableInfo {
    VariableInfo {
        kind,
        name,
        dynamic: false,
        about,
        example,
        stability: Stability::Conversation,
        cost: "free",
    }
}
