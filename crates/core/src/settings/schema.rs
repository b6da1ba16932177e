//! The schema of settings, as data. Reading, merging, `--set` and the reference page all follow this list.

use super::{key_path::KeyPath, own::SystemPromptFileSettings};
use crate::suggestion::quoted;

/// One key of an object.
#[derive(Clone, Copy, Debug)]
pub struct SchemaField {
    /// The key.
    pub name: &'static str,
    /// The description for the reference page, one sentence.
    pub about: &'static str,
    /// The shape of its value. `null` is always valid: it is a value that overrides.
    pub shape: ValueShape,
    /// The permission of a project to set it.
    pub project: ProjectRule,
}

/// The permission of a project to set a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectRule {
    /// The project's value is used.
    May,
    /// The project's value is ignored with a warning.
    MayNot,
}

/// The valid values of a setting, and the rule for merging the values of two layers.
#[derive(Clone, Copy, Debug)]
pub enum ValueShape {
    /// Anything; objects merge deeply.
    Any,
    /// A string.
    Text,
    /// A string that is a file's path: not blank, at most 4096 characters, no `..` component.
    Path,
    /// `true` or `false`.
    Flag,
    /// An integer, at least `least` if that is set.
    Integer {
        /// The minimum.
        least: Option<i64>,
    },
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// An array of strings.
    Texts(ListMerge),
    /// A condition over variables. An invalid one stays, so that what it belongs to is left out instead of always used.
    Condition,
    /// An object with known keys.
    Record(&'static [SchemaField], UnlistedKeys),
    /// An object with known keys, or a string as a short form of an object with one key.
    Short {
        /// The key of the short form.
        key: &'static str,
        /// The known keys; others are dropped with an error.
        fields: &'static [SchemaField],
    },
    /// An object whose keys are ids or names of the user's choosing.
    ById {
        /// The shape of each entry.
        entry: &'static ValueShape,
        /// The shapes of entries whose ids preface defines.
        known: &'static [(&'static str, &'static ValueShape)],
        /// The rule for merging two layers' entries of one id.
        entries: EntryMerge,
    },
    /// The settings of a built-in extension: known keys only; an invalid value of a layer falls back to the
    /// next lower valid one. Validated when layers are merged.
    Fallback(&'static [SchemaField]),
}

/// The rule for merging two layers' arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListMerge {
    /// The later one is used.
    Replace,
    /// The later one is appended; the first of equal items stays.
    Append,
}

/// The rule for merging two layers' entries of one id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryMerge {
    /// Key by key, at every level.
    Deep,
    /// The later one is used.
    Whole,
}

/// The treatment of unknown keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnlistedKeys {
    /// Unknown keys are dropped with an error.
    Refused,
    /// Unknown keys stay, for others to interpret.
    Kept,
}

impl ValueShape {
    /// Returns the shape of the value under `key` of an object of this shape; `None` if the key is invalid.
    #[must_use]
    pub fn under(&self, key: &str) -> Option<ValueShape> {
        let field =
            |fields: &[SchemaField]| fields.iter().find(|field| field.name == key).map(|field| field.shape);
        match self {
            ValueShape::Any | ValueShape::Condition => Some(ValueShape::Any),
            ValueShape::Record(fields, UnlistedKeys::Kept) => Some(field(fields).unwrap_or(ValueShape::Any)),
            ValueShape::Record(fields, UnlistedKeys::Refused)
            | ValueShape::Fallback(fields)
            | ValueShape::Short { fields, .. } => field(fields),
            ValueShape::ById { entry, known, .. } => {
                let own = known.iter().find(|(id, _)| *id == key).map(|(_, shape)| **shape);
                Some(own.unwrap_or(**entry))
            }
            _ => None,
        }
    }

    /// Returns the keys that are known below an object of this shape.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let (fields, known): (&'static [SchemaField], &'static [(&'static str, &'static ValueShape)]) =
            match self {
                ValueShape::Record(fields, _)
                | ValueShape::Fallback(fields)
                | ValueShape::Short { fields, .. } => (fields, &[]),
                ValueShape::ById { known, .. } => (&[], known),
                _ => (&[], &[]),
            };
        fields.iter().map(|field| field.name).chain(known.iter().map(|(id, _)| *id))
    }

    /// Describes the valid values for a message: `an integer of 0 or more`.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            ValueShape::Any => "anything".to_owned(),
            ValueShape::Text | ValueShape::Path => "a string".to_owned(),
            ValueShape::Flag => "true or false".to_owned(),
            ValueShape::Integer { least: Some(least) } => format!("an integer of {least} or more"),
            ValueShape::Integer { least: None } => "an integer".to_owned(),
            ValueShape::Choice(words) => {
                format!("one of {}", quoted(*words))
            }
            ValueShape::Texts(_) => "an array of strings".to_owned(),
            ValueShape::Condition => "an object with `all`, `any` or `none`".to_owned(),
            ValueShape::Record(..) | ValueShape::ById { .. } | ValueShape::Fallback(_) => {
                "an object".to_owned()
            }
            ValueShape::Short { .. } => "a string or an object".to_owned(),
        }
    }
}

