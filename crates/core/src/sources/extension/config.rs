//! Applies settings to an extension's configuration: key by key, the strongest value that is valid.

use super::{
    ability::{Ability, ModelProvider, SecretReference, base_url_fault},
    category::Category,
    config_schema::{SchemaChecker, SchemaFault},
    entry::ExtensionEntry,
    grants::{Grants, ProviderChange},
    manifest::Manifest,
    scopes::IgnoredSetting,
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy},
    scope::Scope,
    settings::{MergedSettings, SetBy, SettingsNode, shown},
    suggestion::did_you_mean,
};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The effect of settings on an extension.
#[derive(Default)]
pub(super) struct ExtensionConfig {
    /// True if settings changed the configuration.
    pub changed: bool,
    /// The effect of the project's settings on a provider of another layer.
    pub change: Option<ProviderChange>,
    /// The values that are not used.
    pub ignored: Vec<IgnoredSetting>,
    pub diagnostics: Diagnostics,
}

/// Sets a field of an extension that settings may change.
///
/// # Errors
/// The value is not valid for the field.
fn set_field(entry: &mut ExtensionEntry, key: &str, node: &SettingsNode) -> Result<(), Box<Diagnostic>> {
    let read = match key {
        // A literal key is for the host to handle; it is shown nowhere.
        "apiKey" => Ability::Model(ModelProvider {
            key: SecretReference::read(&node.to_value()),
            ..ModelProvider::default()
        }),
        _ => Ability::read(entry.value.category, Scope::Global, &node.clone().under(key), 0..0)?,
    };
    match (&mut entry.value.ability, read) {
        (Some(Ability::Context(context)), Ability::Context(read)) if key == "priority" => {
            context.priority = read.priority;
        }
        (Some(Ability::Context(context)), Ability::Context(read)) => context.max_tokens = read.max_tokens,
        (Some(ability @ Ability::Model(_)), Ability::Model(read)) => {
            let Ability::Model(model) = ability else { return Ok(()) };
            model.kind = read.kind.or(model.kind.take());
            model.base_url = read.base_url.or(model.base_url.take());
            model.key = read.key.or(model.key.take());
            (entry.about, entry.action, entry.missing) =
                (ability.about(), ability.action(), ability.missing());
        }
        _ => {}
    }
    Ok(())
}

/// The most undeclared keys of an extension that are reported one by one.
const MOST_UNDECLARED: usize = 20;

