//! The list of each kind: its rows as JSON, and its table.

use super::{ListQuery, Listing};
use crate::{
    CommandResult,
    call::command,
    files,
    scopes_view::{
        InactiveRows, ListingGroup, ListingRow, details, head, rewrites, row, rows, scope_problems, table,
        totals, untrusted_servers,
    },
    ui::{Cell, TextTable, count, listed, one_line, short, style},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    extension::{Category, EntryState},
    mcp_servers::{McpServer, RecordedBy},
    model::{CacheMarks, Model},
    reminder::{EventField, Reminder},
    scope::Scope,
    template::trim,
    turn::{OF_SERVER, Tool},
};
use preface_engine::{
    FilesReport, RecordingInfo, ScopesReport, ServersReport, ToolChoice, VariableRow,
    host::{
        agents::AgentEntry,
        models,
        skills::{SkillEntry, SkillOmission},
    },
};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Lists the entries of a category of extensions.
pub fn category(query: &ListQuery<'_>) -> CommandResult<Listing> {
    Ok(entries(query, &query.engine.look(&query.request)?.scopes()?))
}

/// Lists the extensions and the servers.
pub fn extensions(query: &ListQuery<'_>) -> CommandResult<Listing> {
    let report = query.engine.look(&query.request)?.scopes()?;
    let mut listing = entries(query, &report);
    let is_server = |entry: &Value| entry["category"] == "mcp";
    let (servers, entries) = listing.entries.into_iter().partition::<Vec<Value>, _>(is_server);
    listing.entries = entries;
    listing.more.insert("servers".to_owned(), servers.into());
    Ok(listing)
}

/// Lists the groups of a query: their table, what an ordering did to the hooks, and the counts.
fn entries(query: &ListQuery<'_>, report: &ScopesReport) -> Listing {
    let dim = style::DIM;
    let ListQuery { groups, inactive, room, .. } = *query;
    let rows = rows(&report.scopes, &report.mcp, groups);
    let diagnostics = scope_problems(report, groups);
    let mut text = table(&rows, groups, inactive, room);
    let mut more = Map::new();
    if groups.iter().any(|group| group.is_ordered()) {
        text.push_str(&rewrites(&report.scopes));
        more.insert("audit".to_owned(), json!(report.audit));
    }
    text.push_str(&totals(&rows, &diagnostics));
    let left_out = rows.iter().filter(|row| !row.active).count();
    if inactive == InactiveRows::LeftOut && left_out > 0 {
        text.push_str(&format!("{dim}; {left_out} not active, `--all` lists them{dim:#}"));
    }
    text.push('\n');
    let entries = rows.into_iter().map(|row| row.value.document).collect();
    Listing { entries, diagnostics, text, more, ..Listing::default() }
}

/// Lists the tools that a model may be given.
pub fn tools(query: &ListQuery<'_>) -> CommandResult<Listing> {
    let mut report = query.engine.look(&query.request)?.servers()?;
    if let ToolChoice::Named(names) = &query.request.tools {
        let is_of = |category: Category, name: &String| category != Category::Tools || names.contains(name);
        report.scopes.scopes.entries.retain(|entry| is_of(entry.value.category, &entry.name));
        report.tools.retain(|tool| names.contains(&tool.name));
    }
    let mut listing = entries(query, &report.scopes);
    let origin = |tool: &Tool| report.scopes.mcp.active(server(tool)).map(|server| &server.origin);
    // A tool of a server has the keys of an extension's row, as far as it has them.
    listing.entries.extend(report.tools.iter().map(|tool| {
        json!({
            "category": Category::Tools,
            "name": tool.name,
            "origin": origin(tool),
            "active": true,
            "runnable": true,
            "state": EntryState::Active.as_str(),
            "server": server(tool),
            "about": tool.description,
        })
    }));
    if !report.tools.is_empty() {
        let bold = style::BOLD;
        let mut table = TextTable::new();
        for tool in &report.tools {
            let about = tool.description.as_deref().and_then(|text| text.lines().next()).unwrap_or_default();
            table.row([
                Cell::styled(format!("  {}", one_line(&tool.name)), style::BOLD),
                one_line(server(tool)).into(),
                one_line(about).into(),
            ]);
        }
        let table = table.show(query.room);
        listing.text.push_str(&format!("{bold}of MCP servers, as recorded{bold:#}\n{table}"));
    }
    let used = if report.used.is_empty() { NO_TOOL_USED } else { &one_line(&report.used.join(", ")) };
    listing.text.push_str(&format!("used by a build: {used}\n"));
    Ok(listing)
}