/// Returns the shape of the value at a path of settings; `None` if the path is invalid.
///
/// ```
/// use preface_core::settings::{shape_at, ValueShape};
/// assert!(matches!(shape_at(&"budget.tokens".parse().unwrap()), Some(ValueShape::Integer { .. })));
/// assert!(shape_at(&"budget.tokns".parse().unwrap()).is_none());
/// ```
#[must_use]
pub fn shape_at(path: &KeyPath) -> Option<ValueShape> {
    path.keys().iter().try_fold(ROOT, |shape, key| shape.under(key))
}

/// Returns the permission of a project to set a setting.
///
/// ```
/// use preface_core::settings::{project_may, ProjectRule};
/// assert_eq!(project_may(&"sections.style.text".parse().unwrap()), ProjectRule::May);
/// assert_eq!(project_may(&"budget.tokens".parse().unwrap()), ProjectRule::MayNot);
/// ```
#[must_use]
pub fn project_may(path: &KeyPath) -> ProjectRule {
    let mut shape = ROOT;
    for key in path.keys() {
        if let ValueShape::Record(fields, _) | ValueShape::Fallback(fields) | ValueShape::Short { fields, .. } =
            shape
            && fields.iter().any(|field| field.name == key && field.project == ProjectRule::MayNot)
        {
            return ProjectRule::MayNot;
        }
        match shape.under(key) {
            Some(below) => shape = below,
            None => return ProjectRule::May,
        }
    }
    ProjectRule::May
}

const fn may(name: &'static str, about: &'static str, shape: ValueShape) -> SchemaField {
    SchemaField { name, about, shape, project: ProjectRule::May }
}

const fn may_not(name: &'static str, about: &'static str, shape: ValueShape) -> SchemaField {
    SchemaField { name, about, shape, project: ProjectRule::MayNot }
}

/// All settings: an object with these keys and no others.
pub const ROOT: ValueShape = ValueShape::Record(TOP, UnlistedKeys::Refused);

/// The top-level keys, those of `stud` and preface's own.
pub const TOP: &[SchemaField] = &[
    may(
        "active",
        "Names the extension that is active where only one can be.",
        ValueShape::Record(ACTIVE, UnlistedKeys::Refused),
    ),
    may_not("budget", "Limits the size of the prompt.", ValueShape::Record(BUDGET, UnlistedKeys::Refused)),
    may_not("claudeMd", "Gives managed instructions that are read before every CLAUDE.md.", ValueShape::Text),
    may_not(
        "claudeMdExcludes",
        "Lists files of instructions that are left out, as globs.",
        ValueShape::Texts(ListMerge::Append),
    ),
    may("commands", "Configures or disables commands by name.", EXTENSIONS),
    may("contextProviders", "Configures or disables context providers by name.", CONTEXT_PROVIDERS),
    may("env", "Gives environment values to a host; they never reach a prompt.", ENV),
    may("hooks", "Configures or disables hooks by name.", EXTENSIONS),
    may_not("lint", "Sets what `preface lint` leaves out.", ValueShape::Record(LINT, UnlistedKeys::Refused)),
    may("loggers", "Configures or disables loggers by name.", EXTENSIONS),
    may("logging", "Configures logging.", ValueShape::Record(&[], UnlistedKeys::Kept)),
    may_not("options", "Sets options of the profile by name.", OPTIONS),
    may_not("outputStyle", "Names the output style.", ValueShape::Text),
    may_not("preset", "Names the preset to build with.", ValueShape::Text),
    may_not("profile", "Names the profile file to build with.", ValueShape::Text),
    may("providers", "Configures or disables model providers by name.", PROVIDERS),
    may("sections", "Adds, changes or disables sections of the prompt.", SECTIONS),
    may(
        "securityMode",
        "Sets what is allowed without asking.",
        ValueShape::Record(SECURITY_MODE, UnlistedKeys::Refused),
    ),
    may("sessionStores", "Configures or disables session stores by name.", EXTENSIONS),
    may("stateMachines", "Configures or disables state machines by name.", EXTENSIONS),
    may(
        "systemPrompt",
        "Replaces the base prompt or appends to it; a string is short for `custom`.",
        ValueShape::Short { key: "custom", fields: SYSTEM_PROMPT },
    ),
    may_not("template", "Limits templates.", ValueShape::Record(TEMPLATE, UnlistedKeys::Refused)),
    may("tools", "Configures or disables tools by name.", EXTENSIONS),
    may_not("trust", "Sets how project files are trusted.", ValueShape::Record(TRUST, UnlistedKeys::Refused)),
    may("ui", "Configures or disables user interfaces by name.", EXTENSIONS),
    may_not("variables", "Gives variables of the profile by `type:name`.", OPTIONS),
];

