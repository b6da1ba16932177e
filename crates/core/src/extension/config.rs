//! What settings make of an extension's configuration: key by key, the strongest value that fits (`stud.md` §3.3).

use super::{
    category::Category,
    config_schema::{SchemaChecker, SchemaFault},
    failure::{Failure, Named, Stage},
    manifest::Manifest,
};
use crate::{
    diagnostic::{Diagnostic, Diagnostics},
    scope::Scope,
    settings::{Merged, Node, SetBy, shown},
    suggestion::did_you_mean,
};
use serde_json::{Map, Value};

/// An extension's configuration, and the strongest layer that has a say in it.
pub(super) struct Configured {
    pub config: Map<String, Value>,
    pub by: SetBy,
    /// True where settings changed anything.
    pub changed: bool,
    pub notes: Diagnostics,
}

/// So many keys that an extension does not declare are told one by one.
const MOST_UNDECLARED: usize = 20;

/// Lays each layer's `<category>.<id>` over the manifest's `config`, weakest first, as settings are merged: objects
/// deeply, a provider's whole. With a `configSchema`, a key that it does not declare and a value that does not fit stay
/// out with a note, and what a weaker layer said stays.
pub(super) fn configure(
    manifest: &Manifest,
    scope: Scope,
    settings: &Merged,
    checker: &dyn SchemaChecker,
) -> Configured {
    let mut configured = Configured {
        config: manifest.config.clone(),
        by: scope.into(),
        changed: false,
        notes: Diagnostics::new(),
    };
    let (category, id) = (manifest.category.as_str(), manifest.id.as_str());
    let Some(table) = settings.at(&[category, id]).and_then(Node::as_table) else { return configured };
    let who = Named { scope, id, category: manifest.category };
    let whole = manifest.category == Category::Providers;
    let mut undeclared = 0_usize;
    for (key, _) in table.iter().filter(|(key, _)| *key != "disable") {
        // Whose value stays when a stronger one does not fit.
        let mut stays = SetBy::from(scope);
        for by in [SetBy::Bundled, SetBy::Global, SetBy::Project, SetBy::Caller] {
            let path = [category, id, key];
            let Some(node) = settings.at_layer(by, &path) else { continue };
            // Where it talks to and what it starts is for the user to say: a project may bring an extension of this name
            // instead, and that needs a grant.
            if by == SetBy::Project && scope != Scope::Project && manifest.ability.action().is_some() {
                let message = format!("a project cannot configure {who}; `{}` is ignored", shown(key));
                let help = "a project may bring an extension of this name, which needs a grant";
                let note = Diagnostic::warning("settings/ignored", message).at(node.key_place()).help(help);
                configured.notes.push(note);
                continue;
            }
            let mut value = said(settings, by, &path);
            if let Some(there) = configured.config.get(key).filter(|_| !whole) {
                let over = std::mem::replace(&mut value, there.clone());
                lay_over(&mut value, over);
            }
            if let Some(schema) = &manifest.config_schema {
                let declared = schema.get("properties").and_then(Value::as_object);
                if declared.is_none_or(|declared| !declared.contains_key(key)) {
                    undeclared += 1;
                    if undeclared > MOST_UNDECLARED {
                        continue;
                    }
                    let known = declared.into_iter().flat_map(|declared| declared.keys().map(String::as_str));
                    let message = format!("{who} has no setting `{}`", shown(key));
                    let mut note =
                        Diagnostic::warning("Validation/UnknownConfigKey", message).at(node.key_place());
                    if let Some(near) = did_you_mean(key, known) {
                        note = note.help(format!("did you mean `{near}`?"));
                    }
                    configured.notes.push(note);
                    continue;
                }
                let mut candidate = configured.config.clone();
                candidate.insert(key.to_owned(), value.clone());
                if let Err(SchemaFault::Config(faults)) = checker.check(schema, &Value::Object(candidate)) {
                    let own = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
                    let mine = faults.into_iter().find(|fault| {
                        fault
                            .pointer
                            .strip_prefix(&own)
                            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                    });
                    if let Some(fault) = mine {
                        configured.notes.push(retained(by, stays, &fault.message, &own).at(node.place()));
                        continue;
                    }
                }
            }
            configured.config.insert(key.to_owned(), value);
            configured.by = configured.by.max(by);
            configured.changed = true;
            stays = by;
        }
    }
    if let Some(more) = undeclared.checked_sub(MOST_UNDECLARED).filter(|more| *more > 0) {
        let message = format!("{who} has {more} more settings that it does not declare");
        let mut note = Diagnostic::warning("Validation/UnknownConfigKey", message);
        note.place = settings.at(&[category, id]).map(Node::key_place);
        configured.notes.push(note);
    }
    configured
}

/// Returns what one layer says at a path. The caller may have said it in parts.
fn said(settings: &Merged, by: SetBy, path: &[&str]) -> Value {
    let Some(node) = settings.at_layer(by, path) else { return Value::Null };
    let all = settings.at(path).and_then(Node::as_table).filter(|_| node.as_table().is_some());
    match (by, all) {
        (SetBy::Caller, Some(all)) => all
            .iter()
            .filter_map(|(key, _)| {
                let path = [path, &[key]].concat();
                settings.at_layer(by, &path).map(|_| (key.to_owned(), said(settings, by, &path)))
            })
            .collect::<Map<_, _>>()
            .into(),
        _ => node.to_value(),
    }
}

fn lay_over(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (key, value) in above {
                match below.get_mut(&key) {
                    Some(there) => lay_over(there, value),
                    None => {
                        below.insert(key, value);
                    }
                }
            }
        }
        (below, above) => *below = above,
    }
}

/// The one sentence about a value that gives way to a weaker one.
fn retained(by: SetBy, stays: SetBy, why: &str, pointer: &str) -> Diagnostic {
    let message =
        format!("{by}-scope override failed validation ({why} at {pointer}); retaining {stays} value");
    Diagnostic::warning("Validation/ConfigSchemaViolation", message)
}

/// Checks the configuration as a whole, once nothing more is laid over it.
pub(super) fn whole_fault(
    manifest: &Manifest,
    config: &Map<String, Value>,
    checker: &dyn SchemaChecker,
) -> Option<Failure> {
    let schema = manifest.config_schema.as_ref()?;
    match checker.check(schema, &Value::Object(config.clone())) {
        Err(SchemaFault::Config(faults)) => {
            let fault = faults.into_iter().next()?;
            Some(Failure::new(Stage::ConfigSchema, fault.pointer, fault.message))
        }
        _ => None,
    }
}
