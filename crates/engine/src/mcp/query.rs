//! Queries servers and records their offers. No other code does this.
//!
//! A server that may not run is not queried: a project's server starts only after a grant that names exactly what it would
//! do. A server that does not answer keeps its recording, so each prompt that is built from it stays the same.

use super::{
    answer::{ServerAnswer, ServerAnswers, ServerState},
    mask::SecretValues,
    target::{ReadyServer, ready},
};
use crate::{Engine, Error, build_options::BuildOptions, input::Inputs, input::consent::ProjectAccess};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy, Severity},
    lint::hidden::escape_hidden,
    mcp_servers::{ContentRequest, McpServers, RecordedBy, Recording, ServerDescription, ServerEntry},
    profile::Profile,
    suggestion::suggest_or,
};
use preface_host::{
    mcp_recordings,
    provider::mcp_fetched,
    trust::gate::{GateVerdict, GatedText},
};
use preface_mcp::{CancellationToken, McpError, QueryLimits, ServerReply, ServerTarget};
use std::{path::PathBuf, time::Duration};

/// The default time limit of a server: one that is installed when it is first started needs a while.
const DEADLINE: Duration = Duration::from_secs(30);

/// The servers to query, and the use of their answers.
#[derive(Clone, Debug)]
pub struct QueryOptions {
    /// The names; empty for all active servers.
    pub names: Vec<String>,
    /// The time limit of each server.
    pub deadline: Duration,
    /// True if the answers are recorded.
    pub record: bool,
    /// The handle that ends asking early, with all that was started. The caller handles signals.
    pub stop: CancellationToken,
}

impl Default for QueryOptions {
    /// All of them, thirty seconds each, and their answers are recorded.
    fn default() -> Self {
        QueryOptions {
            names: Vec::new(),
            deadline: DEADLINE,
            record: true,
            stop: CancellationToken::default(),
        }
    }
}

/// The function that queries servers.
pub(super) type ServerQuery<'a> =
    dyn Fn(&[ServerTarget], &(dyn Fn(&ServerReply) + Sync)) -> Vec<ServerReply> + 'a;

