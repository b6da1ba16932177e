//! The JSON of each command: the name of its schema file, the schema, and command lines whose output it describes.

use crate::form::*;
use preface_engine::{
    conversation::RequestSummary,
    core::{
        diagnostic::Diagnostic,
        diff::Difference,
        document::Document,
        extension::{Extension, ExtensionEntry},
        format::CachePlan,
        mcp_servers::{DeclaredServer, ServerEntry},
        settings::LayerValue,
    },
    templates::{self, Imported},
};
use serde_json::{Value, json};

/// The output of one command, or of one form of it.
pub struct Output {
    /// The command.
    pub command: &'static str,
    /// The name of the file, without `.json`.
    pub file: &'static str,
    /// A sentence about it.
    pub about: &'static str,
    pub schema: Value,
    /// The lines that print it, each with its exit code.
    pub lines: &'static [(&'static str, i32)],
}

const SCOPES: [&str; 3] = ["bundled", "global", "project"];

fn scope() -> Value {
    words("The layer.", &SCOPES)
}

/// Adds the definitions and returns the outputs.
pub fn outputs(definitions: &mut Definitions) -> Vec<Output> {
    // The derives of generic types do not add what they flatten.
    derived::<Extension>(definitions);
    derived::<DeclaredServer>(definitions);
    derived::<Diagnostic>(definitions);
    let prompt = derived::<Document>(definitions);
    let difference = derived::<Difference>(definitions);
    let cache_plan = derived::<CachePlan>(definitions);
    let request = derived::<RequestSummary>(definitions);
    let extension = derived_as::<ExtensionEntry>("ExtensionEntry", definitions);
    let server = derived_as::<ServerEntry>("ServerEntry", definitions);
    let layer_value = derived::<LayerValue>(definitions);
    let imported = derived::<Imported>(definitions);
    let export = derived::<templates::Document>(definitions);
    let state = object(&[("state", text("The state, as tables have it."))]);
    let origin = named("EntryOrigin");
    let file_entry = object(&[
        ("name", text("The name.")),
        ("origin", origin.clone()),
        ("active", flag("True if this file is used for its name.")),
        ("shadows", list("The files that it hides.", origin.clone())),
        ("shadowed_by", maybe(origin.clone())),
        ("fallback_from", maybe(origin.clone())),
        ("status", named("Status")),
        ("runnable", flag("True if it is active.")),
        ("disabled_by", maybe(named("DisabledBy"))),
        ("order", maybe(number("Null: a file has no order."))),
        ("slot", maybe(text("Null: a file has no slot."))),
        ("config_scope", named("SetBy")),
        ("about", maybe(text("Null: the description is a key of its own."))),
        ("action", maybe(named("PrivilegedAction"))),
        ("bytes", maybe(number("The size of the file."))),
        ("diagnostics", diagnostics()),
        ("state", text("The state, as tables have it.")),
    ]);
    let skill = all(&[
        file_entry.clone(),
        object(&[
            ("description", maybe(text("The description."))),
            ("location", text("The absolute path.")),
            ("hidden", flag("True if no prompt lists it.")),
            ("left_out?", any("The reason why the file was not read.")),
            ("standard?", texts("Violations of the Agent Skills standard.")),
        ]),
    ]);
    let below = ("below", text("The path below the directory of its kind, without `.md`."));
    let mut agent = all(&[
        file_entry.clone(),
        object(&[
            below.clone(),
            ("description?", text("The description.")),
            ("tools?", maybe(texts("The tools that it may use; null is all."))),
            ("disallowedTools?", texts("The tools that it cannot use.")),
            ("model?", text("The model.")),
            ("skills?", texts("The skills that it starts with.")),
            ("criticalSystemReminder?", text("The reminder.")),
        ]),
    ]);
    // A host's own keys of the file's head are kept.
    agent["allOf"][1]["additionalProperties"] = true.into();
    let style = all(&[
        file_entry.clone(),
        object(&[
            below.clone(),
            ("description?", maybe(text("The description."))),
            ("keep-coding-instructions?", maybe(flag("The key of that name in the file."))),
        ]),
    ]);
    let slash_command = all(&[
        file_entry,
        object(&[
            below,
            ("description?", text("The description.")),
            ("argument-hint?", maybe(text("The hint for its arguments."))),
        ]),
    ]);
    let reminder = object(&[
        ("id", text("The event.")),
        ("description", text("The description.")),
        (
            "fields",
            list(
                "The fields of the event.",
                object(&[
                    ("name", text("The name.")),
                    ("type", text("The kind of value.")),
                    ("optional", flag("True if an event can do without.")),
                ]),
            ),
        ),
        ("off", flag("True if it is switched off.")),
        ("origin", origin.clone()),
    ]);
    let variable = object(&[
        ("variable", text("The name: `type:name`.")),
        ("value", maybe(text("The value here; null where it has none."))),
        ("source", maybe(text("The source of the value, or why it has none."))),
        ("dynamic", flag("True if any name of this type is a variable.")),
        ("stability", words("The stability.", &["static", "conversation", "turn"])),
        ("cost", text("The cost of the value.")),
        ("about", text("The description.")),
        ("example", text("An example.")),
        ("diagnostics", diagnostics()),
    ]);
    let ratio = |about: &str| json!({"type": "number", "description": about});
    let model = object(&[
        ("names", texts("The names that the row is for.")),
        ("vendor", words("The vendor.", &["anthropic", "google", "openai", "unknown"])),
        ("cache_minimum", number("The tokens that a prefix needs before it is cached.")),
        (
            "cache_marks",
            words(
                "How a request marks the end of a cached prefix.",
                &["cache-control", "breakpoint", "none"],
            ),
        ),
        ("cache_mark_limit", number("The most marks in one request.")),
        (
            "cache_ttl",
            list(
                "The lifetimes of a cached prefix; the first is the default.",
                object(&[
                    ("ttl", text("The lifetime.")),
                    ("write", ratio("The price of writing a token, relative to an input token.")),
                ]),
            ),
        ),
        ("cache_read", ratio("The price of a cached token, relative to an input token.")),
        ("price?", ratio("The price of a million input tokens in US dollars.")),
        ("context_window?", number("The most tokens of a request and its answer.")),
        ("tokenizer?", text("The counter that has the model's vocabulary.")),
        ("system_messages", flag("True if instructions between the messages are accepted.")),
        ("prefill", flag("True if an answer as the last message is continued.")),
        ("signed_calls", flag("True if a call needs the signature of the model.")),
        (
            "checks_prefix",
            words("The reaction to a changed earlier part.", &["always", "new-accounts", "never"]),
        ),
        ("as_of", text("The date of the facts.")),
        ("source", text("The source of the facts.")),
    ]);
    let preset = object(&[
        ("name", text("The name.")),
        ("scope", scope()),
        ("path", text("The file.")),
        ("description", text("The description; empty if it has none.")),
    ]);
    let recorded = object(&[
        ("by", any("The author of the recording.")),
        ("path", text("The file.")),
        ("recorded", maybe(text("The time, RFC 3339."))),
        ("age", maybe(number("The age in seconds."))),
        ("protocol", maybe(text("The version of the protocol."))),
        ("calls_itself", maybe(text("The name that the server reports."))),
        ("tools", number("The number of tools.")),
        ("prompts", number("The number of prompts.")),
        ("resources", number("The number of resources.")),
    ]);
    let server_tool = object(&[
        ("category", text("The category: `tools`.")),
        ("name", text("The name.")),
        ("origin", maybe(origin.clone())),
        ("active", flag("True.")),
        ("runnable", flag("True.")),
        ("state", text("The state, as tables have it.")),
        ("server", text("The server.")),
        ("about", any("The description.")),
    ]);
    let extension_row = all(&[extension, state.clone()]);
    let server_row = all(&[server, state]);
    let server_list_row = all(&[server_row.clone(), object(&[("recorded", maybe(recorded))])]);
    let category_list = |kind: &str| document(kind, extension_row.clone());
    let said =
        maybe(json!({ "type": "object", "description": "The answer, with the keys of the protocol." }));
    let answer = object(&[
        ("name", text("The name in `mcp.json`.")),
        ("scope", scope()),
        ("state", text("The result.")),
        ("ms", maybe(number("The time that the server took, in milliseconds."))),
        ("protocol", maybe(text("The version of the protocol."))),
        ("calls_itself", maybe(text("The name that the server reports."))),
        ("tools", maybe(number("The number of tools."))),
        ("prompts", maybe(number("The number of prompts."))),
        ("resources", maybe(number("The number of resources."))),
        ("recorded", maybe(text("The file of the recording."))),
        ("description", said),
        ("keeps_old", flag("True where an older recording stays.")),
        ("diagnostics", diagnostics()),
    ]);
    let answers = document("servers", answer);
    let conversation_fields = [
        ("id", text("The id.")),
        ("revision", number("The revision.")),
        ("fingerprint", text("The digest of the text.")),
        ("bytes", number("The size of the text.")),
        ("cwd", text("The directory.")),
        ("model", maybe(text("The model."))),
        ("preset", text("The profile.")),
        ("template", any("The template that it was built from, or null.")),
        ("reason", text("The reason of the build.")),
        ("created_at", text("The time of the first build.")),
        ("constructed_at", text("The time of this build.")),
    ];
    let conversation = object(&conversation_fields);
    let with_conversation = |more: &[(&str, Value)]| all(&[conversation.clone(), object(more)]);
    let version = object(&[
        ("name", text("The template.")),
        ("version", number("The version.")),
        ("at", text("The time.")),
        ("author", text("The author.")),
        ("note", text("The note; empty if it has none.")),
        ("labels", texts("The labels of the version.")),
        ("bytes", number("The size of the text.")),
        ("default", flag("True where the version is the default.")),
    ]);
    let template_result = |more: &[(&str, Value)]| {
        let fields = [("name", text("The template.")), ("stored", maybe(version.clone()))];
        object(&[&fields, more].concat())
    };
    let changed = ("changed", flag("True where something was written."));
    let permission = object(&[
        ("subject", text("The extension or the server.")),
        ("argv?", texts("The program and its arguments.")),
        ("cwd?", text("The working directory.")),
        ("env?", map("The environment variables.", json!({ "type": "string" }))),
        ("files?", any("The files that the words name, with digests.")),
        ("directory?", any("The directory of the extension, with its digest.")),
        ("url?", text("The address.")),
        ("with?", map("The headers or keys.", json!({ "type": "string" }))),
        ("writes?", text("The file that is written.")),
    ]);
    let not_pinned = ("not_pinned?", any("What the permission does not pin."));
    let with_state = all(&[
        permission.clone(),
        object(&[not_pinned.clone(), ("state", text("`granted`, `changed` or `new`."))]),
    ]);
    let changed_permission = all(&[
        permission.clone(),
        object(&[
            not_pinned,
            ("state", text("`changed` or `new`.")),
            ("paths", texts("The files of its program that differ from what was granted.")),
        ]),
    ]);
    let covered = object(&[
        (
            "files",
            list(
                "The files with something to look at.",
                object(&[
                    ("path", text("The path.")),
                    ("target?", text("The target of the link.")),
                    ("diagnostics", diagnostics()),
                ]),
            ),
        ),
        (
            "unread?",
            list(
                "The files that cannot be read.",
                object(&[("path", text("The path.")), ("why", text("The reason."))]),
            ),
        ),
        (
            "branch?",
            object(&[
                ("name", text("The name.")),
                ("granted", flag("True where it was granted by its name.")),
                ("plain", flag("True where it is included without a grant by its name.")),
            ]),
        ),
        ("replaces", texts("Files of the user that the project replaces.")),
        ("changes", texts("What else the project removes, replaces or reorders.")),
    ]);
    let mode = words("The way of trust.", &["none", "whole", "pinned"]);
    let trust = text("The state: `trusted`, `stale`, `untrusted`, `declined` or `once`.");
    let catalog_prompt = object(&[
        ("name", text("The name with the category.")),
        ("file", text("The file.")),
        ("description?", text("The description.")),
        ("changed_in?", text("The version of its last change.")),
        ("tokens?", number("The number of tokens.")),
        ("bytes", number("The size.")),
        ("values", number("The number of expressions.")),
        ("digest", text("The digest of the file.")),
        ("template", text("The digest of the template.")),
        ("expressions?", any("The expressions whose KEY is a digest, by it.")),
    ]);
    let range = |about| {
        let mut range =
            object(&[("start", number("The first byte.")), ("end", number("The byte behind the last."))]);
        range["description"] = Value::from(about);
        range
    };
    let source_kinds =
        ["file", "skill", "hook", "server", "environment", "arguments", "message", "agent", "syntax"];
    let item_kinds = ["system", "tool", "message", "setting"];
    let source = object(&[
        ("kind", words("The kind.", &source_kinds)),
        ("names?", texts("The files that have the text, the hook or the server.")),
    ]);
    let item = object(&[
        ("kind", words("The kind.", &item_kinds)),
        ("place", text("Where it is: `messages[0].content[1]`.")),
        ("name", text("The name of a tool or setting, the role of a message, the type of what has no text.")),
        ("cache_mark?", flag("True if a mark of a cache is on it.")),
        (
            "rows",
            list("Its bytes.", object(&[("range", range("The bytes of the body.")), ("source", source)])),
        ),
    ]);
    let captured_request = object(&[
        ("method", text("`GET`, `POST` and so on.")),
        ("path", text("The path, without the values of its query.")),
        ("known", flag("False if nothing of a model's service has this path.")),
        ("model?", text("The model.")),
        ("body", text("The body, without its content coding.")),
        ("items", list("The parts. Their rows, with the JSON between them, partition the body.", item)),
        (
            "secrets",
            list(
                "The tokens that look like credentials.",
                object(&[
                    ("range", range("The bytes of the body.")),
                    ("code", text("The code of the finding.")),
                ]),
            ),
        ),
    ]);
    let capture = object(&[
        ("preface_capture", number("The version of the document.")),
        ("agent", text("The agent, by its name in commands.")),
        ("version?", text("Its version.")),
        ("mode", words("The way in which it was started.", &["print", "terminal", "listen"])),
        ("directory", text("The working directory.")),
        ("at", text("The time.")),
        ("message", text("The message that was sent; empty with `--listen`.")),
        ("redacted", flag("True if secrets and ids are replaced.")),
        ("main", number("The place of the main request in `requests`.")),
        ("requests", list("The requests, in order.", captured_request)),
        ("written", texts("The files that were written meanwhile.")),
    ]);
    let side = object(&[
        ("name", text("The file.")),
        ("agent", text("The agent.")),
        ("version", maybe(text("Its version."))),
        ("bytes", number("The size of the body.")),
        ("tokens", number("The tokens that the model reads.")),
    ]);
    let row = |kinds: &[&str], unit: &str| {
        object(&[
            ("kind", words("The kind.", kinds)),
            ("name", text("The name, as tables have it.")),
            ("change", words("The change.", &["same", "changed", "added", "removed"])),
            ("before", maybe(number(&format!("Its {unit} on the left side.")))),
            ("after", maybe(number(&format!("Its {unit} on the right side.")))),
        ])
    };
    let capture_difference = object(&[
        ("same", flag("True if the requests are the same but for ids and the message.")),
        ("left", side.clone()),
        ("right", side),
        ("sources", list("The sources.", row(&source_kinds, "bytes"))),
        ("parts", list("The parts.", row(&item_kinds, "tokens"))),
        ("text", text("The lines that differ, as a patch.")),
    ]);
    let checked = object(&[
        ("exists", maybe(flag("True if it exists; null if it must not be looked at."))),
        ("path", maybe(text("The path."))),
    ]);
    let both = object(&[("global", checked.clone()), ("project", checked)]);
    let out = |command, file, about, schema, lines| Output { command, file, about, schema, lines };
    vec![
        out(
            "build",
            "build",
            "A prompt with its parts and their origins.",
            prompt.clone(),
            &[
                ("preface build --format json --trust once", 0),
                ("preface build --format json --trust deny", 0),
            ],
        ),
        out(
            "template render",
            "template-render",
            "The rendered text as a prompt of one part.",
            prompt.clone(),
            &[("preface template render one.md --format json", 0)],
        ),
        out(
            "explain",
            "explain",
            "A prompt with its parts and their origins.",
            prompt.clone(),
            &[("preface explain --format json --trust once", 0)],
        ),
        out(
            "explain",
            "explain-cache",
            "The cache plan of a request, as `preface explain --cache` prints it.",
            cache_plan,
            &[("preface explain --cache --model claude-opus-5-5 --format json --trust once", 0)],
        ),
        out(
            "explain",
            "capture",
            "The requests of an agent: what `preface capture --save FILE` writes and `preface explain FILE` prints.",
            capture,
            &[("preface explain capture.json --format json", 0)],
        ),
        out(
            "diff",
            "diff-captures",
            "The difference of two files that `preface capture --save` wrote.",
            capture_difference,
            &[("preface diff capture.json other.json --format json --exit-code", 1)],
        ),
        out(
            "diff",
            "diff",
            "The difference of two prompts or templates.",
            difference.clone(),
            &[
                ("preface diff --against-model other --format json", 0),
                ("preface diff --against-now 2026-03-09T10:00:00Z --format json --exit-code", 1),
                ("preface diff conversation:7f3a --format json", 0),
                ("preface diff template:main --format json", 0),
            ],
        ),
        out(
            "lint",
            "lint",
            "The problems of the texts.",
            object(&[
                ("diagnostics", diagnostics()),
                ("texts", number("The number of texts.")),
                (
                    "files?",
                    list(
                        "With `--repository`, the files of agents.",
                        object(&[
                            (
                                "names",
                                texts("The path from the root of the work tree, and those of links to it."),
                            ),
                            ("agents", texts("The agents that read it or act on it.")),
                        ]),
                    ),
                ),
            ]),
            &[("preface lint --format json --trust once", 0), ("preface lint --repository --format json", 0)],
        ),
        out(
            "list tools",
            "list-tools",
            "The tools.",
            document("tools", one_of(&[extension_row.clone(), server_tool])),
            &[("preface list tools --format json --preset stud --trust once", 0)],
        ),
        out(
            "list hooks",
            "list-hooks",
            "The hooks.",
            all(&[
                category_list("hooks"),
                object(&[(
                    "audit",
                    list("The audit events: the orders that were rewritten.", named("AuditEvent")),
                )]),
            ]),
            &[("preface list hooks --format json --preset stud --trust once", 0)],
        ),
        out(
            "list providers",
            "list-providers",
            "The model providers.",
            category_list("providers"),
            &[("preface list providers --format json --preset stud", 0)],
        ),
        out(
            "list commands",
            "list-commands",
            "The commands.",
            category_list("commands"),
            &[("preface list commands --format json --preset stud", 0)],
        ),
        out(
            "list contextProviders",
            "list-contextProviders",
            "The context providers.",
            category_list("contextProviders"),
            &[("preface list contextProviders --format json --preset stud", 0)],
        ),
        out(
            "list loggers",
            "list-loggers",
            "The loggers.",
            category_list("loggers"),
            &[("preface list loggers --format json --preset stud", 0)],
        ),
        out(
            "list sessionStores",
            "list-sessionStores",
            "The session stores.",
            category_list("sessionStores"),
            &[("preface list sessionStores --format json --preset stud", 0)],
        ),
        out(
            "list stateMachines",
            "list-stateMachines",
            "The state machines.",
            category_list("stateMachines"),
            &[("preface list stateMachines --format json --preset stud", 0)],
        ),
        out(
            "list ui",
            "list-ui",
            "The user interfaces.",
            category_list("ui"),
            &[("preface list ui --format json --preset stud", 0)],
        ),
        out(
            "list servers",
            "list-servers",
            "The MCP servers.",
            document("servers", server_list_row),
            &[("preface list servers --format json --preset stud", 0)],
        ),
        out(
            "list skills",
            "list-skills",
            "The skills.",
            document("skills", skill.clone()),
            &[("preface list skills --format json --preset pi --trust once", 0)],
        ),
        out(
            "list agents",
            "list-agents",
            "The agents.",
            document("agents", agent.clone()),
            &[("preface list agents --format json --preset claude-code --trust once", 0)],
        ),
        out(
            "list styles",
            "list-styles",
            "The output styles.",
            document("styles", style),
            &[("preface list styles --format json --preset claude-code --trust once", 0)],
        ),
        out(
            "list slash-commands",
            "list-slash-commands",
            "The slash commands.",
            document("slash-commands", slash_command),
            &[("preface list slash-commands --format json --preset claude-code --trust once", 0)],
        ),
        out(
            "list reminders",
            "list-reminders",
            "The reminders.",
            document("reminders", reminder),
            &[("preface list reminders --format json --preset claude-code", 0)],
        ),
        out(
            "list variables",
            "list-variables",
            "The variables.",
            document("variables", variable),
            &[("preface list variables --format json", 0)],
        ),
        out(
            "list models",
            "list-models",
            "The models that facts are known about.",
            document("models", model),
            &[("preface list models --format json", 0)],
        ),
        out(
            "list presets",
            "list-presets",
            "The presets and profiles.",
            document("presets", preset.clone()),
            &[("preface list presets --format json", 0)],
        ),
        out(
            "list extensions",
            "list-extensions",
            "The extensions and servers.",
            all(&[
                document("extensions", one_of(&[extension_row.clone(), server_row.clone()])),
                object(&[
                    ("servers?", list("The servers.", server_row.clone())),
                    ("audit?", list("The audit events.", named("AuditEvent"))),
                ]),
            ]),
            &[("preface list extensions --format json --preset stud --trust once", 0)],
        ),
        out(
            "list --why",
            "list-why",
            "The entries of one name over all layers.",
            document("extensions", any_of(&[extension_row, server_row, skill, agent])),
            &[
                ("preface list --why bash --format json --preset stud", 0),
                ("preface list --why tools/bash --format json --preset stud", 0),
            ],
        ),
        out(
            "profile show",
            "profile-show",
            "A profile with its text.",
            all(&[preset, object(&[("text", text("The TOML."))])]),
            &[("preface profile show default --format json", 0)],
        ),
        out(
            "profile copy",
            "profile-copy",
            "The copy of a profile.",
            object(&[
                ("name", text("The name of the copy.")),
                ("from", text("The name of the profile.")),
                ("path", text("The file of the copy.")),
            ]),
            &[("preface profile copy default mine --format json", 0)],
        ),
        out(
            "config list",
            "config-list",
            "The settings that are set.",
            document(
                "settings",
                object(&[
                    ("key", text("The setting.")),
                    ("value", any("The value, secrets masked.")),
                    ("by", named("SetBy")),
                    ("path", text("The file, or the flag.")),
                    ("line", maybe(number("The line."))),
                ]),
            ),
            &[("preface config list --format json", 0)],
        ),
        out(
            "config get",
            "config-get",
            "The value of a setting as it is; with `--why` the list of the values of each layer.",
            json!({ "anyOf": [document("values", layer_value), any("The value.")] }),
            &[("preface config get preset --format json", 0)],
        ),
        out(
            "config get --why",
            "config-get-why",
            "The value of a setting in each layer.",
            document("values", named("LayerValue")),
            &[("preface config get preset --why --format json", 0)],
        ),
        out(
            "config set",
            "config-set",
            "The change of a setting.",
            object(&[
                ("key", text("The setting.")),
                ("scope", scope()),
                ("path", text("The file.")),
                changed.clone(),
                ("diagnostics", diagnostics()),
            ]),
            &[("preface config set budget.tokens 9000 --format json", 0)],
        ),
        out(
            "config unset",
            "config-unset",
            "The removal of a setting.",
            object(&[
                ("key", text("The setting.")),
                ("scope", scope()),
                ("path", text("The file.")),
                changed.clone(),
                ("still_set", flag("True where another layer sets it.")),
            ]),
            &[("preface config unset budget.tokens --format json", 0)],
        ),
        out(
            "config init",
            "config-init",
            "The directory for your own configuration.",
            object(&[
                ("path", text("The directory.")),
                ("created", flag("True where it is new.")),
                ("written", texts("The files that were written.")),
                ("diagnostics", diagnostics()),
            ]),
            &[("preface config init --format json", 0)],
        ),
        out(
            "trust status",
            "trust-status",
            "The files of the project and their state.",
            object(&[
                ("mode", mode.clone()),
                ("path", maybe(text("The root of the project."))),
                ("trust", trust.clone()),
                ("left_out", flag("True where something is left out.")),
                (
                    "texts",
                    list(
                        "The files.",
                        object(&[
                            ("path", text("The path.")),
                            ("state", text("The state.")),
                            ("bytes", number("The size.")),
                            ("digest", text("The digest.")),
                            ("sent", flag("True where text of it is sent to the model.")),
                        ]),
                    ),
                ),
                (
                    "lost",
                    list(
                        "The files that pins of the call name and that cannot be read.",
                        object(&[
                            ("path", text("The path.")),
                            ("state", text("The reason, such as `missing`.")),
                        ]),
                    ),
                ),
                ("covers", covered),
                ("store", maybe(text("The trust store."))),
                ("permissions", list("What the project would do beyond text.", with_state)),
                ("diagnostics", diagnostics()),
            ]),
            &[
                ("preface trust status --format json", 0),
                ("preface trust status --format json --preset stud", 0),
            ],
        ),
        out(
            "trust diff",
            "trust-diff",
            "What a grant would add.",
            object(&[
                ("path", text("The root of the project.")),
                ("branch", maybe(text("The branch that is not granted."))),
                ("paths", texts("The files that are not granted.")),
                (
                    "permissions",
                    list("What the project would do beyond text, and is not granted.", changed_permission),
                ),
                ("text", text("A unified diff.")),
                ("digest", text("The digest of what a grant would record, for `trust grant --reviewed`.")),
                ("diagnostics", diagnostics()),
            ]),
            &[("preface trust diff --format json", 0)],
        ),
        out(
            "trust grant",
            "trust-grant",
            "What was granted.",
            object(&[
                ("path", text("The root of the project.")),
                (
                    "granted",
                    list(
                        "The texts.",
                        object(&[("path", text("The path.")), ("bytes", number("The size."))]),
                    ),
                ),
                ("unchanged", texts("The texts that were granted before.")),
                ("branch", maybe(text("The branch that was granted."))),
                ("untrusted", texts("The texts that are still left out.")),
                ("hidden", texts("The texts with hidden characters, which were not granted.")),
                (
                    "permissions",
                    maybe(object(&[
                        ("granted", list("The new permissions.", permission.clone())),
                        ("unchanged", list("The permissions of before.", permission.clone())),
                        ("refused", texts("What was refused, and why.")),
                    ])),
                ),
                ("text", maybe(text("A unified diff of what was granted; `null` with `--reviewed`."))),
                ("digest", text("The digest of what was granted.")),
                ("diagnostics", diagnostics()),
            ]),
            &[
                ("preface trust grant --format json", 1),
                ("preface trust grant --allow-hidden --format json", 0),
                ("preface trust grant --allow-commands --allow-hidden --format json", 0),
            ],
        ),
        out(
            "trust list",
            "trust-list",
            "The recorded decisions.",
            document(
                "projects",
                object(&[
                    ("path", text("The path.")),
                    ("mode", mode),
                    ("trust", trust),
                    ("at", text("The time of the decision.")),
                    (
                        "texts?",
                        list(
                            "The texts that are granted.",
                            object(&[
                                ("path", text("The path.")),
                                ("digest", text("The digest.")),
                                ("bytes", number("The size.")),
                            ]),
                        ),
                    ),
                    ("branches?", texts("The branches that are granted.")),
                    ("permissions?", list("The permissions.", permission)),
                    ("note?", text("The note.")),
                ]),
            ),
            &[("preface trust list --format json", 0)],
        ),
        out(
            "trust export",
            "trust-export",
            "The granted files with their digests.",
            object(&[
                ("trust_pins", number("The version of the form: 1.")),
                (
                    "pins",
                    list(
                        "The granted contents, a row for each.",
                        object(&[
                            ("path", text("The path, relative to the root of the project.")),
                            ("digest", text("The digest of the content.")),
                            ("bytes", number("The size.")),
                        ]),
                    ),
                ),
                ("branches?", texts("The branches that are granted.")),
            ]),
            &[("preface trust export --format json", 0)],
        ),
        out(
            "trust revoke",
            "trust-revoke",
            "What was revoked.",
            document(
                "projects",
                object(&[
                    ("path", text("The root of the project.")),
                    ("revoked", texts("The texts.")),
                    ("permissions", texts("The subjects of the permissions.")),
                    ("branches", texts("The branches whose grants went with the last text.")),
                ]),
            ),
            &[("preface trust revoke --format json", 0)],
        ),
        out(
            "template set",
            "template-set",
            "The new version of a template.",
            template_result(&[changed.clone(), ("diagnostics", diagnostics())]),
            &[
                ("preface template set one.md --format json", 0),
                ("preface template set two.md --note Second --format json", 0),
            ],
        ),
        out(
            "template label",
            "template-label",
            "A label and its version.",
            object(&[
                ("name", text("The template.")),
                ("label", text("The label.")),
                ("version", maybe(number("The version; null where the label was deleted."))),
            ]),
            &[
                ("preface template label stable 1 --format json", 0),
                ("preface template label --delete stable --format json", 0),
            ],
        ),
        out(
            "template show",
            "template-show",
            "A template.",
            template_result(&[("text", text("The text."))]),
            &[("preface template show --format json", 0)],
        ),
        out(
            "template list",
            "template-list",
            "The stored templates.",
            one_of(&[document("templates", version.clone()), document("versions", version.clone())]),
            &[("preface template list --format json", 0), ("preface template list main --format json", 0)],
        ),
        out(
            "template export",
            "template-export",
            "All templates.",
            export,
            &[("preface template export", 0)],
        ),
        out(
            "template import",
            "template-import",
            "The result of an import.",
            imported,
            &[("preface template import templates.json --format json", 0)],
        ),
        out(
            "template delete",
            "template-delete",
            "The deletion of a template.",
            template_result(&[changed]),
            &[("preface template delete --format json", 0), ("preface template delete --format json", 0)],
        ),
        out(
            "conversation list",
            "conversation-list",
            "The conversations.",
            document("conversations", conversation.clone()),
            &[("preface conversation list --format json", 0)],
        ),
        out(
            "conversation show",
            "conversation-show",
            "The stored prompt of a conversation.",
            object(&[
                ("conversation", conversation.clone()),
                ("options", any("The request that it was built for.")),
                ("variables", any("The values of the variables.")),
                ("document", prompt),
            ]),
            &[("preface conversation show 7f3a --format json", 0)],
        ),
        out(
            "conversation compact",
            "conversation-compact",
            "The prompt for a compaction.",
            with_conversation(&[
                ("constructed", flag("True where it was built again.")),
                ("system_prompt", text("The prompt with the instructions.")),
                ("prompt", text("The prompt.")),
                ("instructions", maybe(text("The instructions."))),
            ]),
            &[("preface conversation compact 7f3a --now 2026-03-08T10:00:00Z --format json", 0)],
        ),
        out(
            "conversation refresh",
            "conversation-refresh",
            "The prompt that was built again.",
            with_conversation(&[
                ("constructed", flag("True where another prompt was stored.")),
                ("difference", difference),
            ]),
            &[("preface conversation refresh 7f3a --now 2026-03-09T10:00:00Z --format json", 0)],
        ),
        out(
            "conversation history",
            "conversation-history",
            "The prompts of a conversation, the current one first.",
            document(
                "prompts",
                with_conversation(&[(
                    "replaced_at",
                    maybe(text("The time of the replacement; null for the current one.")),
                )]),
            ),
            &[("preface conversation history 7f3a --format json", 0)],
        ),
        out(
            "conversation history",
            "conversation-requests",
            "The recorded requests of a conversation, as `--requests` lists them.",
            document("requests", request),
            &[("preface conversation history 7f3a --requests --format json", 0)],
        ),
        out(
            "conversation history",
            "conversation-audit",
            "The changes of the store, as `--audit` lists them; with `--trim-older-than` what was removed.",
            one_of(&[
                document(
                    "audit",
                    object(&[
                        ("id", number("The number.")),
                        ("at", text("The time.")),
                        ("actor", text("The actor.")),
                        ("action", text("The action.")),
                        ("subject", any("The subject.")),
                        ("detail", any("The details.")),
                    ]),
                ),
                removal(),
            ]),
            &[
                ("preface conversation history --audit --format json", 0),
                ("preface conversation history --audit --trim-older-than 900w --format json", 0),
            ],
        ),
        out(
            "conversation delete",
            "conversation-delete",
            "The conversations that were deleted.",
            one_of(&[
                object(&[
                    ("deleted", number("The number of conversations.")),
                    ("ids", texts("The ids.")),
                    ("dry_run", flag("True where nothing was deleted.")),
                ]),
                removal(),
            ]),
            &[
                ("preface conversation delete 7f3a --format json", 0),
                ("preface conversation delete --older-than 30d --dry-run --format json", 0),
            ],
        ),
        out(
            "mcp refresh",
            "mcp-refresh",
            "The answers of the servers.",
            answers,
            &[("preface mcp refresh --preset stud --format json", 0)],
        ),
        out(
            "catalog import",
            "catalog-import",
            "The import of a catalog.",
            object(&[
                ("version", text("The version.")),
                ("generation", any("The syntax of the bodies.")),
                ("prompts", number("The number of prompts.")),
                ("bytes", number("The size of the bodies.")),
                ("tokens", number("The tokens of the bodies.")),
                ("counted", number("The prompts with a token count.")),
                ("values", number("The number of values.")),
                ("digest", text("The digest.")),
                ("pin", text("The pin.")),
                ("written", words("The effect.", &["new", "replaced", "same"])),
                ("diagnostics", diagnostics()),
            ]),
            &[
                ("preface catalog import cat --format json", 0),
                ("preface catalog import new --version v1.2.4 --format json", 0),
            ],
        ),
        out(
            "catalog list",
            "catalog-list",
            "The catalogs; with a version its prompts.",
            one_of(&[
                document(
                    "catalogs",
                    one_of(&[
                        object(&[
                            ("version", text("The version.")),
                            ("generation", any("The syntax of the bodies.")),
                            ("prompts", number("The number of prompts.")),
                            ("bytes", number("The size of the bodies.")),
                            ("tokens", maybe(number("The tokens of the bodies."))),
                            ("values", number("The number of values.")),
                            ("digest", text("The digest.")),
                            ("pin", text("The pin.")),
                        ]),
                        object(&[("version", text("The version.")), ("diagnostics", diagnostics())]),
                    ]),
                ),
                document("prompts", catalog_prompt.clone()),
            ]),
            &[("preface catalog list --format json", 0), ("preface catalog list 1.2.3 --format json", 0)],
        ),
        out(
            "catalog show",
            "catalog-show",
            "A prompt of a catalog; without a name what a preset takes from the catalog.",
            one_of(&[
                object(&[("entry", catalog_prompt), ("template", text("The template."))]),
                document(
                    "uses",
                    object(&[
                        ("place", text("The place in the profile.")),
                        ("prompt", maybe(text("The prompt of the catalog."))),
                        ("why", maybe(text("The reason why the profile's own text is used."))),
                    ]),
                ),
            ]),
            &[
                ("preface catalog show 1.2.3 'System Prompt: Manners' --format json", 0),
                ("preface catalog show 1.2.3 --preset claude-code --format json", 0),
            ],
        ),
        out(
            "catalog delete",
            "catalog-delete",
            "The deletion of a catalog.",
            object(&[("version", text("The version.")), ("deleted", flag("True."))]),
            &[("preface catalog delete 1.2.4 --format json", 0)],
        ),
        out(
            "token create",
            "token-create",
            "A new token.",
            object(&[
                ("name", text("The name.")),
                ("role", text("The role.")),
                ("created_at", text("The time of its creation.")),
                ("expires_at", maybe(text("Its end."))),
                ("token", text("The token, which is not shown again.")),
            ]),
            &[("preface token create ci --expires 90d --format json", 0)],
        ),
        out(
            "token list",
            "token-list",
            "The tokens.",
            document(
                "tokens",
                object(&[
                    ("name", text("The name.")),
                    ("role", text("The role.")),
                    ("created_at", text("The time of its creation.")),
                    ("expires_at", maybe(text("Its end."))),
                    ("expired", flag("True where it has ended.")),
                ]),
            ),
            &[("preface token list --format json", 0)],
        ),
        out(
            "token revoke",
            "token-revoke",
            "The end of a token.",
            object(&[("name", text("The name.")), ("revoked", flag("True."))]),
            &[("preface token revoke ci --format json", 0)],
        ),
        out(
            "doctor",
            "doctor",
            "The state of the configuration. The keys are those of the health document of stud.",
            object(&[
                ("version", text("The version of preface.")),
                ("preset", text("The profile.")),
                (
                    "extensions",
                    list(
                        "The extensions.",
                        object(&[
                            ("id", text("The name.")),
                            ("kind", text("The kind.")),
                            ("state", text("The state, as tables have it.")),
                            ("scope", scope()),
                            ("configScope", named("SetBy")),
                            ("shadows", list("The entries that it hides.", origin)),
                        ]),
                    ),
                ),
                (
                    "startup",
                    object(&[
                        ("loadedCount", number("The active extensions.")),
                        ("disabledCount", number("The disabled extensions.")),
                        ("warnings", diagnostics()),
                        ("errors", diagnostics()),
                        ("disabled", list("The disabled extensions.", any("An extension."))),
                    ]),
                ),
                ("trust", object(&[("mode", text("The way of trust.")), ("state", text("The state."))])),
                ("directories", both.clone()),
                ("settings", both),
                (
                    "instructions?",
                    list(
                        "The instruction files that a prompt has; without it the profile has none.",
                        text("The path."),
                    ),
                ),
                (
                    "files?",
                    map(
                        "The files of each kind: skills, agents, commands, styles.",
                        object(&[("active", number("Active ones.")), ("invalid", number("Invalid ones."))]),
                    ),
                ),
            ]),
            &[
                ("preface doctor --format json", 0),
                ("preface doctor --format json --preset stud --trust once", 0),
            ],
        ),
    ]
}

fn removal() -> Value {
    object(&[
        ("deleted", number("The number of entries.")),
        ("before", text("The time before which they were made.")),
        ("dry_run", flag("True where nothing was deleted.")),
    ])
}

/// The object that an error is, on stderr.
pub fn error() -> Value {
    object(&[
        (
            "error",
            object(&[
                ("message", text("One sentence.")),
                (
                    "code",
                    text(
                        "The code of docs/reference/diagnostics.md; `HeadlessTrustRequired` for a project that needs a grant.",
                    ),
                ),
                (
                    "location?",
                    object(&[
                        ("path", text("The file.")),
                        ("line?", number("The line, from 1.")),
                        ("column?", number("The column, from 1.")),
                    ]),
                ),
                ("help?", text("What to do about it.")),
                ("class?", text("`Validation`, for a project that needs a grant.")),
                (
                    "context?",
                    object(&[
                        ("canonicalPath", text("The project.")),
                        ("sources", any("The files that are not trusted.")),
                    ]),
                ),
            ]),
        ),
        ("exit_code", number("The exit code of the command.")),
        ("surface?", text("`cli`, for a project that needs a grant.")),
    ])
}
