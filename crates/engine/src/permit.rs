//! What a project may do beyond text: start programs, talk to addresses, write files. Each deed needs a grant that names
//! it, and is compared with that grant again each time (`DETAILS` 19).

use crate::{
    Engine, Error, consent,
    gather::{Breadth, Gathered},
    grant,
    request::Request,
};
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostic, Diagnostics, Place},
    extension::{self, Ability, ContextSource, Entry},
    mcp_servers::{Server, ServerEntry},
    scope::Scope,
    trust::TrustMode,
};
use preface_host::{
    extensions::manifest_path,
    gate::Consent,
    look::{Headless, Look},
    provider::extension::launched,
    trust::{
        Action, CheckedCommand, CommandWords, Decision, Digest, GrantedCommand, GrantedCommands, Permit,
        PermitState, Permits, TrustError, TrustStore,
    },
};
use std::path::{Path, PathBuf};

/// What `preface trust grant --allow-commands` did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermitGrant {
    /// What is allowed from now on.
    pub added: Vec<Permit>,
    /// What was allowed before already.
    pub unchanged: Vec<Permit>,
    /// What cannot be allowed, and why.
    pub refused: Vec<String>,
    /// Facts for the log.
    pub audit: Vec<AuditEvent>,
}

/// What an entry of a project would do, as a grant records it.
enum Deed {
    Command(CheckedCommand),
    Other(Permit),
}

impl Deed {
    fn permit(&self) -> &Permit {
        match self {
            Deed::Command(command) => &command.permit,
            Deed::Other(permit) => permit,
        }
    }
}

/// Works out what an entry would do.
fn deed(entry: &Entry, root: &Path, look: &Look<'_>) -> Option<Result<Deed, TrustError>> {
    let subject = format!("{}/{}", entry.category, entry.name);
    let program = match &entry.ability {
        Some(Ability::Context(context)) => match &context.from {
            Some(ContextSource::Command(program)) => Some(program),
            _ => None,
        },
        Some(Ability::Hook(hook)) => hook.program.as_ref(),
        _ => None,
    };
    if let Some(program) = program {
        let manifest = manifest_path(entry, look);
        let directory = manifest.as_deref().and_then(Path::parent);
        let argv = launched(program, directory);
        let words =
            CommandWords { subject: &subject, argv: &argv, cwd: &look.places.cwd, env: &[], directory };
        return Some(CheckedCommand::check(look.system, root, &words).map(Deed::Command));
    }
    let action = match entry.action.as_ref()? {
        extension::Action::Endpoint(url) => {
            // Whose key goes there is part of the deed.
            let key = match &entry.ability {
                Some(Ability::Model(model)) => model.key.as_ref(),
                _ => None,
            };
            let with = key.map(|key| ("apiKey".to_owned(), format!("{}:{}", key.kind, key.name)));
            Action::Endpoint { url: url.clone(), with: with.into_iter().collect() }
        }
        extension::Action::Writes(path) => Action::Writes { path: path.clone() },
        extension::Action::Command(..) => return None,
    };
    Some(Ok(Deed::Other(Permit { subject, action })))
}

/// Works out what a server of a project's `mcp.json` would do.
fn server_deed(entry: &ServerEntry, root: &Path, look: &Look<'_>) -> Option<Result<Deed, TrustError>> {
    let subject = format!("mcp/{}", entry.name);
    match entry.server.as_ref()? {
        Server::Stdio(launch) => {
            let argv: Vec<String> = std::iter::once(&launch.command).chain(&launch.args).cloned().collect();
            let env: Vec<(String, String)> = launch
                .env
                .iter()
                .map(|(name, value)| (name.clone(), value.as_written().to_owned()))
                .collect();
            let cwd = launch.cwd.as_ref().map_or_else(
                || look.places.cwd.clone(),
                |dir| preface_host::places::normal(&look.places.cwd, Path::new(dir)),
            );
            let words =
                CommandWords { subject: &subject, argv: &argv, cwd: &cwd, env: &env, directory: None };
            Some(CheckedCommand::check(look.system, root, &words).map(Deed::Command))
        }
        Server::Sse(address) | Server::StreamableHttp(address) => {
            let with = address.headers.iter().map(|(name, value)| {
                let written = value.as_written();
                let reference = value.masked() == written;
                let value =
                    if reference { written.to_owned() } else { Digest::of(written.as_bytes()).to_string() };
                (name.clone(), value)
            });
            let action = Action::Endpoint { url: address.url.clone(), with: with.collect() };
            Some(Ok(Deed::Other(Permit { subject, action })))
        }
    }
}

