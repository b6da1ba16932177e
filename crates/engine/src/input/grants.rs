//! Permissions of a project beyond text, compared with what was granted: to start programs, connect to addresses, write files.

use crate::input::consent;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy, Severity},
    extension::{
        self, Ability, Category, ContextSource, Entry, ExtensionEntry, Grants, ProviderChange, Scopes, Status,
    },
    mcp_servers::{McpServer, McpServers, ServerEntry},
    scope::Scope,
    trust::TrustMode,
};
use preface_host::{
    extensions::manifest_path,
    places::Places,
    provider::{context::ProviderContext, extension::launch_argv},
    system::System,
    trust::{
        CheckedCommand, CommandWords, GrantState, GrantedCommands, Permission, PermissionAction, RootRecord,
        TrustError,
    },
};
use serde_json::Value;
use std::{
    cell::OnceCell,
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// An action of a project's entry, as a grant records it.
pub(crate) enum ProjectAction {
    Command(CheckedCommand),
    Other(Permission),
}

impl ProjectAction {
    pub(crate) fn permission(&self) -> &Permission {
        match self {
            ProjectAction::Command(command) => &command.permission,
            ProjectAction::Other(permission) => permission,
        }
    }
}

/// Works out what an entry would do.
fn action(
    entry: &ExtensionEntry,
    root: &Path,
    context: &ProviderContext<'_>,
) -> Option<Result<ProjectAction, TrustError>> {
    let subject = format!("{}/{}", entry.value.category, entry.name);
    let program = match &entry.value.ability {
        Some(Ability::Context(context)) => match &context.from {
            Some(ContextSource::Command(program)) => Some(program),
            _ => None,
        },
        Some(Ability::Hook(hook)) => hook.program.as_ref(),
        _ => None,
    };
    if let Some(program) = program {
        let manifest = manifest_path(entry, context);
        let directory = manifest.as_deref().and_then(Path::parent);
        let argv = launch_argv(program, directory);
        let (cwd, env) = (&context.places.cwd, &BTreeMap::new());
        let words = CommandWords { subject: &subject, argv: &argv, cwd, env, directory };
        return Some(CheckedCommand::check(context.system, root, &words).map(ProjectAction::Command));
    }
    let action = match entry.action.as_ref()? {
        extension::PrivilegedAction::Endpoint(url) => {
            // Whose key goes there is part of the action.
            let key = match &entry.value.ability {
                Some(Ability::Model(model)) => model.key.as_ref(),
                _ => None,
            };
            let with = key.map(|key| ("apiKey".to_owned(), format!("{}:{}", key.kind, key.name)));
            PermissionAction::Endpoint { url: url.clone(), with: with.into_iter().collect() }
        }
        extension::PrivilegedAction::Writes(path) => PermissionAction::Writes { path: path.clone() },
        extension::PrivilegedAction::Command { .. } => return None,
    };
    Some(Ok(ProjectAction::Other(Permission { subject, action })))
}

/// Works out what a server of a project's `mcp.json` would do.
fn server_action(
    entry: &ServerEntry,
    root: &Path,
    context: &ProviderContext<'_>,
) -> Option<Result<ProjectAction, TrustError>> {
    let subject = format!("mcp/{}", entry.name);
    match entry.value.server.as_ref()? {
        McpServer::Stdio(launch) => {
            let argv: Vec<String> = std::iter::once(&launch.command).chain(&launch.args).cloned().collect();
            let env = launch.env.iter().map(|(name, value)| (name.clone(), value.as_written().to_owned()));
            let env = env.collect();
            let cwd = launch.cwd.as_ref().map_or_else(
                || context.places.cwd.clone(),
                |dir| preface_host::places::normal(&context.places.cwd, Path::new(dir)),
            );
            let words =
                CommandWords { subject: &subject, argv: &argv, cwd: &cwd, env: &env, directory: None };
            Some(CheckedCommand::check(context.system, root, &words).map(ProjectAction::Command))
        }
        McpServer::Sse(address) | McpServer::StreamableHttp(address) => {
            let with =
                address.headers.iter().map(|(name, value)| (name.clone(), value.as_written().to_owned()));
            let action = PermissionAction::Endpoint { url: address.url.clone(), with: with.collect() };
            Some(Ok(ProjectAction::Other(Permission { subject, action })))
        }
    }
}

/// Works out what the project's settings of a provider would do: which address it has, and what is sent there.
fn change_permission(change: &ProviderChange) -> Permission {
    let with = change
        .config
        .iter()
        .filter(|(key, _)| *key != "baseUrl")
        .map(|(key, value)| {
            let text = |key: &str| value.get(key).and_then(Value::as_str);
            if let (Some(kind @ ("env" | "file" | "keyring")), Some(name)) = (text("kind"), text("name")) {
                return (key.clone(), format!("{kind}:{name}"));
            }
            (key.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        })
        .collect();
    let action = PermissionAction::Endpoint { url: change.url.clone(), with };
    Permission { subject: format!("providers/{}", change.name), action }
}

/// Returns whether a grant decides about an entry: it is active, or would be with a grant.
fn needs_grant<T>(entry: &Entry<T>) -> bool {
    (entry.active || entry.status == Status::Pending) && entry.needs_grant()
}

/// The recorded grants of a project, read when the first question comes.
pub(crate) struct ProjectGrants<'a> {
    context: &'a ProviderContext<'a>,
    store: Option<&'a Path>,
    mode: TrustMode,
    recorded: OnceCell<(PathBuf, RootRecord)>,
}

impl<'a> ProjectGrants<'a> {
    pub(crate) fn new(context: &'a ProviderContext<'a>, store: Option<&'a Path>, mode: TrustMode) -> Self {
        ProjectGrants { context, store, mode, recorded: OnceCell::new() }
    }

    pub(crate) fn recorded(&self) -> &(PathBuf, RootRecord) {
        self.recorded.get_or_init(|| {
            let root = consent::pin_root(self.context.system, &self.context.places.cwd);
            let record = recorded(self.context.system, self.store, self.context.places, self.mode, &root);
            (root, record)
        })
    }

    fn root(&self) -> &Path {
        &self.recorded().0
    }

    pub(crate) fn state(&self, action: &ProjectAction) -> GrantState {
        self.recorded().1.permission_state(action.permission())
    }

    fn is_granted(&self, action: Option<Result<ProjectAction, TrustError>>) -> bool {
        matches!(action, Some(Ok(action)) if self.state(&action) == GrantState::Granted)
    }

    pub(crate) fn may_start(&self, server: &ServerEntry) -> bool {
        self.is_granted(server_action(server, self.root(), self.context))
    }

    /// Works out what the extensions and servers of the project would do that are active, or would be once granted, and why
    /// some of it cannot be granted.
    pub(crate) fn actions(&self, scopes: &Scopes, mcp: &McpServers) -> (Vec<ProjectAction>, Vec<TrustError>) {
        let entries = scopes.entries.iter().filter(|entry| needs_grant(entry));
        let entries = entries.filter_map(|entry| action(entry, self.root(), self.context));
        let changes = scopes.changes.iter().map(|change| Ok(ProjectAction::Other(change_permission(change))));
        let servers = mcp.servers.iter().filter(|server| needs_grant(server));
        let servers = servers.filter_map(|server| server_action(server, self.root(), self.context));
        let (mut actions, mut refused) = (Vec::new(), Vec::new());
        for action in entries.chain(changes).chain(servers) {
            match action {
                Ok(action) => actions.push(action),
                Err(error) => refused.push(error),
            }
        }
        (actions, refused)
    }
}

impl Grants for ProjectGrants<'_> {
    fn may_run(&self, entry: &ExtensionEntry) -> bool {
        self.is_granted(action(entry, self.root(), self.context))
    }

    fn may_change(&self, change: &ProviderChange) -> bool {
        self.recorded().1.permission_state(&change_permission(change)) == GrantState::Granted
    }
}