impl Engine<'_> {
    /// Starts or connects to the servers that may run, queries each, and records its offer. `on_reply` is
    /// called with each answer as it arrives.
    ///
    /// # Errors
    /// See [`Error`]; and a name that no layer has. That a server does not answer is no error.
    pub fn query_servers(
        &self,
        request: &BuildOptions,
        options: &QueryOptions,
        on_reply: &(dyn Fn(&ServerReply) + Sync),
    ) -> Result<ServerAnswers, Error> {
        let limits = QueryLimits { stop: options.stop.clone(), ..QueryLimits::default() };
        self.query_servers_with(
            &|targets, on_reply| preface_mcp::query_servers(targets, &limits, on_reply),
            request,
            options,
            on_reply,
        )
    }

    pub(super) fn query_servers_with(
        &self,
        talk: &ServerQuery<'_>,
        request: &BuildOptions,
        options: &QueryOptions,
        on_reply: &(dyn Fn(&ServerReply) + Sync),
    ) -> Result<ServerAnswers, Error> {
        let build = self.look(request)?;
        let (inputs, snapshot) = (&build.inputs, build.snapshot()?);
        self.refuse_untrusted_in(request, inputs)?;
        let untrusted = self.untrusted_file(&inputs.project.access);
        let entries = chosen(&inputs.entries.mcp, &options.names, untrusted.as_deref())?;
        let mut servers: Vec<ServerAnswer> =
            entries.iter().map(|entry| not_queried(entry, !options.names.is_empty())).collect();
        let mut targets: Vec<ServerTarget> = Vec::new();
        let mut asking: Vec<(usize, SecretValues)> = Vec::new();
        let mut found = Diagnostics::new();
        let wanted = wants(&snapshot.profile, &mut found);
        let context = inputs.context(self);
        for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.runnable) {
            let wants: Vec<ContentRequest> = wanted
                .iter()
                .filter(|(server, _)| *server == entry.name)
                .map(|(_, want)| want.clone())
                .collect();
            match ready(entry, wants, options.deadline, &context) {
                Ok(ReadyServer { target, secrets, diagnostics: found }) => {
                    targets.push(target);
                    servers[at].diagnostics.extend(found);
                    asking.push((at, secrets));
                }
                Err(diagnostic) => {
                    servers[at].state = ServerState::NotQueried;
                    servers[at].diagnostics.push(*diagnostic);
                }
            }
        }
        found.extend(context.diagnostics.take());
        drop(context);
        for (reply, (at, secrets)) in talk(&targets, on_reply).into_iter().zip(asking) {
            let answer = &mut servers[at];
            self.record_reply(reply, &secrets, entries[at], inputs, options, answer);
        }
        let mut diagnostics = snapshot.diagnostics;
        diagnostics
            .extend(found.into_iter().filter(|diagnostic| diagnostic.code != DiagnosticCode::McpNoRecording));
        // The diagnostics of a build about instruction files and servers do not apply here: the servers were just queried.
        diagnostics.retain(|diagnostic| {
            diagnostic.code != DiagnosticCode::McpNoRecording
                && diagnostic.code != DiagnosticCode::ExtensionNeedsGrant
                && !diagnostic.code.is_of_instructions()
        });
        Ok(ServerAnswers { servers, diagnostics })
    }

    /// Takes down what came of asking one.
    fn record_reply(
        &self,
        reply: ServerReply,
        secrets: &SecretValues,
        entry: &ServerEntry,
        inputs: &Inputs,
        options: &QueryOptions,
        answer: &mut ServerAnswer,
    ) {
        let ServerReply { took, calls_itself, protocol, result, refused, diagnostics, .. } = reply;
        let name = &entry.name;
        answer.ms = Some(u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        answer.calls_itself = calls_itself.map(|text| secrets.masked(&text));
        answer.protocol = protocol.map(|text| secrets.masked(&text));
        answer.diagnostics.extend(diagnostics.into_iter().map(|mut diagnostic| {
            diagnostic.message = format!("MCP server `{name}`: {}", secrets.masked(&diagnostic.message));
            diagnostic.help = diagnostic.help.map(|help| Remedy { words: secrets.masked(&help), ..help });
            if diagnostic.place.is_none() { diagnostic.at(entry.place()) } else { diagnostic }
        }));
        let path = mcp_recordings::path(entry, self.system(), inputs.places());
        let old = self.old(entry, inputs);
        let described = match result {
            Err(problem) => {
                answer.state = ServerState::Failed;
                answer.keeps_old = old.is_some() || entry.value.recorded.is_some();
                let stays = if answer.keeps_old { "; what was recorded of it stays" } else { "" };
                let what = format!("MCP server `{name}`: {}{stays}", secrets.masked(&problem.to_string()));
                answer.diagnostics.push(
                    Diagnostic::warning(problem.code(), what).at(entry.place()).help(help(&problem, entry)),
                );
                return;
            }
            Ok(described) => described,
        };
        let (mut described, repeats) = secrets.masked_in(described);
        if repeats {
            let what = format!("MCP server `{name}` repeats a value that it was given; it is masked");
            answer.diagnostics.push(Diagnostic::warning(DiagnosticCode::McpSecret, what).at(entry.place()));
        }
        answer.state = ServerState::Answered;
        answer.tools = Some(described.tools.len());
        answer.prompts = Some(described.prompts.len());
        answer.resources = Some(described.resources.len());
        if options.record {
            keep_refused(&mut described, old.as_ref(), &refused);
            keep_fetched(&mut described, old.as_ref());
            let recording = Recording {
                recorded: Some(self.instant_now()),
                protocol: answer.protocol.clone(),
                calls_itself: answer.calls_itself.clone(),
                described,
            };
            self.record(path, &recording, entry, inputs, answer);
            described = recording.described;
        }
        answer.description = Some(described);
    }

    fn record(
        &self,
        path: Option<PathBuf>,
        recording: &Recording,
        entry: &ServerEntry,
        inputs: &Inputs,
        answer: &mut ServerAnswer,
    ) {
        let name = &entry.name;
        let Some(path) = path else {
            let what =
                format!("the reply of MCP server `{name}` was not recorded: there is no directory for it");
            let diagnostic = Diagnostic::warning(DiagnosticCode::McpRecording, what);
            answer.diagnostics.push(diagnostic.help("set PREFACE_HOME or HOME"));
            return;
        };
        match mcp_recordings::write(&path, recording, self.system()) {
            Ok(()) => answer.recorded = Some(inputs.places().shown(&path)),
            Err(error) => {
                let shown = inputs.places().shown(&path);
                let what = format!("the reply of MCP server `{name}` was not recorded in {shown}: {error}");
                answer.diagnostics.push(Diagnostic::warning(DiagnosticCode::McpRecording, what));
            }
        }
        if entry.value.recorded.as_ref().is_some_and(|recorded| recorded.by == RecordedBy::Hand) {
            let what = format!("the hand-written recording of MCP server `{name}` overrides its reply");
            let diagnostic = Diagnostic::info(DiagnosticCode::McpRecording, what);
            answer
                .diagnostics
                .push(diagnostic.help(format!("remove mcp-descriptions/{name}.json to use the reply")));
        }
    }

    /// Returns the path of the project's `mcp.json` for messages, if it is untrusted: by itself, or with the
    /// whole project layer.
    fn untrusted_file(&self, access: &ProjectAccess) -> Option<String> {
        let is_servers =
            |seen: &&GatedText| seen.verdict != GateVerdict::Included && seen.path.ends_with("mcp.json");
        if let Some(seen) = access.gate.seen().iter().find(is_servers) {
            return Some(seen.shown.clone());
        }
        let path = access.untrusted_layer.as_ref()?.join("mcp.json");
        self.system().canonical(&path).is_ok().then(|| access.places.shown(&path))
    }

    /// Returns the last recording of a server.
    fn old(&self, entry: &ServerEntry, inputs: &Inputs) -> Option<ServerDescription> {
        let context = inputs.context(self);
        mcp_recordings::read_recording(entry, &context).map(|recording| recording.described)
    }
}