/// Works out what the active extensions and servers of the project would do.
fn deeds(gathered: &Gathered, root: &Path, look: &Look<'_>) -> Vec<Result<Deed, TrustError>> {
    let entries = gathered.scopes.entries.iter().filter(|entry| entry.active && entry.needs_grant());
    let servers = gathered.mcp.servers.iter().filter(|server| server.active && server.needs_grant());
    let entries = entries.filter_map(|entry| deed(entry, root, look));
    entries.chain(servers.filter_map(|server| server_deed(server, root, look))).collect()
}

impl Engine<'_> {
    /// Marks what of a project may be used, by the recorded permits.
    pub(crate) fn allow(&self, gathered: &mut Gathered, notes: &mut Diagnostics) {
        let needs = |entry: &Entry| entry.active && entry.needs_grant();
        let any = gathered.scopes.entries.iter().any(needs)
            || gathered.mcp.servers.iter().any(|server| server.active && server.needs_grant());
        if !any {
            return;
        }
        let root = consent::pin_root(self.system(), &gathered.places.cwd).0;
        let permits = self.recorded_permits(gathered, &root);
        let look = self.look(gathered, &Headless);
        let mut granted = GrantedCommands::new();
        let mut state = |deed: Option<Result<Deed, TrustError>>| {
            let Some(Ok(deed)) = deed else { return PermitState::New };
            let state = permits.state(deed.permit());
            if let (PermitState::Granted, Deed::Command(command), Some(store)) =
                (state, deed, gathered.store.clone())
            {
                granted.insert(command.permit.subject.clone(), GrantedCommand { command, store });
            }
            state
        };
        let mut scopes = gathered.scopes.clone();
        for entry in scopes.entries.iter_mut().filter(|entry| needs(entry)) {
            entry.diagnostics.retain(|note| note.code != WAITS);
            let stands = state(deed(entry, &root, &look));
            let missing = entry.ability.as_ref().and_then(Ability::missing).is_some();
            entry.runnable = stands == PermitState::Granted && !missing;
            if stands != PermitState::Granted {
                let note = waits(&format!("{}/{}", entry.category, entry.name), &entry.origin.path, stands);
                entry.diagnostics.push(note.clone());
                notes.push(note);
            }
        }
        let mut mcp = gathered.mcp.clone();
        for server in mcp.servers.iter_mut().filter(|server| server.active && server.needs_grant()) {
            server.diagnostics.retain(|note| note.code != WAITS);
            let stands = state(server_deed(server, &root, &look));
            server.runnable = stands == PermitState::Granted;
            if stands != PermitState::Granted {
                let note = waits(&format!("mcp/{}", server.name), &server.origin.path, stands);
                server.diagnostics.push(note.clone());
                notes.push(note);
            }
        }
        drop(look);
        (gathered.scopes, gathered.mcp, gathered.granted) = (scopes, mcp, granted);
    }

    /// Returns what the project may do. A grant is about the root that it was given for: another work tree of the same
    /// repository has other files.
    fn recorded_permits(&self, gathered: &Gathered, root: &Path) -> Permits {
        gathered.store.as_ref().map_or_else(Permits::default, |file| {
            let store = TrustStore::at(self.system(), file.clone()).for_project(root);
            // What is wrong with the store was reported when the gate was opened.
            let records = store.load(&mut Diagnostics::new());
            let layer = consent::layer_root(self.system(), &gathered.places);
            // A project that is trusted as a whole is the directory that its path leads to now; another one has no permits.
            let is_trusted =
                |dir: PathBuf| records.whole(&dir).is_some_and(|record| record.decision == Decision::Trusted);
            if gathered.profile.trust == TrustMode::Whole && !layer.is_some_and(is_trusted) {
                return Permits::default();
            }
            records.permits(root)
        })
    }

    /// Returns what the project's extensions and servers would do, and whether it is granted. What cannot be granted is
    /// left out; its entry says why.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn permissions(&self, request: &Request) -> Result<Vec<(Permit, PermitState)>, Error> {
        let gathered = self.gather(request, Breadth::Turn, None, &Headless)?;
        let root = consent::pin_root(self.system(), &gathered.places.cwd).0;
        let permits = self.recorded_permits(&gathered, &root);
        let state = |permit: Permit| {
            let state = permits.state(&permit);
            (permit, state)
        };
        Ok(self.permits_wanted(&gathered).into_iter().map(state).collect())
    }

    /// Returns what the project's extensions and servers would do to the machine, as far as it can be pinned.
    pub(crate) fn permits_wanted(&self, gathered: &Gathered) -> Vec<Permit> {
        self.deeds_wanted(gathered).0.iter().map(|deed| deed.permit().clone()).collect()
    }

    /// Works out what the project's extensions and servers would do to the machine, and why some of it cannot be pinned.
    fn deeds_wanted(&self, gathered: &Gathered) -> (Vec<Deed>, Vec<String>) {
        let root = consent::pin_root(self.system(), &gathered.places.cwd).0;
        let look = self.look(gathered, &Headless);
        let (mut wanted, mut refused) = (Vec::new(), Vec::new());
        for deed in deeds(gathered, &root, &look) {
            match deed {
                Ok(deed) => wanted.push(deed),
                Err(error) => refused.push(error.to_string()),
            }
        }
        (wanted, refused)
    }

    /// Grants what the project's extensions and servers would do to the machine, as it is now: each program with its
    /// arguments and the digests of those that are files of the project, each address, each file.
    ///
    /// # Errors
    /// See [`Error`]; and a store that cannot be written.
    pub fn grant_commands(&self, request: &Request) -> Result<PermitGrant, Error> {
        let gathered = self.gather(request, Breadth::Turn, Some(Consent::Granting(Vec::new())), &Headless)?;
        let (wanted, mut refused) = self.deeds_wanted(&gathered);
        let permits: Vec<Permit> = wanted.iter().map(|deed| deed.permit().clone()).collect();
        let (root, repository) = consent::pin_root(self.system(), &gathered.places.cwd);
        if permits.is_empty() {
            return Ok(PermitGrant { refused, ..PermitGrant::default() });
        }
        let store = gathered.store.as_ref().ok_or_else(|| {
            Error::Trust("there is no directory to keep trust in: set PREFACE_HOME or HOME".to_owned())
        })?;
        let report = TrustStore::at(self.system(), store.clone())
            .for_project(&root)
            .grant_permits(&root, repository.as_deref(), &permits)
            .map_err(grant::refused)?;
        // The copies are made now, so that what writes nothing finds them. One that fails here is made, or reported, at the
        // start of its program.
        for deed in wanted {
            let Deed::Command(command) = deed else { continue };
            refused.extend(command.copied_argv(self.system(), store).err().map(|error| error.to_string()));
        }
        Ok(PermitGrant { added: report.added, unchanged: report.unchanged, refused, audit: report.audit })
    }
}

/// The code of what waits for a grant. It is worked out again where grants are.
const WAITS: &str = "extension/needs-grant";

fn waits(subject: &str, path: &str, stands: PermitState) -> Diagnostic {
    let what = match stands {
        PermitState::Changed => format!("{subject} does not run: it changed since you allowed it"),
        _ => format!("{subject} does not run: you have not allowed it"),
    };
    Diagnostic::info(WAITS, what)
        .at(Place::file(Some(Scope::Project), path))
        .help("look at it, then `preface trust grant --allow-commands`")
}