/// The server that a tool is of, by name.
fn server(tool: &Tool) -> &str {
    tool.source.as_deref().and_then(|source| source.strip_prefix(OF_SERVER)).unwrap_or_default()
}

/// The tools of a build that has none.
pub const NO_TOOL_USED: &str = "none; name tools with `--tools`";

/// Lists the MCP servers, and what is recorded of them.
pub fn servers(query: &ListQuery<'_>) -> CommandResult<Listing> {
    let servers = query.engine.look(&query.request)?.servers()?;
    let report = &servers.scopes;
    let mut listing = entries(query, report);
    for (document, entry) in listing.entries.iter_mut().zip(&report.mcp.servers) {
        document["recorded"] = json!(servers.known.get(&entry.name).filter(|_| entry.active));
    }
    if report.mcp.servers.is_empty() {
        let dim = style::DIM;
        let places = &report.places;
        let dirs = [(Scope::Global, &places.global), (Scope::Project, &places.project)];
        let files: Vec<String> = dirs
            .iter()
            .filter_map(|(scope, dir)| Some(places.source(*scope, &dir.as_ref()?.join("mcp.json"))))
            .map(|source| one_line(&source.path))
            .chain(servers.files.iter().map(|file| one_line(file)))
            .collect();
        let unread = untrusted_servers(&listing.diagnostics)
            .map_or_else(String::new, |path| format!("; {path} is not trusted and was not read"));
        listing.text.push_str(&format!("{dim}none found in {}{unread}{dim:#}\n", listed(&files)));
    }
    listing.text.push_str(&recorded(&servers, query.room));
    Ok(listing)
}

/// Formats what is recorded of the servers that may run, and when it was recorded.
fn recorded(report: &ServersReport, room: Option<usize>) -> String {
    let mut table = TextTable::new();
    for server in report.scopes.mcp.servers.iter().filter(|server| server.runnable) {
        let what = match report.known.get(&server.name) {
            Some(known) => recording(known).into(),
            None if matches!(server.value.server, Some(McpServer::Sse(_))) => {
                Cell::styled("not supported: preface has no support for the SSE transport", style::DIM)
            }
            None => {
                let refresh = command(&format!("mcp refresh {}", server.word()));
                Cell::styled(format!("nothing recorded: run {refresh}"), style::DIM)
            }
        };
        table.row([format!("  {}", one_line(&server.name)).into(), what]);
    }
    let (bold, table) = (style::BOLD, table.show(room));
    if table.is_empty() { table } else { format!("{bold}recorded{bold:#}\n{table}") }
}

fn recording(known: &RecordingInfo) -> String {
    let mut parts =
        vec![count(known.tools, "tool"), count(known.prompts, "prompt"), count(known.resources, "resource")];
    parts.retain(|one| !one.starts_with("0 "));
    let what = if parts.is_empty() { "no tools".to_owned() } else { parts.join(", ") };
    let when = match (known.by, known.age) {
        (RecordedBy::Hand, _) => {
            format!("written by hand, used instead of a recording: {}", one_line(&known.path))
        }
        (RecordedBy::Preface, Some(age)) => ago(age),
        (RecordedBy::Preface, None) => "at an unknown time".to_owned(),
    };
    let itself =
        known.calls_itself.as_deref().map(|name| format!("; {}", one_line(name))).unwrap_or_default();
    format!("{what}; {when}{itself}")
}