const ACTIVE: &[SchemaField] = &[
    may("attachedSM", "Names the state machine.", ValueShape::Text),
    may("interactor", "Names the user interface.", ValueShape::Text),
    may("provider", "Names the model provider.", ValueShape::Text),
    may("sessionStore", "Names the session store.", ValueShape::Text),
];

const BUDGET: &[SchemaField] = &[
    may(
        "onOver",
        "Sets what happens to a prompt over the limit.",
        ValueShape::Choice(&["cut", "error", "warn"]),
    ),
    may("tokens", "Sets the limit in tokens.", ValueShape::Integer { least: Some(0) }),
];

const DISABLE: SchemaField = may("disable", "Removes the entry of lower layers.", ValueShape::Flag);

const EXTENSION: ValueShape = ValueShape::Record(&[DISABLE], UnlistedKeys::Kept);

const EXTENSIONS: ValueShape = ValueShape::ById { entry: &EXTENSION, known: &[], entries: EntryMerge::Deep };

const PROVIDERS: ValueShape = ValueShape::ById { entry: &EXTENSION, known: &[], entries: EntryMerge::Whole };

const CONTEXT_PROVIDERS: ValueShape = ValueShape::ById {
    entry: &EXTENSION,
    known: &[(SystemPromptFileSettings::KEYS[1], &ValueShape::Fallback(SYSTEM_PROMPT_FILE))],
    entries: EntryMerge::Deep,
};

/// The fields of `contextProviders.SystemPromptFile`.
pub(super) const SYSTEM_PROMPT_FILE: &[SchemaField] = &[
    DISABLE,
    may("enabled", "Sets whether the provider is active.", ValueShape::Flag),
    may(
        "maxTokens",
        "Sets the ceiling of both files together, in tokens.",
        ValueShape::Integer { least: Some(0) },
    ),
    may("paths", "Overrides where the files are.", ValueShape::Record(PATHS, UnlistedKeys::Refused)),
    may(
        "priority",
        "Breaks ties when the budget is tight; the higher number wins.",
        ValueShape::Integer { least: None },
    ),
];

const PATHS: &[SchemaField] = &[
    may_not("global", "Overrides the user's file.", ValueShape::Path),
    may("project", "Overrides the project's file.", ValueShape::Path),
];

const ENV: ValueShape = ValueShape::ById { entry: &ValueShape::Text, known: &[], entries: EntryMerge::Deep };

const LINT: &[SchemaField] = &[may(
    "ignore",
    "Lists, by the code of a finding, the files in which it is accepted, as globs of the paths that `preface lint` prints.",
    LINT_IGNORE,
)];

const LINT_IGNORE: ValueShape =
    ValueShape::ById { entry: &ValueShape::Texts(ListMerge::Append), known: &[], entries: EntryMerge::Deep };

const OPTIONS: ValueShape =
    ValueShape::ById { entry: &ValueShape::Any, known: &[], entries: EntryMerge::Whole };

const SECTIONS: ValueShape = ValueShape::ById {
    entry: &ValueShape::Record(SECTION, UnlistedKeys::Refused),
    known: &[],
    entries: EntryMerge::Deep,
};

const SECTION: &[SchemaField] = &[
    may("after", "Names the section that this one follows.", ValueShape::Text),
    may("before", "Names the section that this one precedes.", ValueShape::Text),
    may("disable", "Removes the section.", ValueShape::Flag),
    may("file", "Names the file with the text.", ValueShape::Text),
    may("language", "Sets how the text is parsed.", ValueShape::Choice(&["template", "verbatim"])),
    may("maxTokens", "Sets the section's ceiling in tokens.", ValueShape::Integer { least: Some(0) }),
    may(
        "priority",
        "Breaks ties when the budget is tight; the higher number wins.",
        ValueShape::Integer { least: None },
    ),
    may(
        "stability",
        "Sets how long the text stays the same.",
        ValueShape::Choice(&["conversation", "static", "turn"]),
    ),
    may("text", "Gives the text.", ValueShape::Text),
    may("when", "Gives the condition under which the section is there.", ValueShape::Condition),
];

const SECURITY_MODE: &[SchemaField] = &[
    may(
        "allowlist",
        "Lists what may run without a question; layers add to it.",
        ValueShape::Texts(ListMerge::Append),
    ),
    may(
        "mode",
        "Names the mode; a project may only tighten it.",
        ValueShape::Choice(&["allowlist", "ask", "yolo"]),
    ),
];

