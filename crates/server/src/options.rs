//! The options of a build as a client of the service may set them.

use crate::{HandlerResult, Problem};
use axum::http::StatusCode;
use preface_core::settings::KeyPath;
use preface_engine::{
    BuildOptions, ToolChoice, TrustChoice, conversation::TemplateChoice, host::places::HomeTrust,
};
use std::path::Path;

/// The options that a client may not set, with the reason of each.
pub const NOT_OVER_HTTP: [(&str, &str); 5] = [
    ("conversation", "the address names it"),
    ("profile", "it is a file of the machine; `preset` names a profile"),
    ("template_text", "a template is stored first, then named"),
    ("trust", "naming a directory as a root was the grant"),
    ("trust_pins", "naming a directory as a root was the grant"),
];

/// The settings that a client may set. All others name files, programs, limits or trust of the machine.
pub const SETTINGS_OVER_HTTP: [&str; 3] =
    ["sections (but `file`)", "tools.NAME.disable", "mcpServers.NAME.disable"];

/// The most characters of one text.
const FIELD: usize = 4096;
/// The most tools, variables, settings and events.
const ENTRIES: usize = 1000;

/// Returns the options of a client, checked.
pub(crate) fn of_client(options: BuildOptions, home_trust: HomeTrust) -> HandlerResult<BuildOptions> {
    let problem = |code, detail: String| Problem::new(StatusCode::BAD_REQUEST, code, detail);
    let is_set = |name: &str| match name {
        "conversation" => options.conversation.is_some(),
        "profile" => options.profile.is_some(),
        "template_text" => options.template_text.is_some(),
        "trust" => options.trust != TrustChoice::Ask,
        _ => options.pins.is_some(),
    };
    if let Some((name, why)) = NOT_OVER_HTTP.iter().find(|(name, _)| is_set(name)) {
        return Err(problem("option", format!("`{name}` cannot be set here: {why}")));
    }
    let texts = [
        ("directory", options.cwd.as_deref().and_then(Path::to_str)),
        ("model", options.model.as_deref()),
        ("preset", options.preset.as_deref()),
        ("template", options.template.as_deref()),
        ("agent", options.agent.as_deref()),
        ("tokenizer", options.counter.as_deref()),
        ("time_zone", options.zone.as_deref()),
        ("now", options.now.as_deref()),
    ];
    let texts = texts.into_iter().filter_map(|(name, text)| Some((name, text?)));
    let names = options.tools.names().unwrap_or_default();
    for (name, text) in texts.chain(names.iter().map(|tool| ("tools", *tool))) {
        if text.chars().count() > FIELD || text.contains('\0') {
            let detail = format!("`{name}` is longer than {FIELD} characters or contains U+0000");
            return Err(problem("field", detail));
        }
    }
    let lists = [
        ("tools", names.len()),
        ("variables", options.variables.len()),
        ("settings", options.sets.len()),
        ("events", options.events.len()),
    ];
    if let Some((name, _)) = lists.iter().find(|(_, entries)| *entries > ENTRIES) {
        return Err(problem("field", format!("`{name}` has more than {ENTRIES} entries")));
    }
    if options.cwd.as_ref().is_some_and(|cwd| !cwd.is_absolute()) {
        return Err(problem("cwd", "`directory` is not an absolute path".to_owned())
            .help("use an absolute path, starting with `/`"));
    }
    if let Some(template) = &options.template {
        template.parse::<TemplateChoice>()?;
    }
    if let ToolChoice::Given(tools) = &options.tools
        && tools.iter().any(|tool| tool.source.is_some() || tool.scope.is_some())
    {
        return Err(problem("field", "`source` and `scope` of a tool are not for callers".to_owned()));
    }
    for set in &options.sets {
        let path = set.split_once('=').map_or(set.as_str(), |(path, _)| path);
        if !may_set(path) {
            let detail = format!("the setting `{path}` cannot be set here");
            return Err(
                problem("option", detail).help(format!("a client sets {}", SETTINGS_OVER_HTTP.join(", ")))
            );
        }
    }
    Ok(BuildOptions { home_trust, ..options })
}

fn may_set(path: &str) -> bool {
    let Ok(path) = path.parse::<KeyPath>() else { return false };
    let keys: Vec<&str> = path.keys().iter().map(String::as_str).collect();
    matches!(
        keys.as_slice(),
        ["sections", _, "text" | "disable" | "when" | "before" | "after" | "language" | "maxTokens", ..]
            | ["tools" | "mcpServers", _, "disable"]
    )
}