/// Formats an age: `3 minutes ago`.
fn ago(seconds: u64) -> String {
    let seconds = usize::try_from(seconds).unwrap_or(usize::MAX);
    let (many, unit) = match seconds {
        0..60 => return "just now".to_owned(),
        60..3600 => (seconds / 60, "minute"),
        3600..172_800 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{} ago", count(many, unit))
}

/// A row of a table of files, with the lines below it.
struct FileRow<const N: usize> {
    entry: ListingRow,
    cells: [Cell; N],
    below: Vec<String>,
}

/// The longest description.
const DESCRIPTION: usize = 160;

/// Returns the lines below the row of a file: its description, if it is valid, its details and its diagnostics.
fn below(entry: &ListingRow, description: Option<&str>) -> Vec<String> {
    let mut lines: Vec<String> =
        description.iter().map(|text| short(&one_line(trim(text)), DESCRIPTION).into_owned()).collect();
    lines.extend(details(entry));
    if description.is_some() {
        let is_shown = |diagnostic: &&Diagnostic| {
            !matches!(diagnostic.code, DiagnosticCode::ScopeShadows | DiagnosticCode::ScopeCollision)
        };
        let diagnostics = entry.diagnostics.iter().filter(is_shown);
        lines.extend(diagnostics.map(|diagnostic| one_line(&diagnostic.message)));
    }
    lines
}

/// Lists files, of which `left_out` more are not in the table.
fn files<const N: usize>(
    query: &ListQuery<'_>,
    heads: [&str; N],
    rows: Vec<FileRow<N>>,
    left_out: usize,
    diagnostics: Diagnostics,
) -> Listing {
    let dim = style::DIM;
    let mut text = String::new();
    let mut listing = Listing { diagnostics, ..Listing::default() };
    let mut table = TextTable::headed(heads);
    let mut lines = Vec::new();
    for FileRow { entry, cells, below } in rows {
        table.row(cells);
        lines.push(below);
        listing.shown.extend(entry.diagnostics);
        listing.entries.push(entry.value.document);
    }
    if lines.is_empty() {
        let kinds: Vec<&str> = query.groups.iter().map(|group| group.as_str()).collect();
        text.push_str(&format!("{dim}none: {}{dim:#}\n", kinds.join(", ")));
    } else {
        text.push_str(&table.show_with(lines, query.room));
    }
    if left_out > 0 {
        text.push_str(&format!("{dim}not shown: {left_out} more; `--all` shows them and why{dim:#}\n"));
    }
    Listing { text, ..listing }
}

/// Lists the skills.
pub fn skills(query: &ListQuery<'_>) -> CommandResult<Listing> {
    let dim = style::DIM;
    let report = query.engine.look(&query.request)?.skills();
    if !report.listed {
        let text = format!("{dim}this preset lists no skills{dim:#}\n");
        return Ok(Listing { diagnostics: report.diagnostics, text, ..Listing::default() });
    }
    let all = query.inactive == InactiveRows::Shown;
    let shown = report.skills.iter().filter(|skill| all || skill.value.left_out.is_none());
    let rows: Vec<FileRow<4>> = shown.map(skill).collect();
    let left_out = report.skills.len() - rows.len();
    let mut listing = files(query, ["name", "layer", "state", "path"], rows, left_out, report.diagnostics);
    if report.skills.is_empty() && !report.roots.is_empty() {
        let roots: Vec<String> = report.roots.iter().map(|root| one_line(root)).collect();
        listing.text.push_str(&format!("{dim}none found in {}{dim:#}\n", listed(&roots)));
    }
    if let Some(why) = report.left_out.filter(|_| report.skills.iter().any(|skill| skill.active)) {
        let care = style::CARE;
        let why = one_line(&why);
        listing.text.push_str(&format!("{care}the prompt lists none of them:{care:#} {why}\n"));
    }
    Ok(listing)
}

fn skill(skill: &SkillEntry) -> FileRow<4> {
    let entry = row(ListingGroup::Skills, skill);
    let [name, layer, state] = head(&entry);
    let file = &skill.value;
    let of_state = |state: Cell| {
        let mut lines = below(&entry, file.description.as_deref());
        let is_new = |finding: &&String| !entry.diagnostics.iter().any(|known| known.message == **finding);
        let findings = file.standard.iter().filter(is_new);
        lines.extend(findings.map(|one| format!("standard: {}", short(&one_line(one), DESCRIPTION))));
        (state, lines)
    };
    let word = |word: &str| Cell::styled(word, style::DIM);
    let (state, below) = match &file.left_out {
        Some(SkillOmission::Ignored { path, line }) => {
            (word("ignored"), vec![format!("left out by {}:{line}", one_line(path))])
        }
        Some(SkillOmission::Duplicate { path }) => {
            (word("again"), vec![format!("the same as {}", one_line(path))])
        }
        None if skill.active && file.hidden => of_state(word("by name only")),
        None => of_state(state),
    };
    FileRow { cells: [name, layer, state, one_line(&skill.origin.path).into()], entry, below }
}

/// Lists the output styles.
pub fn styles(query: &ListQuery<'_>) -> CommandResult<Listing> {
    let report = query.engine.look(&query.request)?.styles();
    Ok(markdown(query, report, ListingGroup::Styles, |style| style.description.as_deref()))
}

/// Lists the slash commands.
pub fn slash_commands(query: &ListQuery<'_>) -> CommandResult<Listing> {
    let report = query.engine.look(&query.request)?.slash_commands();
    Ok(markdown(query, report, ListingGroup::SlashCommands, |command| Some(&command.description)))
}

/// Lists Markdown files with their descriptions.
fn markdown<T: Serialize>(
    query: &ListQuery<'_>,
    report: FilesReport<T>,
    group: ListingGroup,
    about: fn(&T) -> Option<&str>,
) -> Listing {
    let shown = report.entries.iter().filter(|file| query.shows(file.active));
    let rows: Vec<FileRow<4>> = shown
        .map(|file| {
            let entry = row(group, file);
            let [name, layer, state] = head(&entry);
            let below = below(&entry, file.value.what.as_ref().and_then(about));
            FileRow { cells: [name, layer, state, one_line(&file.origin.path).into()], entry, below }
        })
        .collect();
    let left_out = report.entries.len() - rows.len();
    files(query, ["name", "layer", "state", "path"], rows, left_out, report.diagnostics)
}

/// The widest column of names, and of tools.
const NAME: usize = 24;
const TOOLS: usize = 24;

/// Lists the agents.
pub fn agents(query: &ListQuery<'_>) -> CommandResult<Listing> {
    let report = query.engine.look(&query.request)?.agents();
    let shown = report.entries.iter().filter(|agent| query.shows(agent.active));
    let rows: Vec<FileRow<5>> = shown
        .map(|agent| {
            let entry = row(ListingGroup::Agents, agent);
            let [name, layer, state] = head(&entry);
            let below =
                below(&entry, agent.value.what.as_ref().map(|definition| definition.description.as_str()));
            let tools = Cell::from(one_line(&tools_of(agent))).within(TOOLS);
            let cells = [name.within(NAME), layer, state, tools, one_line(&agent.origin.path).into()];
            FileRow { cells, entry, below }
        })
        .collect();
    let left_out = report.entries.len() - rows.len();
    let heads = ["name", "layer", "state", "tools", "path"];
    Ok(files(query, heads, rows, left_out, report.diagnostics))
}

fn tools_of(agent: &AgentEntry) -> String {
    let Some(definition) = &agent.value.what else { return "-".to_owned() };
    let but = match definition.disallowed_tools.as_slice() {
        [] => String::new(),
        not => format!(" but {}", not.join(", ")),
    };
    match &definition.tools {
        None => format!("all{but}"),
        Some(tools) if tools.is_empty() => "none".to_owned(),
        Some(tools) => format!("{}{but}", tools.join(", ")),
    }
}

/// Lists the models that requests and cache plans have facts about, the user's first.
pub fn models(query: &ListQuery<'_>) -> CommandResult<Listing> {
    let places = query.engine.look(&query.request)?.scopes()?.places;
    let mut diagnostics = Diagnostics::new();
    let models = models::read_in(files::system(), &places, &mut diagnostics);
    let heads = ["model", "vendor", "caches from", "lifetime", "marks", "tokenizer", "as of"];
    let mut table = TextTable::headed(heads).right(&[2]);
    models.rows().for_each(|row| model(&mut table, row));
    let entries = models.rows().map(|row| json!(row)).collect();
    Ok(Listing { entries, diagnostics, text: table.show(query.room), ..Listing::default() })
}

/// Adds a line for each name of a row.
fn model(table: &mut TextTable<7>, row: &Model) {
    let lifetimes: Vec<&str> = row.cache_ttl.iter().map(|one| one.ttl.as_str()).collect();
    let marks = match row.cache_marks {
        CacheMarks::CacheControl | CacheMarks::Breakpoint => format!("at most {}", row.cache_mark_limit),
        CacheMarks::None => "none".to_owned(),
    };
    for name in &row.names {
        table.row([
            Cell::styled(one_line(name), style::BOLD),
            row.vendor.as_str().into(),
            format!("{} tokens", row.cache_minimum).into(),
            one_line(&lifetimes.join(", ")).into(),
            marks.clone().into(),
            one_line(row.tokenizer.as_deref().unwrap_or("not public")).into(),
            Cell::styled(one_line(&row.as_of), style::DIM),
        ]);
    }
}

/// Lists the reminders of a profile, by event.
pub fn reminders(query: &ListQuery<'_>) -> CommandResult<Listing> {
    let dim = style::DIM;
    let report = query.engine.look(&query.request)?.reminders();
    let entries = report.catalogue.iter().map(reminder).collect();
    let mut table = TextTable::headed(["event", "layer", "fields"]);
    for one in report.catalogue.iter() {
        let scope = one.source.scope;
        let fields: Vec<String> = one.fields.iter().map(EventField::to_string).collect();
        table.row([
            Cell::styled(one_line(one.id.as_str()), if one.is_off() { dim } else { style::BOLD }),
            Cell::styled(scope.as_str(), style::scope(scope)),
            if one.is_off() { Cell::styled("switched off", dim) } else { fields.join(", ").into() },
        ]);
    }
    let below = report.catalogue.iter().map(|one| vec![one_line(&one.description)]);
    let text = if report.catalogue.is_empty() {
        let help = report.help.iter().map(|help| format!("help: {}\n", one_line(help))).collect::<String>();
        format!("{dim}the profile `{}` has no reminders{dim:#}\n{help}", one_line(&report.profile))
    } else {
        table.show_with(below, query.room)
    };
    Ok(Listing { entries, diagnostics: report.diagnostics, text, ..Listing::default() })
}

fn reminder(one: &Reminder) -> Value {
    json!({
        "id": one.id.as_str(),
        "description": one.description,
        "fields": one.fields,
        "off": one.is_off(),
        "origin": { "scope": one.source.scope, "path": one.source.path },
    })
}

/// Lists the variables with their values in the directory.
pub fn variables(query: &ListQuery<'_>) -> CommandResult<Listing> {
    let rows = query.engine.look(&query.request)?.variables()?;
    let text = if query.room.is_some_and(|room| room < ONE_LINE) {
        let mut table = TextTable::headed(["variable", "value", "stability"]);
        rows.iter().for_each(|row| table.row(cells(row)));
        let below = |row: &VariableRow| vec![format!("{}; costs: {}", row.about, row.cost)];
        table.show_with(rows.iter().map(below), query.room)
    } else {
        let mut table = TextTable::headed(["variable", "value", "stability", "cost", "about"]);
        for row in &rows {
            let [name, value, stability] = cells(row);
            table.row([name, value, stability, row.cost.into(), Cell::styled(row.about.clone(), style::DIM)]);
        }
        table.show(query.room)
    };
    Ok(Listing { entries: rows.iter().map(variable).collect(), text, ..Listing::default() })
}

/// The widest column of values, and the width below which descriptions have lines of their own.
const VALUE: usize = 32;
const ONE_LINE: usize = 110;

/// Name, value and stability.
fn cells(row: &VariableRow) -> [Cell; 3] {
    let (dim, cut) = (style::DIM, |text: &str| short(text, VALUE).into_owned());
    let value = match row.variable.as_ref().map(|variable| (variable.value.as_deref(), &variable.source)) {
        None => Cell::styled("any name", dim),
        Some((None, why)) => Cell::styled(cut(&format!("absent: {}", one_line(why))), dim),
        Some((Some(""), _)) => Cell::styled("(empty)", dim),
        Some((Some(value), _)) => Cell::styled(cut(&one_line(value)), style::GOOD),
    };
    let stability = Cell::styled(row.stability.as_str(), style::stability(row.stability));
    [Cell::styled(row.name.clone(), style::BOLD), value, stability]
}

fn variable(row: &VariableRow) -> Value {
    let variable = row.variable.as_ref();
    json!({
        "variable": row.name,
        "value": variable.and_then(|variable| variable.value.as_deref()),
        "source": variable.map(|variable| &*variable.source),
        "dynamic": row.dynamic,
        "stability": variable.filter(|variable| variable.value.is_some()).map_or(row.stability, |variable| variable.stability),
        "cost": row.cost,
        "about": row.about,
        "example": row.example,
        "diagnostics": variable.map(|variable| variable.diagnostics.as_slice()).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{flags::OutputFormat, ui::columns};
    use preface_engine::{ASSETS, BuildOptions, Engine, host::system::testing::MemorySystem};

    #[test]
    fn an_age_has_one_unit() {
        for (seconds, expected) in [
            (0, "just now"),
            (61, "1 minute ago"),
            (7200, "2 hours ago"),
            (172_799, "47 hours ago"),
            (172_800, "2 days ago"),
        ] {
            assert_eq!(ago(seconds), expected);
        }
    }

    #[test]
    fn a_listing_of_agents_fits_into_a_terminal() {
        let tools = "Read, Write, Edit, Glob, Grep, Bash, Task, WebFetch, WebSearch";
        let file =
            |name: &str| format!("---\nname: {name}\ndescription: Reviews.\ntools: {tools}\n---\n\nYou.\n");
        let own = MemorySystem::new()
            .with_bundle(ASSETS)
            .with_home("/home/u")
            .with_dir("/w")
            .with_file("/home/u/.claude/agents/a.md", file("agent-with-a-longer-name"))
            .with_current_dir("/w");
        let both =
            own.clone().with_file("/home/u/.claude/agents/somewhere/deep/down/b.md", file(&"n".repeat(60)));
        for (system, room) in [(&both, 80), (&own, 80), (&both, 100)] {
            let request = BuildOptions { preset: Some("claude-code".into()), ..BuildOptions::in_dir("/w") };
            let query = ListQuery {
                engine: Engine::new(system),
                request,
                groups: &[ListingGroup::Agents],
                inactive: InactiveRows::LeftOut,
                format: OutputFormat::Text,
                room: Some(room),
            };
            let view = anstream::adapter::strip_str(&agents(&query).unwrap().text).to_string();
            let widest = view.lines().map(columns).max();
            assert!(widest.is_some_and(|widest| widest <= room), "{room} columns:\n{view}");
        }
    }

    #[test]
    fn a_listing_of_variables_is_whole_in_a_terminal() {
        let system = MemorySystem::new().with_bundle(ASSETS).with_dir("/work");
        let query = ListQuery {
            engine: Engine::new(&system),
            request: BuildOptions::in_dir("/work"),
            groups: &[],
            inactive: InactiveRows::LeftOut,
            format: OutputFormat::Text,
            room: Some(80),
        };
        let view = anstream::adapter::strip_str(&variables(&query).unwrap().text).to_string();
        assert!(view.lines().all(|line| columns(line) <= 80), "{view}");
        assert!(view.contains("\n  Name of the machine; costs: free\n"), "{view}");
    }

    #[test]
    fn the_document_is_the_catalogue_of_the_service() {
        let system = MemorySystem::new().with_bundle(ASSETS).with_dir("/work");
        let rows = Engine::new(&system).look(&BuildOptions::in_dir("/work")).unwrap().variables().unwrap();
        let of_list: Vec<_> = rows
            .iter()
            .map(variable)
            .map(|row| json!([row["variable"], row["about"], row["dynamic"], row["example"], row["cost"]]))
            .collect();
        let of_service: Vec<_> = preface_engine::variables()
            .iter()
            .map(|one| {
                let name = format!("{}:{}", one.kind, one.name);
                json!([name, one.description, one.dynamic, one.example, one.cost])
            })
            .collect();
        assert_eq!(of_list, of_service, "`preface list variables` and `/system-prompt/variables` agree");
    }
}
