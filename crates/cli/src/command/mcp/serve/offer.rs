//! What the server offers, and what each call does: a build on a machine that nothing is written to.

use super::{
    answer,
    arguments::{self, ArgumentReader, BodyArguments, DIRECTORY},
    schema,
};
use crate::{
    failure::{CommandFailure, Exit},
    files,
    subject::Subject,
    ui::{Ui, Verbosity, text::one_line},
};
use preface_engine::{
    Engine, Error, Request, WriteScope,
    host::{
        places::HomeTrust,
        profile::{self, ProfileChoice},
    },
    mcp_protocol::{
        Arguments, CallOutput, Offer, PromptArgument, PromptOffer, Refusal, RefusalKind, ResourceOffer,
        ServerInfo, ToolOffer,
    },
    preset_names,
};
use std::path::PathBuf;

const INSTRUCTIONS: &str = "\
preface builds the system prompt that an agent gets in a directory, and records where every byte of it came from. Its prompts, \
one for each preset, and the tool `build` give that text; `explain` tells origin, tokens and stability of each part and what \
is absent, `lint` finds hidden text, secrets, forged structure and tags that do nothing, and `request` makes the body of a \
request to a service. Nothing is ever written, only \
directories below the server's roots can be named, and text of a project that its user has not trusted is held back and \
reported as a diagnostic.";

/// The sentence at the end of each prompt's description: the protocol has no role for a system prompt.
const ROLE: &str = "The system prompt of a directory, as one message with the role user, because MCP knows no system role: \
give it to a model as its system prompt.";

/// The prefix of the addresses of resources.
const ADDRESS: &str = "preface://prompt/";

/// Offers the prompts of presets, and tools about them.
#[derive(Debug)]
pub struct PresetOffer {
    ui: Ui,
    asker: ArgumentReader,
    presets: Vec<PresetEntry>,
}

#[derive(Debug)]
struct PresetEntry {
    name: String,
    about: String,
}

impl PresetOffer {
    /// Looks at the presets once.
    pub fn new(ui: Ui, roots: Vec<PathBuf>, home_trust: HomeTrust) -> Result<Self, CommandFailure> {
        let system = files::system();
        let presets: Result<_, CommandFailure> = preset_names(&system, None)
            .into_iter()
            .map(|name| {
                let profile = profile::load(&system, None, &ProfileChoice::Named(name.clone()), &[])?;
                Ok(PresetEntry { name, about: profile.about })
            })
            .collect();
        let asker = ArgumentReader::new(&system, roots, home_trust)?;
        Ok(PresetOffer { ui, asker, presets: presets? })
    }

    fn build(&self, request: &Request) -> Result<Subject, Refusal> {
        let system = files::system();
        let built = Engine::new(&system).writing(WriteScope::Nothing).build(request).map_err(refused)?;
        let diagnostics = arguments::diagnostics(built.snapshot.profile.takes_template());
        let mut subject = Subject::of(built, Vec::new());
        subject.prompt.diagnostics.extend(diagnostics);
        Ok(subject)
    }

    fn body(&self, request: &Request, arguments: &Arguments) -> Result<CallOutput, Refusal> {
        let body = BodyArguments::read(arguments)?;
        let mut subject = self.build(request)?;
        subject.add_history(&body.messages, &mut Vec::new());
        answer::body(&subject, &body, request.model.as_deref()).map_err(failed)
    }

    fn lint(&self, request: &Request) -> Result<CallOutput, Refusal> {
        let system = files::system();
        Ok(answer::linted(&Engine::new(&system).lint(request).map_err(refused)?))
    }
}

/// Converts an error of the engine for a client.
fn refused(error: Error) -> Refusal {
    failed(error.into())
}

/// Converts a failure for a client.
fn failed(failure: CommandFailure) -> Refusal {
    let kind = match failure.exit_code() {
        Exit::Usage => RefusalKind::Arguments,
        _ => RefusalKind::Failed,
    };
    Refusal::new(kind, failure.into_diagnostic())
}

impl Offer for PresetOffer {
    fn about(&self) -> ServerInfo {
        ServerInfo {
            name: "preface".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: INSTRUCTIONS.to_owned(),
        }
    }

    fn prompts(&self) -> Vec<PromptOffer> {
        let argument =
            |name: &str, about: &str| PromptArgument { name: name.to_owned(), about: about.to_owned() };
        let offer = |preset: &PresetEntry| PromptOffer {
            name: preset.name.clone(),
            about: format!("{} {ROLE}", preset.about),
            arguments: vec![
                argument("directory", DIRECTORY),
                argument("model", "The model that will read the prompt."),
                argument("agent", "Build the prompt of this agent instead of the main conversation's."),
                argument(
                    "tools",
                    "The active tools, separated by commas, or `none`. Without it the profile decides.",
                ),
            ],
        };
        self.presets.iter().map(offer).collect()
    }

    fn tools(&self) -> Vec<ToolOffer> {
        let names: Vec<&str> = self.presets.iter().map(|preset| preset.name.as_str()).collect();
        schema::tools(&names)
    }

    fn resources(&self) -> Vec<ResourceOffer> {
        let offer = |preset: &PresetEntry| ResourceOffer {
            address: format!("{ADDRESS}{}", preset.name),
            name: format!("{}.md", preset.name),
            about: format!(
                "The system prompt that preset `{}` builds where the server was started.",
                preset.name
            ),
            media_type: "text/markdown".to_owned(),
        };
        self.presets.iter().map(offer).collect()
    }

    fn prompt(&self, name: &str, arguments: &Arguments) -> Result<String, Refusal> {
        let request = self.asker.of_prompt(&files::system(), name, arguments)?;
        Ok(self.build(&request)?.prompt.text)
    }

    fn call(&self, tool: &str, arguments: &Arguments) -> Result<CallOutput, Refusal> {
        let request = self.asker.of_tool(&files::system(), arguments)?;
        match tool {
            "build" => answer::built(&self.build(&request)?).map_err(failed),
            "explain" => answer::explained(&self.build(&request)?).map_err(failed),
            "lint" => self.lint(&request),
            "request" => self.body(&request, arguments),
            // The names that come here are those of the list.
            _ => Err(Refusal::arguments("unknown tool", "tools/list lists them")),
        }
    }

    fn read(&self, address: &str) -> Result<String, Refusal> {
        let preset = address.strip_prefix(ADDRESS).unwrap_or_default();
        self.prompt(preset, &Arguments::new())
    }

    fn note(&self, line: &str) {
        if self.ui.verbosity() == Verbosity::All {
            self.ui.eprint(&format!(
                "{}
",
                one_line(line)
            ));
        }
    }
}
