//! A manifest: one `manifest.json`, read and validated as far as possible by itself.

use super::{
    ability::Ability,
    category::Category,
    config_schema::{SchemaChecker, SchemaFault, SchemaViolation},
    failure::{ValidationFailure, ValidationStage},
    reading::ManifestFields,
    version::{CONTRACT_VERSION, CORE_VERSION, SemanticVersion},
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    scope::Scope,
    settings::{JsonDialect, SettingsNode, SettingsTable, parse_document, shown},
    suggestion::did_you_mean,
};
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
            let diagnostic =
                Diagnostic::warning(DiagnosticCode::ExtensionUnknownKey, message).at(node.key_place());
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
    pub failures: Vec<ValidationFailure>,
    /// The id in the manifest, if it is not the name of the directory.
    pub claims: Option<String>,
}

impl From<Vec<ValidationFailure>> for InvalidManifest {
    fn from(failures: Vec<ValidationFailure>) -> Self {
        InvalidManifest { failures, claims: None }
    }
}

impl From<ValidationFailure> for InvalidManifest {
    fn from(failure: ValidationFailure) -> Self {
        vec![failure].into()
    }
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

#[cfg(test)]
#[test]
fn ids_of_extensions_are_plain_words() {
    for id in ["a", "_", "7", "A.b-c_d", "a..b", &"x".repeat(64)] {
        assert_eq!(extension_id_fault(id), None, "{id}");
    }
    for id in
        ["", ".", "..", ".a", "-rf", "a b", "$(touch PWNED)", "a;b", "a/b", "\u{e4}", "a\n", &"x".repeat(65)]
    {
        assert!(extension_id_fault(id).is_some(), "{id:?}");
    }
}

#[cfg(test)]
#[test]
fn the_published_schema_has_the_keys_that_are_read() {
    let published = crate::settings::SCHEMAS.iter().find(|schema| schema.name == "manifest").unwrap();
    let document = published.document();
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
        let discovery = ValidationStage::Discovery;
        let refused = |message: String, node: Option<&SettingsNode>| {
            let mut failure = ValidationFailure::new(discovery, "", message);
            failure.place = node.map(SettingsNode::place);
            InvalidManifest::from(failure)
        };
        let read = parse_document(lies.scope.into(), lies.path, bytes, JsonDialect::Strict, discovery.code());
        let (root, diagnostics) = read.map_err(|diagnostic| {
            InvalidManifest::from(ValidationFailure {
                place: diagnostic.place.clone(),
                ..ValidationFailure::new(
                    discovery,
                    "",
                    format!("the manifest is no JSON: {}", diagnostic.message),
                )
            })
        })?;
        if let Some(diagnostic) = diagnostics.first() {
            return Err(ValidationFailure {
                place: diagnostic.place.clone(),
                ..ValidationFailure::new(
                    discovery,
                    "",
                    diagnostic.message.replace("; the last one counts", ""),
                )
            }
            .into());
        }
        let Some(table) = root.as_table() else {
            return Err(refused(
                format!("a manifest must be a JSON object, not {}", root.described()),
                Some(&root),
            ));
        };
        let mut fields = ManifestFields::of(table);
        let manifest = Self::shape(&mut fields, lies, table.get("config"));
        if let Some(id) =
            table.get("id").and_then(SettingsNode::as_text).filter(|id| !id.is_empty() && *id != lies.id)
        {
            let claimed = shown(id);
            let mut error = refused(
                format!("`id` is `{claimed}`, but its directory is `{}`", shown(lies.id)),
                table.get("id"),
            );
            error.failures[0].pointer = "/id".to_owned();
            error.failures[0].help = Some(match extension_id_fault(id) {
                Some(fault) => format!("`{claimed}` {fault}: name both by a plain word"),
                None => "give both the same name".to_owned(),
            });
            error.claims = Some(id.to_owned());
            return Err(error);
        }
        if let Some(fault) = manifest.as_ref().and_then(|manifest| extension_id_fault(&manifest.id)) {
            let mut error = refused(format!("`id` {fault}: `{}`", shown(lies.id)), table.get("id"));
            error.failures[0].pointer = "/id".to_owned();
            error.failures[0].help = Some("name it and its directory by a plain word".to_owned());
            return Err(error);
        }
        if let Some(first) = fields.failures.iter().map(|failure| failure.stage).min() {
            fields.failures.retain(|failure| failure.stage == first);
            return Err(fields.failures.into());
        }
        let Some(manifest) = manifest else {
            return Err(refused("the manifest is empty".to_owned(), None));
        };
        manifest
            .versions(table.get("contractVersion"), table.get("requiredCoreVersion"))
            .map_err(|failure| *failure)?;
        manifest.check_config(table.get("configSchema"), table.get("config"), checker)?;
        Ok(Manifest { diagnostics: unknown_keys(table, lies), ..manifest })
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

    fn shape(
        fields: &mut ManifestFields<'_>,
        lies: &ManifestLocation<'_>,
        config: Option<&SettingsNode>,
    ) -> Option<Manifest> {
        let id = fields.name("id");
        let category = fields.name("category").and_then(|name| match name.parse::<Category>() {
            Ok(category) if category == lies.category => Some(category),
            Ok(_) => {
                let message = format!("`category` is `{name}`, but it lies in `{}`", lies.category);
                let failure = fields.add_failure("category", message);
                failure.stage = ValidationStage::Discovery;
                failure.help = Some("move it, or correct the manifest".to_owned());
                None
            }
            Err(unknown) => {
                let near = did_you_mean(&name, Category::ALL.iter().map(|c| c.as_str()));
                let help = near.map_or_else(|| unknown.to_string(), |near| format!("did you mean `{near}`?"));
                let message = format!("`category` is unknown: `{}`", shown(&name));
                fields.add_failure("category", message).help = Some(help);
                None
            }
        });
        let contract_version = fields.name("contractVersion");
        let required_core_version = fields.name("requiredCoreVersion");
        let ability = Ability::read(lies.category, lies.scope, fields);
        let config = match config.map(|node| (node, node.to_value())) {
            None => Map::new(),
            Some((_, Value::Object(map))) => map,
            Some((node, _)) => {
                fields.add_failure("config", format!("`config` must be an object, not {}", node.described()));
                Map::new()
            }
        };
        Some(Manifest {
            id: id?,
            category: category?,
            contract_version: contract_version?,
            required_core_version: required_core_version?,
            config_schema: fields.node("configSchema").map(SettingsNode::to_value),
            config,
            ability,
            diagnostics: Diagnostics::new(),
        })
    }

    fn versions(
        &self,
        contract: Option<&SettingsNode>,
        core: Option<&SettingsNode>,
    ) -> Result<(), Box<ValidationFailure>> {
        let version = &self.contract_version;
        if SemanticVersion::parse(version) != Some(CONTRACT_VERSION) {
            let what = match SemanticVersion::parse(version) {
                Some(_) => {
                    format!("it is written for contract {version}; this core knows {CONTRACT_VERSION}")
                }
                None => format!("`{}` is no version of three numbers", shown(version)),
            };
            return Err(Box::new(ValidationFailure {
                place: contract.map(SettingsNode::place),
                ..ValidationFailure::new(ValidationStage::ContractVersion, "/contractVersion", what)
            }));
        }
        if !CORE_VERSION.meets(&self.required_core_version) {
            let range = shown(&self.required_core_version);
            let what = format!("it needs a core `{range}`; this is {CORE_VERSION}");
            let failure =
                ValidationFailure::new(ValidationStage::RequiredCoreVersion, "/requiredCoreVersion", what);
            let failure = if SemanticVersion::is_range(&self.required_core_version) {
                failure
            } else {
                failure.help(
                    "a range is made of `>=`, `<=`, `>`, `<`, `=` and three numbers, such as `>=1.0.0 <2.0.0`",
                )
            };
            return Err(Box::new(ValidationFailure { place: core.map(SettingsNode::place), ..failure }));
        }
        Ok(())
    }

    fn check_config(
        &self,
        schema: Option<&SettingsNode>,
        config: Option<&SettingsNode>,
        checker: &dyn SchemaChecker,
    ) -> Result<(), Vec<ValidationFailure>> {
        let Some(value) = &self.config_schema else { return Ok(()) };
        let stage = ValidationStage::ConfigSchema;
        let at_schema = |failure: ValidationFailure| ValidationFailure {
            place: schema.map(SettingsNode::place),
            ..failure
        };
        let wrong = |message: &str, help: &str| {
            vec![at_schema(ValidationFailure::new(stage, "/configSchema", message).help(help))]
        };
        if schema.is_some_and(|node| node.span().len() > SCHEMA_LIMIT) {
            return Err(wrong("`configSchema` is larger than 64 KiB", "shorten it"));
        }
        if value.get("type").and_then(Value::as_str) != Some("object") {
            return Err(wrong(
                "`configSchema` must describe an object",
                "write `\"type\": \"object\"` in it",
            ));
        }
        if value.get("additionalProperties") != Some(&Value::Bool(false)) {
            return Err(wrong(
                "`configSchema` must be closed",
                "write `\"additionalProperties\": false` in it",
            ));
        }
        checker.check(value, &Value::Object(self.config.clone())).map_err(|fault| match fault {
            SchemaFault::Schema(SchemaViolation { pointer, message }) => {
                let message = format!("`configSchema` does not compile: {message}");
                vec![at_schema(ValidationFailure::new(stage, format!("/configSchema{pointer}"), message))]
            }
            SchemaFault::Config(faults) => faults
                .into_iter()
                .map(|SchemaViolation { pointer, message }| {
                    let keys: Vec<&str> = pointer.split('/').skip(1).collect();
                    let place =
                        config.and_then(|config| config.at(&keys).or(Some(config))).map(SettingsNode::place);
                    ValidationFailure { place, ..ValidationFailure::new(stage, pointer, message) }
                })
                .collect(),
        })
    }
}
