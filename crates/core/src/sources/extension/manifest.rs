//! A manifest: one `manifest.json`, read and validated as far as possible by itself.

use super::{
    ability::{Ability, ToolTexts},
    category::Category,
    config_schema::{SchemaChecker, SchemaFault, SchemaViolation},
    version::{CONTRACT_VERSION, CORE_VERSION, SemanticVersion},
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy},
    scope::Scope,
    settings::{SettingsNode, SettingsTable, TypeFault, parse_document, shown},
    suggestion::did_you_mean,
};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The largest `configSchema`, in bytes of JSON.
const SCHEMA_LIMIT: usize = 64 << 10;

/// The longest id, in bytes.
const LONGEST_ID: usize = 128;

/// The longest id of an extension, in bytes.
const LONGEST_EXTENSION_ID: usize = 64;

/// A manifest that passed every stage but the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The name, that of its directory.
    pub id: String,
    /// The category of the extension.
    pub category: Category,
    /// The contract version that it is written for.
    pub contract_version: String,
    /// The core versions that it works with.
    pub required_core_version: String,
    /// The schema of its configuration.
    pub config_schema: Option<Value>,
    /// The default configuration, which settings may change.
    pub config: Map<String, Value>,
    /// The content of the extension.
    pub ability: Ability,
    /// Warnings about unknown keys.
    pub diagnostics: Diagnostics,
}

/// The keys that every manifest may have.
const COMMON_KEYS: [&str; 8] = [
    "$schema",
    "category",
    "config",
    "configSchema",
    "contractVersion",
    "description",
    "id",
    "requiredCoreVersion",
];

/// The fields that every manifest may have.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ManifestFields {
    id: String,
    category: Category,
    contract_version: String,
    required_core_version: String,
    config_schema: Option<Value>,
    #[serde(default)]
    config: Map<String, Value>,
}

/// Builds the failure of a field.
pub(super) fn field_failure(code: DiagnosticCode, fault: TypeFault) -> Diagnostic {
    let pointer: String = fault.keys.iter().map(|key| format!("/{key}")).collect();
    Diagnostic { help: fault.help.map(Remedy::from), ..Diagnostic::error(code, fault.message).about(pointer) }
}

/// Builds the failure of an id that is not the name of its directory.
fn other_id(id: &str, lies: &ManifestLocation<'_>) -> Diagnostic {
    let claimed = shown(id);
    let message = format!("`id` is `{claimed}`, but its directory is `{}`", shown(lies.id));
    let help = match extension_id_fault(id) {
        Some(fault) => format!("`{claimed}` {fault}: name both by a plain word"),
        None => "give both the same name".to_owned(),
    };
    Diagnostic::error(DiagnosticCode::DiscoveryManifestInvalid, message).about("/id").help(help)
}

/// The most unknown keys that are reported one by one.
const MOST_UNKNOWN: usize = 20;

/// Reports unknown keys.
fn unknown_keys(table: &SettingsTable, lies: &ManifestLocation<'_>) -> Diagnostics {
    let known = || COMMON_KEYS.iter().chain(Ability::fields(lies.category)).copied();
    let unknown = table.iter().filter(|(key, _)| !known().any(|known| known == *key));
    unknown
        .take(MOST_UNKNOWN)
        .map(|(key, node)| {
            let message =
                format!("a manifest of `{}` has no key `{}`; it is ignored", lies.category, shown(key));
            let diagnostic = Diagnostic::warning(DiagnosticCode::KeyUnknown, message).at(node.key_place());
            match did_you_mean(key, known()) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic,
            }
        })
        .collect()
}

/// The location of a manifest, which determines its category and id.
#[derive(Clone, Copy, Debug)]
pub struct ManifestLocation<'a> {
    /// The layer.
    pub scope: Scope,
    /// The directory of its category.
    pub category: Category,
    /// The name of its directory.
    pub id: &'a str,
    /// The path for display.
    pub path: &'a str,
}

/// The failures of an invalid manifest, with its id if that differs from the directory's name.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidManifest {
    /// The failures; at least one, all of one stage.
    pub failures: Vec<Diagnostic>,
    /// The id in the manifest, if it is not the name of the directory.
    pub claims: Option<String>,
}

/// Returns the fault of a name that cannot be an id, as the end of a sentence.
#[must_use]
pub fn id_fault(id: &str) -> Option<&'static str> {
    if id.is_empty() || id == "." || id == ".." {
        return Some("is no name");
    }
    if id.len() > LONGEST_ID {
        return Some("is longer than 128 bytes");
    }
    if id.contains(['/', '\\']) {
        return Some("must not contain `/` or `\\`");
    }
    if crate::lint::hidden::escape_hidden(id) != id {
        return Some("must not contain control or hidden characters");
    }
    None
}