const SYSTEM_PROMPT: &[SchemaField] = &[
    may("append", "Is appended to the prompt.", ValueShape::Text),
    may_not("combine", "Lets `append` follow `custom`, too.", ValueShape::Flag),
    may("custom", "Replaces the base prompt.", ValueShape::Text),
    may_not("preset", "Names the preset to build with, as `preset` does.", ValueShape::Text),
    may_not("type", "Marks the name of a preset.", ValueShape::Choice(&["preset"])),
];

const TEMPLATE: &[SchemaField] = &[
    may(
        "maxBytes",
        "Limits the size of a template; 0 means no limit. A rendered prompt has at most 64 MiB, unless it is 0.",
        ValueShape::Integer { least: Some(0) },
    ),
    may("maxDepth", "Limits the nesting; 0 means no limit.", ValueShape::Integer { least: Some(0) }),
    may("raw", "Sets whether `[raw]` is a tag.", ValueShape::Flag),
    may("trimTagLines", "Sets whether lines with only a tag are removed.", ValueShape::Flag),
];

const TRUST: &[SchemaField] = &[
    may(
        "follow",
        "Lists files and directories that links of a project may lead to; absolute, or from `~/`.",
        ValueShape::Texts(ListMerge::Append),
    ),
    may("hardLinks", "Reads files with several names also where they are refused.", ValueShape::Flag),
    may("mode", "Sets how project files are trusted.", ValueShape::Choice(&["none", "pinned", "whole"])),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(at: &str, shape: ValueShape, visit: &mut dyn FnMut(&str, &[SchemaField])) {
        match shape {
            ValueShape::Record(fields, _)
            | ValueShape::Fallback(fields)
            | ValueShape::Short { fields, .. } => {
                visit(at, fields);
                for field in fields {
                    walk(&format!("{at}/{}", field.name), field.shape, visit);
                }
            }
            ValueShape::ById { entry, known, .. } => {
                walk(&format!("{at}/*"), *entry, visit);
                for (id, shape) in known {
                    walk(&format!("{at}/{id}"), **shape, visit);
                }
            }
            _ => {}
        }
    }

    #[test]
    fn fields_are_sorted_without_duplicates_and_explained() {
        walk("", ROOT, &mut |at, fields| {
            let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
            assert!(
                names.windows(2).all(|pair| pair[0] < pair[1]),
                "`{at}` is sorted, each key once: {names:?}"
            );
            for field in fields {
                assert!(field.about.ends_with('.'), "`{at}/{}` is explained in a sentence", field.name);
            }
        });
    }

    #[test]
    fn choices_are_sorted() {
        walk("", ROOT, &mut |at, fields| {
            for field in fields {
                if let ValueShape::Choice(words) = field.shape {
                    assert!(words.is_sorted(), "the words of `{at}/{}` are sorted", field.name);
                }
            }
        });
    }

    #[test]
    fn the_top_level_is_what_the_specification_lists() {
        let seed = "env securityMode providers tools hooks ui loggers stateMachines commands sessionStores \
                    contextProviders logging active";
        let own = "preset profile systemPrompt sections budget template trust claudeMd claudeMdExcludes options \
                   outputStyle lint variables";
        let mut listed: Vec<&str> = seed.split_whitespace().chain(own.split_whitespace()).collect();
        listed.sort_unstable();
        let names: Vec<&str> = TOP.iter().map(|field| field.name).collect();
        assert_eq!(names, listed);
        for field in TOP {
            let may = seed.split_whitespace().any(|name| name == field.name)
                || ["systemPrompt", "sections"].contains(&field.name);
            assert_eq!(
                field.project == ProjectRule::May,
                may,
                "`{}`: a project may set only text of ours",
                field.name
            );
        }
    }

    #[test]
    fn shapes_are_found_by_path() {
        let cases = [
            ("budget.tokens", Some("an integer of 0 or more")),
            ("budget.tokns", None),
            ("env.ANY", Some("a string")),
            ("env.ANY.thing", None),
            ("logging.any.thing", Some("anything")),
            ("tools.Bash", Some("an object")),
            ("tools.Bash.disable", Some("true or false")),
            ("tools.Bash.any.thing", Some("anything")),
            ("contextProviders.SystemPromptFile.maxTokens", Some("an integer of 0 or more")),
            ("contextProviders.SystemPromptFile.maxToken", None),
            ("contextProviders.other.maxToken", Some("anything")),
            ("securityMode.mode", Some("one of `allowlist`, `ask`, `yolo`")),
            ("mcp", None),
            ("$schema", None),
        ];
        for (path, expected) in cases {
            let shape = shape_at(&path.parse().unwrap());
            assert_eq!(shape.map(|shape| shape.expected()).as_deref(), expected, "{path}");
        }
    }
}
