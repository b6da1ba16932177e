//! Scopes made by hand for the tests of the views: one example with all three layers, and whatever else a test adds.

use super::row::{ListingGroup, ListingRow, rows};
use preface_core::{
    extension::{
        Category, DiscoveredContent, DiscoveredManifest, NoGrants, Ordering, SchemaChecker, SchemaFault,
        Scopes, resolve,
    },
    mcp_servers::{self, McpFile, McpServers},
    scope::Scope,
    settings::{LayerSettings, merge, parse},
};
use serde_json::Value;

/// Every value fits every schema: the views do not care.
#[derive(Debug)]
struct PermissiveChecker;

impl SchemaChecker for PermissiveChecker {
    fn check(&self, _schema: &Value, _config: &Value) -> Result<(), SchemaFault> {
        Ok(())
    }
}

/// The contents of the layers before they are resolved.
#[derive(Default)]
pub struct Sample {
    found: Vec<DiscoveredManifest>,
    settings: Vec<LayerSettings>,
    orderings: Vec<Ordering>,
    mcp: Vec<McpFile>,
}

impl Sample {
    /// An example with entries of all three layers.
    pub fn worked() -> Self {
        use Category::{ContextProviders, Hooks, Loggers, Providers, Tools};
        Sample::default()
            .add(Scope::Bundled, Tools, "Bash", r#""description": "Runs commands.""#)
            .add(Scope::Bundled, Tools, "Edit", r#""description": "Edits files.""#)
            .add(Scope::Bundled, Loggers, "stdout", r#""path": "out.log""#)
            .add(Scope::Bundled, ContextProviders, "repoSummary", r#""markdown": "A summary.""#)
            .add(
                Scope::Global,
                Providers,
                "openai-proxy",
                r#""kind": "openai", "baseUrl": "https://proxy.example/v1""#,
            )
            .add(Scope::Global, Loggers, "fileDebug", r#""path": "debug.log""#)
            .settings(Scope::Global, "{\n  \"loggers\": {\n    \"stdout\": {\"disable\": true}\n  }\n}")
            .add(
                Scope::Project,
                Hooks,
                "pre-tool-audit",
                r#""slot": "TOOL_CALL/pre", "role": "guard", "command": ["./audit.sh"]"#,
            )
            .add(Scope::Project, Tools, "Bash", r#""description": "Runs commands, strictly.""#)
            .ordering(Scope::Project, r#"{"hooks": {"TOOL_CALL/pre": ["pre-tool-audit"]}}"#)
    }

    /// Adds a sound manifest with these fields.
    pub fn add(self, scope: Scope, category: Category, id: &str, fields: &str) -> Self {
        let head = format!(
            r#""id": "{id}", "category": "{category}", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0""#
        );
        self.raw(
            scope,
            category,
            id,
            DiscoveredContent::Manifest(format!("{{{head}, {fields}}}").into_bytes()),
        )
    }

    /// Adds anything.
    pub fn raw(mut self, scope: Scope, category: Category, id: &str, what: DiscoveredContent) -> Self {
        let path = format!("{}/extensions/{category}/{id}/manifest.json", root(scope));
        self.found.push(DiscoveredManifest { scope, category, id: id.to_owned(), path, what });
        self
    }

    /// Adds a settings file.
    pub fn settings(mut self, scope: Scope, json: &str) -> Self {
        let path = format!("{}/settings.json", root(scope));
        let (settings, diagnostics) = parse(scope, &path, json.as_bytes());
        assert!(diagnostics.is_empty(), "the sample's settings are sound: {diagnostics:?}");
        self.settings.extend(settings);
        self
    }

    /// Adds an ordering manifest.
    pub fn ordering(mut self, scope: Scope, json: &str) -> Self {
        let path = format!("{}/ordering.json", root(scope));
        let ordering = Ordering::read(scope, &path, json.as_bytes()).expect("the sample's ordering is sound");
        self.orderings.push(ordering);
        self
    }

    /// Adds an `mcp.json`.
    pub fn mcp(mut self, scope: Scope, json: &str) -> Self {
        let (file, diagnostics) = McpFile::read(scope, &format!("{}/mcp.json", root(scope)), json.as_bytes());
        assert!(diagnostics.is_empty(), "the sample's servers can be read: {diagnostics:?}");
        self.mcp.extend(file);
        self
    }

    /// Resolves it.
    pub fn layers(self) -> Layers {
        let settings = merge(self.settings, &mut Vec::new());
        Layers {
            scopes: resolve(self.found, &settings, &self.orderings, &PermissiveChecker, &NoGrants),
            mcp: mcp_servers::resolve(self.mcp, &|_| false),
        }
    }
}

/// What was resolved.
pub struct Layers {
    pub scopes: Scopes,
    pub mcp: McpServers,
}

impl Layers {
    /// Returns the rows of some groups.
    pub fn rows(&self, groups: &[ListingGroup]) -> Vec<ListingRow> {
        rows(&self.scopes, &self.mcp, groups)
    }
}

fn root(scope: Scope) -> &'static str {
    match scope {
        Scope::Bundled => "bundled",
        Scope::Global => "~/.stud",
        Scope::Project => ".stud",
    }
}

/// Returns a view without its colours.
pub fn plain(view: &str) -> String {
    anstream::adapter::strip_str(view).to_string()
}