/// Returns the fault of an extension's id. It becomes part of paths, messages and command lines, so it must
/// be a plain word: `[A-Za-z0-9_][A-Za-z0-9._-]{0,63}`.
#[must_use]
pub fn extension_id_fault(id: &str) -> Option<&'static str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    if id.is_empty() || id.starts_with(['.', '-']) {
        return Some("must begin with a letter, a digit or `_`");
    }
    if id.len() > LONGEST_EXTENSION_ID {
        return Some("is longer than 64 bytes");
    }
    (!id.bytes().all(is_plain)).then_some("may hold letters, digits, `.`, `_` and `-` of ASCII only")
}

impl Manifest {
    /// Reads a manifest through the stages shape, contractVersion, requiredCoreVersion and configSchema, up
    /// to the first one that fails.
    ///
    /// # Errors
    /// The failures of that stage.
    pub fn read(
        bytes: &[u8],
        lies: &ManifestLocation<'_>,
        checker: &dyn SchemaChecker,
    ) -> Result<Manifest, InvalidManifest> {
        let discovery = DiagnosticCode::DiscoveryManifestInvalid;
        let root = parse_document(lies.scope.into(), lies.path, bytes, discovery).map_err(|diagnostic| {
            let message = format!("the manifest is no JSON: {}", diagnostic.message);
            let failure = Diagnostic::error(discovery, message).at(diagnostic.place);
            InvalidManifest { failures: vec![failure], claims: None }
        })?;
        let id = root.at(&["id"]).and_then(SettingsNode::as_text).filter(|id| *id != lies.id);
        let manifest = match id {
            Some(id) => Err(vec![other_id(id, lies)]),
            None => Self::check(&root, lies, checker),
        };
        manifest.map_err(|mut failures| {
            for failure in &mut failures {
                failure.place = place(&root, failure);
            }
            InvalidManifest { failures, claims: id.map(str::to_owned) }
        })
    }

    fn check(
        root: &SettingsNode,
        lies: &ManifestLocation<'_>,
        checker: &dyn SchemaChecker,
    ) -> Result<Manifest, Vec<Diagnostic>> {
        let discovery = |pointer: &str, message: String| {
            Diagnostic::error(DiagnosticCode::DiscoveryManifestInvalid, message).about(pointer)
        };
        let Some(table) = root.as_table() else {
            let message = format!("a manifest must be a JSON object, not {}", root.described());
            return Err(vec![discovery("", message)]);
        };
        let fields: ManifestFields = TypeFault::read(root)
            .map_err(|fault| vec![field_failure(DiagnosticCode::ShapeInvalid, fault)])?;
        if fields.category != lies.category {
            let message = format!("`category` is `{}`, but it lies in `{}`", fields.category, lies.category);
            return Err(vec![discovery("/category", message).help("move it, or correct the manifest")]);
        }
        let span = table.get("markdown").map_or(0..0, SettingsNode::span);
        let ability =
            Ability::read(lies.category, lies.scope, root, span).map_err(|failure| vec![*failure])?;
        let manifest = Manifest {
            id: fields.id,
            category: lies.category,
            contract_version: fields.contract_version,
            required_core_version: fields.required_core_version,
            config_schema: fields.config_schema,
            config: fields.config,
            ability,
            diagnostics: unknown_keys(table, lies),
        };
        if let Some(fault) = extension_id_fault(lies.id) {
            let message = format!("`id` {fault}: `{}`", shown(lies.id));
            return Err(vec![discovery("/id", message).help("name it and its directory by a plain word")]);
        }
        if let Some(failure) = manifest.version_fault() {
            return Err(vec![failure]);
        }
        let mut failures = manifest.config_faults(table.get("configSchema"), checker);
        // A test compiles those of bundled tools, so that no build has to.
        if lies.scope != Scope::Bundled {
            failures.extend(manifest.input_schema_fault(checker));
        }
        if failures.is_empty() { Ok(manifest) } else { Err(failures) }
    }

    /// Returns the manifest of a built-in extension, which has settings of its own or none.
    pub(super) fn builtin(category: Category, id: &str) -> Manifest {
        Manifest {
            id: id.to_owned(),
            category,
            contract_version: CONTRACT_VERSION.to_string(),
            required_core_version: String::new(),
            config_schema: None,
            config: Map::new(),
            ability: Ability::Other,
            diagnostics: Diagnostics::new(),
        }
    }

