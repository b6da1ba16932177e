//! The target of a query: the program of a server of `mcp.json` with its arguments and environment, or its address with
//! headers.
//!
//! A server of the user's is given what the user's environment holds under the names that its `env` and `headers` write as
//! `${NAME}`. One of a project is given no more than its grant says, starts in the project, and sends nothing of the user's
//! to an address.

use super::{expand::expand, mask::SecretValues};
use crate::input::consent;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    mcp_servers::{ContentRequest, McpServer, ServerAddress, ServerEntry, StdioServer, UnexpandedValue},
    scope::Scope,
    settings::names_secret,
};
use preface_host::{
    places::normal,
    provider::{context::ProviderContext, extension::project_root},
    system::{RunRequest, path_outside, skipped_programs},
    trust::CheckedCommand,
};
use preface_mcp::{ServerEndpoint, ServerTarget};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// A server that can be queried now.
pub(super) struct ReadyServer {
    pub target: ServerTarget,
    /// The values passed to the server that must not be shown.
    pub secrets: SecretValues,
    /// The diagnostics of its program, reported whether or not the server answers.
    pub diagnostics: Diagnostics,
}

/// Resolves the connection to a server. The error is the reason why it cannot be reached.
pub(super) fn ready(
    entry: &ServerEntry,
    wants: Vec<ContentRequest>,
    deadline: Duration,
    context: &ProviderContext<'_>,
) -> Result<ReadyServer, Box<Diagnostic>> {
    let mut secrets = SecretValues::default();
    let problem = ServerDiagnostics { entry };
    let mut diagnostics = Diagnostics::new();
    let granted = granted(entry, context);
    let reach = match &entry.value.server {
        None => {
            return Err(problem.note(DiagnosticCode::McpServerConfigInvalid, "its entry is broken").into());
        }
        Some(McpServer::Sse(_)) => {
            let diagnostic =
                problem.note(DiagnosticCode::McpSse, "its transport is SSE, which preface does not support");
            let help = "most servers also offer streamable HTTP: use that address and `\"type\": \"http\"`";
            return Err(diagnostic.help(help).into());
        }
        Some(McpServer::StreamableHttp(address)) => problem.address(address, &mut secrets, context)?,
        Some(McpServer::Stdio(launch)) => {
            problem.program(launch, granted, &mut secrets, &mut diagnostics, context)?
        }
    };
    let target = ServerTarget { name: entry.name.clone(), reach, deadline, wants };
    Ok(ReadyServer { target, secrets, diagnostics })
}

/// Returns the granted command of a project's server.
fn granted<'a>(entry: &ServerEntry, context: &'a ProviderContext<'_>) -> Option<&'a CheckedCommand> {
    context.granted?.get(&format!("mcp/{}", entry.name)).filter(|_| entry.needs_grant())
}

/// The source of diagnostics about a server that cannot be used.
struct ServerDiagnostics<'a> {
    entry: &'a ServerEntry,
}