/// Lays each layer's `<category>.<id>` over the manifest's `config`, weakest first, as settings are merged:
/// objects deeply, a provider's as a whole. An invalid value, and a key that neither its `configSchema` nor
/// its `config` declares, are left out with a diagnostic, and the value of a weaker layer stays; a provider
/// without a schema may have more keys. `priority` and `maxTokens` of a context provider change the place and
/// size of its text, and `kind`, `baseUrl` and `apiKey` of a model provider its connection, unless its schema
/// declares them.
pub(super) fn configure(
    entry: &mut ExtensionEntry,
    manifest: &Manifest,
    settings: &MergedSettings,
    checker: &dyn SchemaChecker,
    grants: &dyn Grants,
) -> ExtensionConfig {
    let scope = entry.origin.scope;
    entry.value.config.clone_from(&manifest.config);
    let mut configured = ExtensionConfig::default();
    let (category, id) = (manifest.category.as_str(), manifest.id.as_str());
    let who = entry.label();
    let settings = &without_refused(&mut configured, manifest, entry, settings, grants);
    let Some(table) = settings.at(&[category, id]).and_then(SettingsNode::as_table) else {
        return configured;
    };
    let whole = manifest.category == Category::Providers;
    let settable = manifest.ability.settable();
    let declared = || {
        let schema = manifest.config_schema.as_ref().and_then(|schema| schema.get("properties"));
        let keys = schema.and_then(Value::as_object).unwrap_or(&manifest.config);
        keys.keys().map(String::as_str)
    };
    let mut undeclared = 0_usize;
    for (key, _) in table.iter().filter(|(key, _)| *key != "disable") {
        // The layer whose value stays if a stronger one is invalid.
        let mut stays = SetBy::from(scope);
        for by in LAYERS {
            let path = [category, id, key];
            let Some(node) = settings.at_layer(by, &path) else { continue };
            let mut ignore = |diagnostic: Option<Diagnostic>| {
                configured.ignored.push(IgnoredSetting { by, path: path.map(str::to_owned) });
                configured.diagnostics.extend(diagnostic);
            };
            let is_declared = declared().any(|known| known == key);
            let is_settable = !is_declared && settable.contains(&key.as_str());
            let known = || declared().chain(settable.iter().copied()).chain(["disable"]);
            // Other keys of a provider are for the host, which reads them as a whole.
            let is_open = manifest.config_schema.is_none()
                && manifest.category == Category::Providers
                && did_you_mean(key, known()).is_none();
            if !is_declared && !is_settable && !is_open {
                undeclared += 1;
                if undeclared > MOST_UNDECLARED {
                    ignore(None);
                    continue;
                }
                let message = format!("{who} has no setting `{}`", shown(key));
                let diagnostic =
                    Diagnostic::warning(DiagnosticCode::UnknownConfigKey, message).at(node.key_place());
                let help = if Ability::fields(manifest.category).contains(&key.as_str()) {
                    Some(format!("`{key}` is a field of its manifest"))
                } else {
                    did_you_mean(key, known()).map(|near| format!("did you mean `{near}`?"))
                };
                ignore(Some(Diagnostic { help: help.map(Remedy::from), ..diagnostic }));
                continue;
            }
            if is_settable && let Err(failure) = set_field(entry, key, node) {
                let pointer = format!("/{key}");
                ignore(Some(retained(by, stays, &failure.message, &pointer).at(node.place())));
                continue;
            }
            if is_settable && manifest.category == Category::ContextProviders {
                if by == SetBy::Project && scope != Scope::Project {
                    let what = format!("the project sets `{key}` of {who} to {}", node.to_value());
                    configured
                        .diagnostics
                        .push(Diagnostic::warning(DiagnosticCode::SettingsPlaced, what).at(node.place()));
                }
                entry.config_scope = entry.config_scope.max(by);
                stays = by;
                continue;
            }
            let mut value = value_of_layer(settings, by, &path);
            if let Some(there) = entry.value.config.get(key).filter(|_| !whole) {
                let over = std::mem::replace(&mut value, there.clone());
                lay_over(&mut value, over);
            }
            if let Some(schema) = manifest.config_schema.as_ref().filter(|_| is_declared) {
                let mut candidate = entry.value.config.clone();
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
                        ignore(Some(retained(by, stays, &fault.message, &own).at(node.place())));
                        continue;
                    }
                }
            }
            entry.value.config.insert(key.to_owned(), value);
            entry.config_scope = entry.config_scope.max(by);
            configured.changed = true;
            stays = by;
        }
    }
    if let Some(more) = undeclared.checked_sub(MOST_UNDECLARED).filter(|more| *more > 0) {
        let message = format!("{who} has {more} more settings that it does not declare");
        let mut diagnostic = Diagnostic::warning(DiagnosticCode::UnknownConfigKey, message);
        diagnostic.place = settings.at(&[category, id]).map(SettingsNode::key_place);
        configured.diagnostics.push(diagnostic);
    }
    configured
}

/// The layers of settings, the weakest first.
const LAYERS: [SetBy; 4] = [SetBy::Bundled, SetBy::Global, SetBy::Project, SetBy::Caller];