/// Returns what the project may do. A grant is about the root that it was given for.
fn recorded(
    system: &dyn System,
    store: Option<&Path>,
    places: &Places,
    mode: TrustMode,
    root: &Path,
) -> RootRecord {
    // A project that is trusted as a whole is the directory that its path leads to now; another one has no permissions.
    let is_trusted = |dir: PathBuf| consent::recorded(system, store, places, &dir).is_whole();
    if mode == TrustMode::Whole && !consent::layer_root(system, places).is_some_and(is_trusted) {
        return RootRecord::default();
    }
    consent::recorded(system, store, places, root)
}

/// Marks which extensions and servers of the project may run, and returns the commands among them. What waits for a grant
/// is reported.
pub(crate) fn allow(
    grants: &ProjectGrants<'_>,
    mut scopes: Scopes,
    mut mcp: McpServers,
    diagnostics: &mut Diagnostics,
) -> (Scopes, McpServers, GrantedCommands) {
    let mut granted = GrantedCommands::new();
    let mut state = |action: Option<Result<ProjectAction, TrustError>>| {
        let Some(Ok(action)) = action else { return GrantState::New };
        let state = grants.state(&action);
        if let (GrantState::Granted, ProjectAction::Command(command)) = (state, action) {
            granted.insert(command.permission.subject.clone(), command);
        }
        state
    };
    for entry in scopes.entries.iter_mut().filter(|entry| needs_grant(entry)) {
        let state = state(action(entry, grants.root(), grants.context));
        let subject = format!("{}/{}", entry.value.category, entry.name);
        // The text of a context provider is left out of the prompt.
        let is_text = entry.active && entry.value.category == Category::ContextProviders;
        let severity = if is_text { Severity::Warning } else { Severity::Info };
        diagnostics.extend(decide(entry, &subject, state, severity));
    }
    for server in mcp.servers.iter_mut().filter(|server| needs_grant(server)) {
        let state = state(server_action(server, grants.root(), grants.context));
        let subject = format!("mcp/{}", server.name);
        diagnostics.extend(decide(server, &subject, state, Severity::Info));
    }
    (scopes, mcp, granted)
}