/// Returns the entries that are meant, by name.
fn chosen<'s>(
    all: &'s McpServers,
    names: &[String],
    untrusted: Option<&str>,
) -> Result<Vec<&'s ServerEntry>, Error> {
    if names.is_empty() {
        return Ok(all.servers.iter().filter(|entry| entry.active).collect());
    }
    let mut chosen = Vec::with_capacity(names.len());
    for name in names {
        let Some(entry) = all.active(name).or_else(|| all.named(name).next_back()) else {
            let known = all.servers.iter().map(|entry| entry.name.as_str());
            let none = format!("there is no MCP server `{}`", escape_hidden(name));
            if let Some(file) = untrusted {
                let what = format!(
                    "{none}; but `{}` of the project is not trusted and was not read",
                    escape_hidden(file)
                );
                return Err(Error::Usage(what, Some(Remedy::allow_commands())));
            }
            let help = suggest_or(name, known, || Remedy::list("servers"));
            return Err(Error::Usage(none, Some(help)));
        };
        if !chosen.iter().any(|known: &&ServerEntry| known.name == entry.name) {
            chosen.push(entry);
        }
    }
    chosen.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(chosen)
}

/// Returns the answer for a server that was not queried (yet).
fn not_queried(entry: &ServerEntry, named: bool) -> ServerAnswer {
    let name = &entry.name;
    let (state, diagnostic) = match (entry.active, entry.runnable) {
        (true, true) => (ServerState::Failed, None),
        (true, false) => {
            // What was never allowed is an info.
            let changed = entry.diagnostics.iter().any(|diagnostic| {
                diagnostic.code == DiagnosticCode::ExtensionNeedsGrant
                    && diagnostic.severity == Severity::Warning
            });
            let why = if changed { "it changed since you allowed it" } else { "you have not allowed it" };
            let what = format!("MCP server `{name}` of the project was not queried: {why}");
            (
                ServerState::NeedsGrant,
                Some(
                    Diagnostic::warning(DiagnosticCode::ExtensionNeedsGrant, what)
                        .help(Remedy::allow_commands()),
                ),
            )
        }
        (false, _) => {
            let what = format!("MCP server `{name}` was not queried: it is not active");
            let help = Remedy::why(format_args!("servers/{}", entry.word()));
            (ServerState::Inactive, Some(Diagnostic::warning(DiagnosticCode::McpInactive, what).help(help)))
        }
    };
    ServerAnswer {
        name: name.clone(),
        scope: entry.origin.scope,
        state,
        named,
        ms: None,
        protocol: None,
        calls_itself: None,
        tools: None,
        prompts: None,
        resources: None,
        recorded: None,
        keeps_old: false,
        diagnostics: diagnostic.map(|diagnostic| diagnostic.at(entry.place())).into_iter().collect(),
        description: None,
    }
}

/// Returns what the profile's sections need from servers.
fn wants(profile: &Profile, diagnostics: &mut Diagnostics) -> Vec<(String, ContentRequest)> {
    let mut wants = Vec::new();
    for wanted in profile.sections.iter().filter_map(mcp_fetched::want) {
        match wanted {
            Ok(want) if !wants.contains(&want) => wants.push(want),
            Ok(_) => {}
            Err(why) => diagnostics.push(Diagnostic::warning(DiagnosticCode::ProfileOption, why)),
        }
    }
    wants
}

/// Keeps items that were fetched earlier and not this time: another profile needs them, or the server would
/// not return them now.
fn keep_fetched(described: &mut ServerDescription, old: Option<&ServerDescription>) {
    let old = old.into_iter().flat_map(|old| &old.fetched);
    let kept: Vec<_> = old.filter(|fetched| described.fetched(&fetched.want).is_none()).cloned().collect();
    described.fetched.extend(kept);
    described.settle();
}

/// Keeps a list that the server announces and does not give this time: an error of its own is no change of mind.
fn keep_refused(described: &mut ServerDescription, old: Option<&ServerDescription>, refused: &[&str]) {
    let Some(old) = old else { return };
    if described.tools.is_empty() && refused.contains(&"tools") {
        described.tools.clone_from(&old.tools);
    }
    if described.prompts.is_empty() && refused.contains(&"prompts") {
        described.prompts.clone_from(&old.prompts);
    }
    if described.resources.is_empty() && refused.contains(&"resources") {
        described.resources.clone_from(&old.resources);
    }
}

fn help(problem: &McpError, entry: &ServerEntry) -> Remedy {
    match problem {
        McpError::Unreachable(_) => Remedy::why(format_args!("servers/{}", entry.word())),
        McpError::Died(_) => "start its command by hand and read its output".into(),
        McpError::Timeout => Remedy::flag("give it more time", "--timeout 60"),
        McpError::Protocol(_) => "its output must be messages of the protocol and nothing else".into(),
        McpError::TooLarge(_) => "a server that offers this much is too much for a prompt".into(),
        McpError::Stopped => "ask again".into(),
    }
}