/// Returns the settings without those that a project may not change. The user chooses the address that an
/// entry of another layer connects to and the program that it starts: the project's settings of a provider
/// need a grant, those of anything else with an action are ignored.
fn without_refused<'s>(
    configured: &mut ExtensionConfig,
    manifest: &Manifest,
    entry: &ExtensionEntry,
    settings: &'s MergedSettings,
    grants: &dyn Grants,
) -> Cow<'s, MergedSettings> {
    let path = [manifest.category.as_str(), manifest.id.as_str()];
    let node = settings.at_layer(SetBy::Project, &path);
    let (Some(node), Some(table)) = (node, node.and_then(SettingsNode::as_table)) else {
        return Cow::Borrowed(settings);
    };
    // Settings may add the address that a provider's manifest lacks.
    let given =
        node.at(&["baseUrl"]).and_then(SettingsNode::as_text).filter(|url| base_url_fault(url).is_none());
    let given = given.filter(|_| matches!(manifest.ability, Ability::Model(_)));
    let acts = manifest.ability.action().is_some() || given.is_some();
    let keys: Vec<(&String, &SettingsNode)> = table.iter().filter(|(key, _)| *key != "disable").collect();
    if entry.origin.scope == Scope::Project || !acts || keys.is_empty() {
        return Cow::Borrowed(settings);
    }
    if let Ability::Model(model) = &manifest.ability {
        let url = given.or(model.base_url.as_deref()).unwrap_or_default().to_owned();
        let config = keys.iter().map(|(key, node)| ((*key).to_owned(), node.to_value())).collect();
        let change = ProviderChange { name: manifest.id.clone(), url, config, place: node.key_place() };
        let granted = grants.may_change(&change);
        configured.change = Some(change);
        if granted {
            return Cow::Borrowed(settings);
        }
        let what =
            format!("the project's settings of {} are not used: they have not been granted", entry.label());
        let help = "look at them, then grant the commands of the project";
        configured
            .diagnostics
            .push(Diagnostic::warning(DiagnosticCode::SettingsIgnored, what).at(node.place()).help(help));
    } else {
        for (key, node) in &keys {
            let message =
                format!("a project cannot configure {}; `{}` is ignored", entry.label(), shown(key));
            let help = "a project may bring an extension of this name, which needs a grant";
            configured.diagnostics.push(
                Diagnostic::warning(DiagnosticCode::SettingsIgnored, message).at(node.key_place()).help(help),
            );
        }
    }
    let ignored: Vec<IgnoredSetting> = keys
        .iter()
        .map(|(key, _)| IgnoredSetting {
            by: SetBy::Project,
            path: [path[0], path[1], key].map(str::to_owned),
        })
        .collect();
    let without = settings.without(ignored.iter().map(|ignored| (ignored.by, ignored.path.as_slice())));
    configured.ignored.extend(ignored);
    Cow::Owned(without)
}

/// Returns the value of one layer at a path. The caller may have set it in parts.
fn value_of_layer(settings: &MergedSettings, by: SetBy, path: &[&str]) -> Value {
    let Some(node) = settings.at_layer(by, path) else { return Value::Null };
    let all = settings.at(path).and_then(SettingsNode::as_table).filter(|_| node.as_table().is_some());
    match (by, all) {
        (SetBy::Caller, Some(all)) => all
            .iter()
            .filter_map(|(key, _)| {
                let path = [path, &[key]].concat();
                settings.at_layer(by, &path).map(|_| (key.to_owned(), value_of_layer(settings, by, &path)))
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

/// Returns the sentence about a value that is replaced by a weaker one.
fn retained(by: SetBy, stays: SetBy, why: &str, pointer: &str) -> Diagnostic {
    let message =
        format!("{by}-scope override failed validation ({why} at {pointer}); retaining {stays} value");
    Diagnostic::warning(DiagnosticCode::ConfigSchemaViolation, message)
}

/// Checks the configuration as a whole, after all settings are applied.
pub(super) fn whole_fault(
    manifest: &Manifest,
    config: &Map<String, Value>,
    checker: &dyn SchemaChecker,
) -> Option<Diagnostic> {
    let schema = manifest.config_schema.as_ref()?;
    match checker.check(schema, &Value::Object(config.clone())) {
        Err(SchemaFault::Config(faults)) => {
            let fault = faults.into_iter().next()?;
            Some(Diagnostic::error(DiagnosticCode::ConfigSchemaViolation, fault.message).about(fault.pointer))
        }
        _ => None,
    }
}
