//! Input of hooks beside the prompt: the tools, and the inputs of the base prompt.

use super::Conversation;
use crate::input::Inputs;
use preface_core::{
    extension::Category,
    hook::{HookContextFile, HookInputs, HookSkill, HookTool},
    lint::character::unescape,
    origin::Piece,
    profile::ReplacementSource,
    skill::escape,
    snapshot::{Contribution, Item, Snapshot},
    turn::Tool,
};
use preface_host::provider::{
    ContextProvider, instructions::INSTRUCTIONS, layer_files::LAYER_FILES, skills::SKILLS,
};

/// The active tools in order, then those that could be active.
pub(super) fn tools(inputs: &Inputs, active: &[Tool]) -> Vec<HookTool> {
    let is_active = |name: &str| active.iter().any(|tool| tool.name == name);
    let all = active.iter().map(|tool| HookTool {
        name: tool.name.clone(),
        active: true,
        description: tool.description.clone(),
        input_schema: tool.input_schema.clone(),
    });
    let entries = inputs.entries.scopes.of(Category::Tools).filter(|entry| entry.active);
    let of_servers = inputs.entries.server_tools.iter().map(|tool| &tool.name);
    let others = entries.map(|entry| &entry.name).chain(of_servers).filter(|name| !is_active(name));
    all.chain(others.map(|name| HookTool { name: name.clone(), ..HookTool::default() })).collect()
}

impl Conversation {
    /// The inputs of the base in the words of the seed. Which section they come from is the profile's business; what
    /// fills a section names the input.
    pub(super) fn hook_inputs(&self) -> HookInputs {
        let snapshot = &self.snapshot;
        let turn = &snapshot.turn;
        let custom = snapshot.profile.groups.iter().find_map(|group| {
            group.replace.iter().find_map(|candidate| match candidate {
                ReplacementSource::Option(name) => snapshot.given.get(name),
                ReplacementSource::File(file) => snapshot.stack.layer(file.scope)?.files.get(&file.name),
                ReplacementSource::Store => snapshot.stored.as_ref(),
            })
        });
        HookInputs {
            custom_prompt: custom.map(|pieces| text(pieces)).filter(|text| !text.is_empty()),
            selected_tools: turn.tools.iter().map(|tool| tool.name.clone()).collect(),
            tool_snippets: turn
                .tools
                .iter()
                .filter_map(|tool| Some((tool.name.clone(), tool.snippet.clone()?)))
                .collect(),
            prompt_guidelines: turn.tools.iter().flat_map(|tool| tool.guidelines.clone()).collect(),
            append_system_prompt: fills(snapshot, &LAYER_FILES)
                .find_map(|contribution| Some(text(&contribution.items.first()?.pieces))),
            cwd: turn.cwd.clone(),
            context_files: fills(snapshot, &INSTRUCTIONS).flat_map(files).collect(),
            skills: fills(snapshot, &SKILLS)
                .flat_map(|contribution| skills(contribution, escaped(snapshot, contribution)))
                .collect(),
        }
    }
}

fn fills<'w>(snapshot: &'w Snapshot, provider: &ContextProvider) -> impl Iterator<Item = &'w Contribution> {
    let name = provider.name;
    snapshot.contributions.iter().filter(move |contribution| contribution.provider.as_str() == name)
}

fn text(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

fn variable(item: &Item, name: &str) -> String {
    item.variables.get(name).cloned().unwrap_or_default()
}

fn files(contribution: &Contribution) -> Vec<HookContextFile> {
    contribution
        .items
        .iter()
        .map(|item| HookContextFile { path: variable(item, "absolute"), content: text(&item.pieces) })
        .collect()
}

/// Returns the escaping of the listing's values; `xml` if the profile sets none.
fn escaped<'w>(snapshot: &'w Snapshot, contribution: &Contribution) -> &'w str {
    let section = snapshot.profile.sections.iter().find(|section| section.id == contribution.section);
    section.and_then(|section| section.options.get("escape")?.as_str()).unwrap_or("xml")
}

/// The values, not what a listing made of them.
fn skills(contribution: &Contribution, escaped: &str) -> Vec<HookSkill> {
    let plain = |text: String| if escaped == "none" { text } else { escape::plain(&text).into_owned() };
    let description = |text: String| match (escaped, plain(text)) {
        ("line", text) => unescape(&text).into_owned(),
        (_, text) => text,
    };
    contribution
        .items
        .iter()
        .map(|item| HookSkill {
            name: plain(variable(item, "name")),
            description: description(text(&item.pieces)),
            file_path: plain(variable(item, "location")),
            base_dir: plain(variable(item, "base_dir")),
            disable_model_invocation: false,
        })
        .collect()
}
