//! Builds the prompt of a conversation and its record. It blocks on files.

use super::{ConversationError, PromptRecord, RECORD_VERSION, UsedValue};
use crate::{
    BuildOptions, Engine, Error, TemplateInput, TrustChoice, WriteScope,
    conversation::input_cache::{BuildContext, InputCache},
};
use jiff::Timestamp;
use preface_core::{
    budget::Bytes4,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    pipeline::draft::AbsentReason,
    profile::{CompactionAction, Profile, ReplacementSource},
    prompt::{Prompt, fingerprint},
    section::{ListName, SectionBody, SectionId},
    template::{Template, TemplateOptions},
    turn::Tool,
};
use preface_host::{
    discover,
    places::{normal, resolve_links},
    system::{FileKind, System},
};
use preface_store::{
    Actor, ConstructReason, ConversationId, PromptSummary, Revision, StoredPrompt, TemplateName, TemplateUsed,
};
use std::{
    mem::take,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Everything that a construct needs.
#[derive(Debug)]
pub(super) struct ConstructInput {
    pub id: ConversationId,
    pub options: BuildOptions,
    pub reason: ConstructReason,
    pub revision: u64,
    pub created_at: Timestamp,
    pub constructed_at: Timestamp,
    pub roots: Option<Arc<[PathBuf]>>,
    pub template: TemplateUsed,
    /// The template's text; `None` leaves the profile's own.
    pub text: Option<TemplateInput>,
    pub writes: WriteScope,
}

/// A prompt that is ready to be kept.
#[derive(Debug)]
pub struct ConstructedPrompt {
    pub(super) conversation: StoredPrompt,
    pub(super) diagnostics: Diagnostics,
    /// The instructions for the model at a compaction.
    pub(super) instructions: String,
    /// True if the profile keeps its prompt over a compaction.
    pub(super) keeps: bool,
}

impl ConstructInput {
    /// Begins a construct in the place of a prompt, if there is one.
    pub(super) fn new(
        id: ConversationId,
        reason: ConstructReason,
        was: Option<&PromptSummary>,
        actor: &Actor,
    ) -> Self {
        ConstructInput {
            id,
            options: BuildOptions::default(),
            reason,
            revision: was.map_or(1, |was| was.revision.revision + 1),
            created_at: was.map_or(actor.at, |was| was.created_at),
            constructed_at: actor.at,
            roots: None,
            template: TemplateUsed { chosen: String::new(), name: TemplateName::main(), version: None },
            text: None,
            writes: WriteScope::Nothing,
        }
    }

    pub(super) fn construct(
        mut self,
        system: &dyn System,
        cache: &InputCache,
    ) -> Result<ConstructedPrompt, ConversationError> {
        let (mut request, place) =
            rooted(system, self.roots.as_deref(), &mut self.options, self.id.as_str())?;
        request.template_text = self.text.take();
        let engine = Engine::new(system).writing(self.writes);
        let made = engine.build_cached(cache, &request, |made| self.keep(made))?;
        match place {
            Some(place) if !place.is_still_there(system) => {
                Err(ConversationError::Outside(place.name.display().to_string()))
            }
            _ => made,
        }
    }

    /// Turns a prompt into what is kept of it.
    pub(super) fn keep(self, made: BuildContext<'_>) -> Result<ConstructedPrompt, ConversationError> {
        let BuildContext { mut prompt, snapshot, inputs } = made;
        let ConstructInput { id, mut options, reason, revision, created_at, constructed_at, .. } = self;
        let profile = &snapshot.profile;
        let takes = profile.takes_template();
        if options.template.is_some() && !takes {
            prompt.diagnostics.push(Diagnostic::warning(
                DiagnosticCode::TemplateUnused,
                format!(
                    "the profile `{}` takes no template: `{}` was not used",
                    profile.name, self.template.chosen
                ),
            ));
        }
        let diagnostics = prompt.diagnostics.clone();
        let text = take(&mut prompt.text);
        options.cwd = Some(snapshot.turn.cwd.clone().into());
        let head = PromptSummary {
            id,
            revision: Revision::new(revision),
            bytes: text.len() as u64,
            fingerprint: fingerprint(&text),
            text: text.into(),
            cwd: snapshot.turn.cwd.clone(),
            model: options.model.clone(),
            preset: prompt.preset.clone(),
            template: takes.then_some(self.template),
            reason,
            created_at,
            constructed_at,
        };
        let record = PromptRecord {
            version: RECORD_VERSION,
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            options,
            tools: listed_tools(profile, &snapshot.turn.tools, &prompt),
            prompt,
            variables: UsedValue::all(&snapshot.variables),
            project: inputs.gate().admitted(),
            trust: profile.trust,
            rebuild: profile.rebuild,
            compaction: profile.compaction.prompt,
            counter: Some(snapshot.turn.counter.clone()).filter(|name| name != Bytes4::NAME),
        };
        let record =
            serde_json::to_string(&record).map_err(|error| ConversationError::Record(error.to_string()))?;
        Ok(ConstructedPrompt {
            conversation: StoredPrompt { head, record: record.into() },
            diagnostics,
            instructions: profile.compaction.instructions.clone(),
            keeps: profile.compaction.prompt == CompactionAction::Keep,
        })
    }
}

/// Returns the names of the tools that a prompt was built for, where it lists tools or has none to list.
pub(super) fn listed_tools(profile: &Profile, tools: &[Tool], prompt: &Prompt) -> Option<Vec<String>> {
    // A list without a tool is absent; with other tools it would be in the prompt.
    let is_listed = |section: &SectionId| {
        prompt.parts.iter().any(|part| part.section == *section)
            || prompt.absent.iter().any(|absent| {
                absent.section == *section
                    && matches!(absent.reason, AbsentReason::NoText | AbsentReason::Empty)
            })
    };
    let lists_tools = profile
        .sections
        .iter()
        .any(|section| matches!(section.body, SectionBody::List(ListName::Tools)) && is_listed(&section.id));
    lists_tools.then(|| tools.iter().map(|tool| tool.name.clone()).collect())
}

/// Returns the request for a conversation, with its directory in the roots. The directory is added to `options`.
pub(super) fn rooted(
    system: &dyn System,
    roots: Option<&[PathBuf]>,
    options: &mut BuildOptions,
    id: &str,
) -> Result<(BuildOptions, Option<RootedDirectory>), ConversationError> {
    let cwd = match (&options.cwd, roots) {
        (Some(cwd), _) => cwd.clone(),
        // With one root there is no other directory to mean.
        (None, Some([root])) => root.clone(),
        (None, _) => return Err(ConversationError::NoCwd),
    };
    options.cwd = Some(cwd.clone());
    let mut request = BuildOptions { conversation: Some(id.to_owned()), ..options.clone() };
    let Some(roots) = roots else { return Ok((request, None)) };
    let place = RootedDirectory::find(system, roots, &request)?;
    request.cwd = Some(place.real.clone());
    request.cwd_name = Some(cwd.display().to_string());
    request.roots = Some(roots.to_vec());
    request.trust = TrustChoice::Roots;
    Ok((request, Some(place)))
}

/// A directory in the roots.
pub(super) struct RootedDirectory {
    /// As the caller calls it, absolute.
    name: PathBuf,
    /// The canonical path.
    real: PathBuf,
}

impl RootedDirectory {
    fn find(
        system: &dyn System,
        roots: &[PathBuf],
        request: &BuildOptions,
    ) -> Result<RootedDirectory, ConversationError> {
        let cwd = request.cwd.clone().unwrap_or_default();
        let real = directory_in_roots(system, roots, &cwd)?;
        Ok(RootedDirectory { name: normal(Path::new("/"), &cwd), real })
    }

    /// Returns false if the directory was replaced by a link in the meantime. Files are read beneath the
    /// roots in any case; this check is for what is found by walking up from a directory.
    fn is_still_there(&self, system: &dyn System) -> bool {
        system.canonical(&self.real).is_ok_and(|real| real == self.real)
    }
}

/// Returns the real path of a directory that lies at or below one of `roots`, which are real paths.
///
/// # Errors
/// [`ConversationError::Outside`], whether or not anything is there, and [`ConversationError::NoDirectory`] in a root.
pub fn directory_in_roots(
    system: &dyn System,
    roots: &[PathBuf],
    dir: &Path,
) -> Result<PathBuf, ConversationError> {
    let outside = || ConversationError::Outside(dir.display().to_string());
    if !dir.is_absolute() {
        return Err(outside());
    }
    let name = normal(Path::new("/"), dir);
    let is_in = |path: &Path| roots.iter().any(|root| path.starts_with(root));
    let is_dir = |path: &Path| system.stat(path).is_some_and(|stat| stat.kind == FileKind::Dir);
    match system.canonical(&name) {
        Ok(real) if is_in(&real) && is_dir(&real) => Ok(real),
        Ok(real) if !is_in(&real) => Err(outside()),
        // What is missing in a root may be reported; elsewhere, also behind a link that leads out, not even that.
        _ if is_in(&name) && is_in(&resolve_links(system, &name)) => {
            Err(ConversationError::NoDirectory(name.display().to_string()))
        }
        _ => Err(outside()),
    }
}

impl Engine<'_> {
    /// Returns the template for a request if the store has none: the user's own file, else the profile's
    /// text. Returns `None` if the profile takes no template.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn default_template(&self, request: &BuildOptions) -> Result<Option<String>, Error> {
        let loaded = self.load_profile(request)?;
        let project = self.open_project(request, &loaded, None)?;
        let profile = &loaded.profile;
        let Some(group) =
            profile.groups.iter().find(|group| group.replace.contains(&ReplacementSource::Store))
        else {
            return Ok(None);
        };
        let context = project.access.context(self, &loaded, &project.settings);
        let stack = discover::layers(profile, project.access.trust, &context);
        let own = group
            .replace
            .iter()
            .filter_map(ReplacementSource::file)
            .find_map(|file| stack.layer(file.scope)?.files.get(&file.name));
        let section = group.members.iter().find_map(|id| profile.section(id));
        let pieces = match (own, section.map(|section| &section.body)) {
            (Some(pieces), _) | (None, Some(SectionBody::Text(pieces))) => pieces.as_slice(),
            (None, _) => &[],
        };
        Ok(Some(pieces.iter().map(|piece| piece.text.as_str()).collect()))
    }

    /// Checks a template against the hard limits of the profile. `Err` inside: why it is refused, with its place.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn check_template(
        &self,
        request: &BuildOptions,
        text: &str,
    ) -> Result<Result<(), Box<Diagnostic>>, Error> {
        let loaded = self.load_profile(request)?;
        let options = TemplateOptions::of(&loaded.profile, &request.variables);
        Ok(Template::parse(text, &options)
            .map(drop)
            .map_err(|error| Box::new(error.to_diagnostic(None, "template", text))))
    }
}