impl ServerDiagnostics<'_> {
    fn note(&self, code: DiagnosticCode, what: &str) -> Diagnostic {
        Diagnostic::warning(code, format!("MCP server `{}` was not queried: {what}", self.entry.name))
            .at(self.entry.place())
    }

    fn is_projects(&self) -> bool {
        self.entry.origin.scope == Scope::Project
    }

    fn value(
        &self,
        name: &str,
        written: &UnexpandedValue,
        secrets: &mut SecretValues,
        context: &ProviderContext<'_>,
    ) -> Result<String, Box<Diagnostic>> {
        let var = |name: &str| context.system.var(name).and_then(|value| value.into_string().ok());
        let expanded = expand(written.as_written(), &var).map_err(|unset| {
            self.note(
                DiagnosticCode::McpUnsetVariable,
                &format!("`{name}` needs the variable `{unset}`, which is not set"),
            )
            .help(format!("set `{unset}` in the environment of preface, or write `${{{unset}:-text}}`"))
        })?;
        expanded.inserted.iter().for_each(|value| secrets.add(value));
        if names_secret(name) || looks_secret(&expanded.text) {
            secrets.add(&expanded.text);
        }
        // What follows `Bearer` is a secret without it, too.
        if let Some((_, last)) = expanded.text.rsplit_once(' ')
            && looks_secret(last)
        {
            secrets.add(last);
        }
        Ok(expanded.text)
    }

    fn program(
        &self,
        launch: &StdioServer,
        granted: Option<&CheckedCommand>,
        secrets: &mut SecretValues,
        diagnostics: &mut Diagnostics,
        context: &ProviderContext<'_>,
    ) -> Result<ServerEndpoint, Box<Diagnostic>> {
        let words = self.words(launch, granted, context)?;
        let (command, args) = words
            .split_first()
            .ok_or_else(|| self.note(DiagnosticCode::McpServerConfigInvalid, "it names no program"))?;
        let mut env = Vec::with_capacity(launch.env.len());
        for (name, written) in &launch.env {
            env.push((name.clone(), self.value(name, written, secrets, context)?));
        }
        let cwd = self.cwd(launch, context)?;
        let command = match command.contains(std::path::is_separator) {
            // As the grant looked for it: what a `..` leads to is the machine's business.
            true => cwd.join(command).to_string_lossy().into_owned(),
            false => command.clone(),
        };
        let mut run = RunRequest::new([command], &cwd).about(&context.places.cwd);
        run.env.extend(env);
        // A file of the project must not be started as `npx` or `docker`. A path is used as it is.
        let project = project_root(context.system, &context.places.cwd);
        let own_path = run.env.iter().rfind(|(name, _)| name == "PATH" && !self.is_projects());
        let own_path = own_path.map(|(_, path)| path_outside(context.system, &project, path.as_ref()));
        run.not_below = Some(project);
        let mut prepared = run.prepare(context.system).map_err(|error| {
            self.note(DiagnosticCode::McpUnreachable, &error.to_string())
                .help("`command` is an absolute path, or a name that is looked up on `PATH`")
        })?;
        // The user may give a server of theirs a PATH; nothing of the project is found on that either.
        for (name, value) in &mut prepared.env {
            if let ("PATH", Some(path)) = (name.as_str(), &own_path) {
                *value = path.to_string_lossy().into_owned();
            }
        }
        // Also of what the program inherits.
        prepared.env.iter().filter(|(name, _)| names_secret(name)).for_each(|(_, value)| secrets.add(value));
        let who = format!("MCP server `{}`", self.entry.name);
        diagnostics.extend(skipped_programs(&who, &prepared.skipped));
        let command = prepared.program.to_string_lossy().into_owned();
        Ok(ServerEndpoint::Program { command, args: args.to_vec(), env: prepared.env, cwd })
    }

    /// Returns the words that start it; those of a project are compared with the grant.
    fn words(
        &self,
        launch: &StdioServer,
        granted: Option<&CheckedCommand>,
        context: &ProviderContext<'_>,
    ) -> Result<Vec<String>, Box<Diagnostic>> {
        match granted {
            Some(granted) => granted.argv(context.system).map_err(|error| {
                self.note(DiagnosticCode::McpUnreachable, &error.to_string()).help(error.help()).into()
            }),
            None if self.is_projects() => {
                Err(self.note(DiagnosticCode::McpRefused, "it is not granted").into())
            }
            None => Ok(std::iter::once(&launch.command).chain(&launch.args).cloned().collect()),
        }
    }

    /// Returns the working directory: the project for a project's server, the home directory for one of the
    /// user's, wherever the user works. There a project cannot influence what a program such as `npx` finds.
    fn cwd(&self, launch: &StdioServer, context: &ProviderContext<'_>) -> Result<PathBuf, Box<Diagnostic>> {
        let base = match self.is_projects() {
            true => Some(&context.places.cwd),
            false => context.places.home.as_ref().or(context.places.global.as_ref()),
        };
        let base = base.ok_or_else(|| {
            self.note(DiagnosticCode::McpUnreachable, "there is no home directory to start it in")
        })?;
        let dir = match launch.cwd.as_deref() {
            None => base.clone(),
            Some(cwd) => match (cwd.strip_prefix("~/"), &context.places.home) {
                (Some(rest), Some(home)) if !self.is_projects() => home.join(rest),
                _ => normal(base, Path::new(cwd)),
            },
        };
        let real = context.system.canonical(&dir).map_err(|error| {
            self.note(
                DiagnosticCode::McpUnreachable,
                &format!("its working directory `{}`: {error}", context.places.shown(&dir)),
            )
        })?;
        // The grant names it, too: what was granted is what is started.
        if self.is_projects() && !real.starts_with(consent::pin_root(context.system, &context.places.cwd)) {
            return Err(self
                .note(DiagnosticCode::McpRefused, "its working directory lies outside of the project")
                .into());
        }
        Ok(real)
    }

    fn address(
        &self,
        address: &ServerAddress,
        secrets: &mut SecretValues,
        context: &ProviderContext<'_>,
    ) -> Result<ServerEndpoint, Box<Diagnostic>> {
        if let Some((_, query)) = address.url.split_once('?') {
            secrets.add(query);
            query
                .split('&')
                .filter_map(|pair| pair.split_once('='))
                .for_each(|(_, value)| secrets.add(value));
        }
        let mut headers = Vec::with_capacity(address.headers.len());
        for (name, written) in &address.headers {
            if self.is_projects() && written.as_written().contains("${") {
                let what = format!(
                    "the project's header `{name}` names a variable of yours, and a project sends none away"
                );
                let help = format!(
                    "if you want this, write the server `{}` into your own mcp.json",
                    self.entry.name
                );
                return Err(self.note(DiagnosticCode::McpRefused, &what).help(help).into());
            }
            let value = self.value(name, written, secrets, context)?;
            secrets.add(&value);
            headers.push((name.clone(), value));
        }
        Ok(ServerEndpoint::Address { url: address.url.clone(), headers })
    }
}

/// Returns true for a value that may be a literal key: long enough, letters and digits, and no path.
fn looks_secret(value: &str) -> bool {
    value.len() >= 8
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.chars().any(char::is_alphabetic)
        && !value.contains(['/', '\\'])
}
