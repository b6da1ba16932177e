//! What the tests of extensions share: manifests made by hand, and a small checker of schemas.
#![allow(dead_code, reason = "each test file takes what it needs")]

use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity},
    extension::{
        Category, DiscoveredContent, DiscoveredManifest, ExtensionEntry, Grants, NoGrants, Ordering,
        ProviderChange, SchemaChecker, SchemaFault, SchemaViolation, Scopes, resolve,
    },
    scope::Scope,
    settings::{MergedSettings, merge, parse},
};
use serde_json::{Map, Value, json};

pub const DISCOVERY: &str = "extension/manifest-invalid";
pub const SHAPE: &str = "extension/shape-invalid";
pub const CONTRACT: &str = "extension/contract-version";
pub const CORE: &str = "extension/core-version";
pub const CONFIG: &str = "settings/schema-violation";
pub const REGISTER: &str = "extension/name-conflict";

/// Understands `type`, `required`, `minProperties` and `properties.<k>.type`. The type `broken` does not compile.
#[derive(Debug)]
pub struct Checker;

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => false,
    }
}

impl SchemaChecker for Checker {
    fn check(&self, schema: &Value, config: &Value) -> Result<(), SchemaFault> {
        let nothing = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
        let kind = |schema: &Value| schema.get("type").and_then(Value::as_str).map(str::to_owned);
        if let Some((key, _)) = properties.iter().find(|(_, of)| kind(of).as_deref() == Some("broken")) {
            let pointer = format!("/properties/{key}/type");
            return Err(SchemaFault::Schema(SchemaViolation {
                pointer,
                message: "there is no such type".to_owned(),
            }));
        }
        let config = config.as_object().unwrap_or(&nothing);
        let mut faults = Vec::new();
        for (key, value) in config {
            let pointer = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
            match properties.get(key).and_then(kind) {
                Some(kind) if !is_a(value, &kind) => {
                    faults.push(SchemaViolation { pointer, message: format!("it must be of type {kind}") });
                }
                None if !properties.contains_key(key) => {
                    faults.push(SchemaViolation { pointer, message: "it is not declared".to_owned() });
                }
                _ => {}
            }
        }
        for key in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            if key.as_str().is_some_and(|key| !config.contains_key(key)) {
                faults
                    .push(SchemaViolation { pointer: String::new(), message: format!("{key} is required") });
            }
        }
        let most = schema.get("maxProperties").and_then(Value::as_u64).unwrap_or(u64::MAX);
        if config.len() as u64 > most {
            faults.push(SchemaViolation {
                pointer: String::new(),
                message: format!("more than {most} properties"),
            });
        }
        if faults.is_empty() { Ok(()) } else { Err(SchemaFault::Config(faults)) }
    }
}

/// Grants everything.
pub struct All;

impl Grants for All {
    fn may_run(&self, _entry: &ExtensionEntry) -> bool {
        true
    }

    fn may_change(&self, _change: &ProviderChange) -> bool {
        true
    }
}

/// A manifest with what every manifest must have, and `more` laid over it.
pub fn manifest(category: Category, id: &str, more: &Value) -> Value {
    let mut manifest = json!({
        "id": id,
        "category": category.as_str(),
        "contractVersion": "1.0.0",
        "requiredCoreVersion": ">=1.0.0",
    });
    for (key, value) in more.as_object().expect("an object of fields") {
        manifest[key] = value.clone();
    }
    manifest
}

/// What makes an entry of a category complete.
pub fn complete(category: Category) -> Value {
    match category {
        Category::Commands | Category::Tools => json!({"description": "Does it."}),
        Category::ContextProviders => json!({"markdown": "Hello."}),
        Category::Hooks => json!({"slot": "TOOL_CALL/pre", "command": ["check"]}),
        Category::Loggers => json!({"path": "log.jsonl"}),
        Category::Providers => json!({"kind": "openai", "baseUrl": "https://example.org"}),
        Category::SessionStores => json!({"kind": "memory"}),
        Category::StateMachines | Category::Ui => json!({}),
    }
}

pub fn path(scope: Scope, category: Category, id: &str) -> String {
    format!("{scope}/extensions/{category}/{id}/manifest.json")
}

pub fn raw(scope: Scope, category: Category, id: &str, text: &str) -> DiscoveredManifest {
    let what = DiscoveredContent::Manifest(text.as_bytes().to_vec());
    DiscoveredManifest { scope, category, id: id.to_owned(), path: path(scope, category, id), what }
}

pub fn with(scope: Scope, category: Category, id: &str, more: &Value) -> DiscoveredManifest {
    raw(scope, category, id, &manifest(category, id, more).to_string())
}

/// A complete one.
pub fn sound(scope: Scope, category: Category, id: &str) -> DiscoveredManifest {
    with(scope, category, id, &complete(category))
}

/// One that fails in the stage contractVersion.
pub fn broken(scope: Scope, category: Category, id: &str) -> DiscoveredManifest {
    with(scope, category, id, &json!({"contractVersion": "9.0.0"}))
}

pub fn untrusted(scope: Scope, category: Category, id: &str) -> DiscoveredManifest {
    let what = DiscoveredContent::Untrusted(Diagnostic::warning(
        DiagnosticCode::TrustUntrusted,
        "it waits for trust",
    ));
    DiscoveredManifest { scope, category, id: id.to_owned(), path: path(scope, category, id), what }
}

/// Settings of layers; reading them reports nothing.
pub fn settings(layers: &[(Scope, Value)]) -> MergedSettings {
    let mut diagnostics = Diagnostics::new();
    let mut parsed = Vec::new();
    for (scope, value) in layers {
        let (layer, diagnostics) =
            parse(*scope, &format!("{scope}/settings.json"), value.to_string().as_bytes());
        assert_eq!(diagnostics, [], "the settings of a test are sound");
        parsed.extend(layer);
    }
    merge(parsed, &mut diagnostics)
}

pub fn resolved(found: Vec<DiscoveredManifest>, settings: &MergedSettings) -> Scopes {
    resolve(found, settings, &[], &Checker, &NoGrants)
}

pub fn ordering(scope: Scope, value: &Value) -> Ordering {
    Ordering::read(scope, &format!("{scope}/ordering.json"), value.to_string().as_bytes())
        .expect("it is sound")
}

/// The row of a layer.
pub fn row<'a>(scopes: &'a Scopes, scope: Scope, category: Category, id: &str) -> &'a ExtensionEntry {
    let mut rows = scopes
        .entries
        .iter()
        .filter(|e| e.origin.scope == scope && e.value.category == category && e.name == id);
    let row = rows.next().unwrap_or_else(|| panic!("{scope} has {category}/{id}"));
    assert!(rows.next().is_none(), "{scope} has {category}/{id} once");
    row
}

/// `severity code` of each diagnostic.
pub fn severity_codes(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics.iter().map(|diagnostic| format!("{} {}", diagnostic.severity, diagnostic.code)).collect()
}

pub fn of_severity(diagnostics: &[Diagnostic], severity: Severity) -> Vec<&Diagnostic> {
    diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).collect()
}