    fn version_fault(&self) -> Option<Diagnostic> {
        let version = SemanticVersion::parse(&self.contract_version);
        if version != Some(CONTRACT_VERSION) {
            let version_shown = shown(&self.contract_version);
            let what = match version {
                Some(_) => {
                    format!("it is written for contract {version_shown}; this core knows {CONTRACT_VERSION}")
                }
                None => format!("`{version_shown}` is no version of three numbers"),
            };
            let failure = Diagnostic::error(DiagnosticCode::ContractVersionMismatch, what);
            return Some(failure.about("/contractVersion"));
        }
        if CORE_VERSION.meets(&self.required_core_version) {
            return None;
        }
        let range = shown(&self.required_core_version);
        let what = format!("it needs a core `{range}`; this is {CORE_VERSION}");
        let failure = Diagnostic::error(DiagnosticCode::RequiredCoreVersionMismatch, what)
            .about("/requiredCoreVersion");
        let is_range = SemanticVersion::is_range(&self.required_core_version);
        let help = "a range is made of `>=`, `<=`, `>`, `<`, `=` and three numbers, such as `>=1.0.0 <2.0.0`";
        Some(if is_range { failure } else { failure.help(help) })
    }

    fn input_schema_fault(&self, checker: &dyn SchemaChecker) -> Option<Diagnostic> {
        let Ability::Tool(ToolTexts { input_schema: Some(schema), .. }) = &self.ability else { return None };
        let SchemaViolation { message, .. } = checker.compile(schema).err()?;
        let message = format!("`inputSchema` does not compile: {message}");
        Some(Diagnostic::error(DiagnosticCode::ShapeInvalid, message).about("/inputSchema"))
    }

    fn config_faults(&self, node: Option<&SettingsNode>, checker: &dyn SchemaChecker) -> Vec<Diagnostic> {
        let Some(schema) = &self.config_schema else { return Vec::new() };
        let failure = |pointer: String, message: String| {
            Diagnostic::error(DiagnosticCode::ConfigSchemaViolation, message).about(pointer)
        };
        let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
        let wrong = if node.is_some_and(|node| node.span().len() > SCHEMA_LIMIT) {
            Some(("is larger than 64 KiB", "shorten it"))
        } else if schema.get("type").and_then(Value::as_str) != Some("object") {
            Some(("must describe an object", "write `\"type\": \"object\"` in it"))
        } else if !is_closed {
            Some(("must be closed", "write `\"additionalProperties\": false` in it"))
        } else {
            None
        };
        if let Some((what, help)) = wrong {
            return vec![failure("/configSchema".to_owned(), format!("`configSchema` {what}")).help(help)];
        }
        match checker.check(schema, &Value::Object(self.config.clone())) {
            Ok(()) => Vec::new(),
            Err(SchemaFault::Schema(SchemaViolation { pointer, message })) => {
                let message = format!("`configSchema` does not compile: {message}");
                vec![failure(format!("/configSchema{pointer}"), message)]
            }
            Err(SchemaFault::Config(faults)) => {
                faults.into_iter().map(|fault| failure(fault.pointer, fault.message)).collect()
            }
        }
    }
}

/// Returns the place of a failure; `None` for a field that is not there.
fn place(root: &SettingsNode, failure: &Diagnostic) -> Option<Place> {
    let keys: Vec<&str> = failure.subject.as_deref().unwrap_or_default().split('/').skip(1).collect();
    let is_of_config =
        failure.code == DiagnosticCode::ConfigSchemaViolation && keys.first() != Some(&"configSchema");
    let node = match (is_of_config, root.at(&["config"])) {
        (true, Some(config)) => config.at(&keys).or(Some(config)),
        (true, None) => None,
        (false, _) if failure.code == DiagnosticCode::ConfigSchemaViolation => root.at(&["configSchema"]),
        (false, _) => root.at(&keys),
    };
    node.map(SettingsNode::place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_extensions_are_plain_words() {
        for id in ["a", "_", "7", "A.b-c_d", "a..b", &"x".repeat(64)] {
            assert_eq!(extension_id_fault(id), None, "{id}");
        }
        for id in [
            "",
            ".",
            "..",
            ".a",
            "-rf",
            "a b",
            "$(touch PWNED)",
            "a;b",
            "a/b",
            "\u{e4}",
            "a\n",
            &"x".repeat(65),
        ] {
            assert!(extension_id_fault(id).is_some(), "{id:?}");
        }
    }

    #[test]
    fn the_published_schema_has_the_keys_that_are_read() {
        let published = include_str!("../../../../../docs/reference/schemas/manifest.json");
        let document: Value = serde_json::from_str(published).unwrap();
        let keys = |schema: &Value| -> Vec<String> {
            let properties = schema["properties"].as_object();
            properties.into_iter().flatten().map(|(key, _)| key.clone()).collect()
        };
        assert_eq!(keys(&document), COMMON_KEYS);
        assert_eq!(document["unevaluatedProperties"], false, "an editor finds unknown keys");
        for category in Category::ALL {
            let of = document["allOf"].as_array().unwrap().iter();
            let of = of.filter(|one| one["if"]["properties"]["category"]["const"] == category.as_str());
            let found: Vec<String> = of.flat_map(|one| keys(&one["then"])).collect();
            assert_eq!(found, Ability::fields(category), "{category}");
        }
    }
}
