//! Options of a profile that the user's settings give: those under `options`, and the few settings that are options of some
//! profiles by their own name.

use preface_core::{
    diagnostic::{Diagnostic, Diagnostics},
    profile::{Profile, Setting},
    settings::{Merged, Node, Table, Tree},
    suggestion::did_you_mean,
};

/// The settings that are an option where a profile has one of that name.
const SHARED: [&str; 2] = ["claudeMdExcludes", "outputStyle"];

/// The options of every profile that settings may give: how the parts stand.
const SHAPES: [&str; 4] = ["arrange", "join", "order", "variant"];

/// Returns what the settings say of the options of this profile. What it does not have is a note.
pub(crate) fn of_settings(settings: &Merged, profile: &Profile, notes: &mut Diagnostics) -> Vec<Setting> {
    let mut said = Vec::new();
    for name in SHARED.into_iter().filter(|name| profile.has_option(name)) {
        said.extend(settings.at(&[name]).into_iter().flat_map(|node| values(name, node)));
    }
    if let Some(options) = settings.at(&["options"]).and_then(Node::as_table) {
        read("", options, profile, &mut said, notes);
    }
    said
}

/// Reads a table of options. One that is no option itself may hold those whose names begin so: `claudeMd` holds
/// `claudeMd.order`.
fn read(below: &str, table: &Table, profile: &Profile, said: &mut Vec<Setting>, notes: &mut Diagnostics) {
    for (key, node) in table.iter() {
        let name = if below.is_empty() { key.to_owned() } else { format!("{below}.{key}") };
        if profile.has_option(&name) || SHAPES.contains(&name.as_str()) {
            said.extend(values(&name, node));
            continue;
        }
        let begins =
            |known: &str| known.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'));
        if let Some(table) = node.as_table().filter(|_| profile.option_names().any(begins)) {
            read(&name, table, profile, said, notes);
            continue;
        }
        let what =
            format!("the profile `{}` has no option `{name}`; `options.{name}` was not used", profile.name);
        let note = Diagnostic::warning("settings/unknown-option", what).at(node.key_place());
        notes.push(match did_you_mean(&name, profile.option_names().chain(SHAPES)) {
            Some(near) => note.help(format!("did you mean `{near}`?")),
            None => note,
        });
    }
}

/// The values of an option: one, or those of a list.
fn values(name: &str, node: &Node) -> Vec<Setting> {
    let setting = |value: String| Setting { key: name.to_owned(), value };
    match node.tree() {
        Tree::Null => Vec::new(),
        Tree::Text(text) => vec![setting(text.clone())],
        Tree::Flag(flag) => vec![setting(flag.to_string())],
        Tree::Number(number) => vec![setting(number.to_string())],
        Tree::List(items) => items.iter().flat_map(|item| values(name, item)).collect(),
        Tree::Table(_) => vec![setting(node.to_value().to_string())],
    }
}