/// Returns the servers of the project that were never allowed, or are not any more.
pub(crate) fn waiting(mcp: &McpServers) -> impl Iterator<Item = &str> {
    let waits = |server: &&ServerEntry| {
        server
            .diagnostics
            .iter()
            .any(|diagnostic| diagnostic.code == WAITS && diagnostic.severity == Severity::Info)
    };
    mcp.servers.iter().filter(waits).map(|server| server.name.as_str())
}

/// The code of what waits for a grant. It is worked out again where grants are.
const WAITS: DiagnosticCode = DiagnosticCode::ExtensionNeedsGrant;

/// Marks whether an entry may run. One that waits for a grant is reported: one that was never granted with this severity.
fn decide<T>(
    entry: &mut Entry<T>,
    subject: &str,
    state: GrantState,
    severity: Severity,
) -> Option<Diagnostic> {
    entry.diagnostics.retain(|diagnostic| diagnostic.code != WAITS);
    entry.runnable = entry.active && state == GrantState::Granted && entry.missing.is_none();
    let (severity, why) = match state {
        GrantState::Granted => return None,
        GrantState::Changed => (Severity::Warning, "it changed since you allowed it"),
        GrantState::New => (severity, "you have not allowed it"),
    };
    let stays = match entry.status {
        Status::Pending => "; the one of a lower layer stays active",
        _ => "",
    };
    let diagnostic = Diagnostic::new(severity, WAITS, format!("{subject} does not run: {why}{stays}"))
        .at(Place::file(Some(Scope::Project), entry.origin.path.as_str()))
        .help(Remedy::allow_commands());
    entry.diagnostics.push(diagnostic.clone());
    Some(diagnostic)
}
