//! The query of `refresh` and of a build, its progress, and the tables of its answers.

use crate::{
    CommandResult, ListDocument, OutputFormat, PlaceFlags, TrustFlags,
    call::command,
    diagnostics, files,
    signals::Signals,
    ui::{Cell, TextTable, Ui, one_line, style},
};
use preface_engine::{
    BuildOptions, Engine,
    mcp::{QueryOptions, ServerAnswer, ServerAnswers, ServerReply, ServerState},
};
use std::time::Duration;

/// The flags of a query.
#[derive(clap::Args, Clone, Debug)]
pub struct ServerFlags {
    /// Wait at most SECONDS for each server
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub timeout: Duration,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    pub format: OutputFormat,

    #[command(flatten)]
    pub place: PlaceFlags,

    #[command(flatten)]
    pub trust: TrustFlags,
}

/// Reads a number of seconds: `10`, `2.5`.
fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("not a number of seconds: `{text}`");
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() && time <= Duration::from_secs(3600) => Ok(time),
        _ => Err("it is more than nothing and at most an hour".to_owned()),
    }
}

impl ServerFlags {
    /// Returns the question, in the engine's words.
    pub fn request(&self) -> CommandResult<BuildOptions> {
        self.trust.apply(self.place.request())
    }
}

/// Queries servers, and prints progress on a terminal. A signal ends every started server, and then the command.
pub fn query(ui: &Ui, request: &BuildOptions, options: &QueryOptions) -> CommandResult<ServerAnswers> {
    let dim = style::DIM;
    let shows = !ui.is_quiet() && ui.is_watched();
    let on_reply = |reply: &ServerReply| {
        if shows {
            let how = if reply.result.is_ok() { "answered" } else { "failed" };
            let (name, ms) = (one_line(&reply.name), reply.took.as_millis());
            ui.eprint(&format!("{dim}{name} {how} after {ms} ms{dim:#}\n"));
        }
    };
    let signals = Signals::listen();
    let options = QueryOptions { stop: signals.stop(), ..options.clone() };
    let answers = Engine::new(files::system()).query_servers(request, &options, &on_reply);
    signals.finish()?;
    Ok(answers?)
}

/// Prints the diagnostics.
pub fn print_diagnostics(ui: &Ui, answers: &ServerAnswers) {
    let of_servers = answers.servers.iter().flat_map(|server| &server.diagnostics);
    diagnostics::listing(ui, answers.diagnostics.iter().chain(of_servers));
}

/// The replies as a list for programs.
pub fn document(answers: &ServerAnswers) -> ListDocument<'_, &ServerAnswer> {
    ListDocument {
        kind: "servers",
        entries: answers.servers.iter().collect(),
        diagnostics: &answers.diagnostics,
    }
}

/// Writes the table of replies.
pub fn table(servers: &[ServerAnswer], room: Option<usize>) -> String {
    let dim = style::DIM;
    if servers.is_empty() {
        return format!("{dim}no MCP server is active: {} shows all{dim:#}\n", command("list servers"));
    }
    let heads = ["server", "state", "ms", "protocol", "tools", "prompts", "resources"];
    let mut table = TextTable::headed(heads).right(&[2, 4, 5, 6]);
    for server in servers {
        let number =
            |number: Option<usize>| Cell::from(number.map_or_else(String::new, |number| number.to_string()));
        table.row([
            Cell::styled(one_line(&server.name), style::BOLD),
            state(server.state),
            server.ms.map_or_else(String::new, |ms| ms.to_string()).into(),
            server.protocol.as_deref().map_or_else(String::new, one_line).into(),
            number(server.tools),
            number(server.prompts),
            number(server.resources),
        ]);
    }
    table.show(room)
}

/// Writes what a server offers, the first line of each text. All of it is untrusted text.
pub fn offers(server: &ServerAnswer, room: Option<usize>) -> String {
    let Some(offer) = &server.description else { return String::new() };
    let (bold, dim) = (style::BOLD, style::DIM);
    let mut table = TextTable::new();
    let mut row = |kind: &str, name: &str, about: Option<&str>| {
        let first = about.and_then(|about| about.trim().lines().next()).unwrap_or_default();
        table.row([
            Cell::from(format!("  {kind}")),
            one_line(name).into(),
            Cell::styled(one_line(first), style::DIM),
        ]);
    };
    if let Some(instructions) = &offer.instructions {
        row("instructions", "", Some(instructions));
    }
    offer.tools.iter().for_each(|tool| row("tool", &tool.name, tool.description.as_deref()));
    offer.prompts.iter().for_each(|prompt| row("prompt", &prompt.name, prompt.description.as_deref()));
    for resource in &offer.resources {
        row("resource", &resource.uri, resource.description.as_deref().or(Some(&resource.name)));
    }
    for fetched in &offer.fetched {
        row("text", &fetched.want.to_string(), fetched.texts.first().map(String::as_str));
    }
    let itself = server.calls_itself.as_deref().map(one_line).unwrap_or_default();
    format!("\n{bold}{}{bold:#}  {dim}{itself}{dim:#}\n{}", one_line(&server.name), table.show(room))
}

/// The word for how it went, in its colour.
fn state(state: ServerState) -> Cell {
    let colour = match state {
        ServerState::Answered => style::GOOD,
        ServerState::Failed | ServerState::NotQueried => style::BAD,
        ServerState::NeedsGrant => style::CARE,
        ServerState::Inactive => style::DIM,
    };
    Cell::styled(state.as_str(), colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_a_number_of_seconds() {
        assert_eq!(seconds("2.5"), Ok(Duration::from_millis(2500)));
        for wrong in ["", "x", "0", "-1", "NaN", "inf", "4000"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
