//! Texts of the user or of preface that a project removes or replaces. A grant lists them before it is recorded, and each
//! build that is affected reports them.

use crate::input::{load_profile::LoadedProfile, open_project::OpenedProject, resolve::ResolvedEntries};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Severity},
    extension::{Category, DisabledBy, EntryOrigin, ExtensionEntry, Status},
    lint::hidden::escape_hidden,
    mcp_servers::ServerEntry,
    profile::Profile,
    scope::Scope,
    section::SectionBody,
    settings::{MergedSettings, SetBy, Settings, SystemPromptFileSettings},
    snapshot::SettingsPrompt,
    trust::Trust,
};
use preface_host::{discover, provider};

/// The code of the warnings.
const CODE: DiagnosticCode = DiagnosticCode::ProjectReplaces;

/// One change.
#[derive(Clone, Debug, PartialEq)]
struct ProjectChange {
    diagnostic: Diagnostic,
    /// True if the prompt or the log of this build is another one because of it.
    affects_build: bool,
}

/// Everything that a project changes of what is there without it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ProjectChanges(Vec<ProjectChange>);

impl ProjectChanges {
    /// Compares settings and entries with those that there would be without the project.
    pub(crate) fn of(loaded: &LoadedProfile, project: &OpenedProject, entries: &ResolvedEntries) -> Self {
        let mut changes = ProjectChanges::default();
        if project.layers.is_empty() && project.access.trust == Trust::Untrusted {
            return changes;
        }
        let own = &loaded.merged;
        // An agent has a prompt of its own.
        if !entries.profile.closed && entries.turn.agent.is_none() {
            changes.add_own_prompt(&discover::system_prompt(own), &project.settings);
        }
        changes.add_system_prompt_file(loaded, &project.settings, &entries.profile);
        for entry in &entries.scopes.entries {
            changes.add_entry(entry, own, project, entries);
        }
        for server in &entries.mcp.servers {
            let name = format!("mcp/{}", server.name);
            let affects = entries.profile.mcp.tools;
            if let Some(by) = taken_by_project(server.disabled_by.as_ref(), server.origin.scope) {
                changes.add_switched_off(&name, &server.origin, by, affects);
            }
            if server.origin.scope != Scope::Project {
                continue;
            }
            let is_switched_off = |other: &ServerEntry| {
                other.name == server.name
                    && other.disabled_by.as_ref().is_some_and(|by| by.scope < SetBy::Project)
            };
            if server.active && entries.mcp.servers.iter().any(is_switched_off) {
                changes.add_brought_back(&name, &server.origin, affects);
            } else if server.active {
                changes.add_replaced(&name, &server.origin, server.shadows.first(), affects);
            } else if server.status == Status::Pending
                && let Some(below) = entries.mcp.active(&server.name)
            {
                changes.add_pending(&name, &server.origin, &below.origin);
            }
        }
        changes
    }

    /// Returns the warnings of this build.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = Diagnostic> {
        self.0.iter().filter(|change| change.affects_build).map(|change| change.diagnostic.clone())
    }

    /// Returns a line for each change, fit to be shown. `diagnostics` are those of the same build: the order of hooks and the
    /// allowlist are reported where they are worked out.
    pub(crate) fn lines(&self, diagnostics: &Diagnostics) -> Vec<String> {
        let of_project = |diagnostic: &&Diagnostic| {
            matches!(diagnostic.code, DiagnosticCode::OrderingRewrite | DiagnosticCode::SettingsLoosened)
                && diagnostic.place.as_ref().and_then(|place| place.scope) == Some(Scope::Project)
        };
        let mut lines: Vec<String> = self.0.iter().map(|change| change.diagnostic.message.clone()).collect();
        lines.extend(diagnostics.iter().filter(of_project).map(|diagnostic| diagnostic.message.clone()));
        lines
    }

    fn add(&mut self, what: String, place: Option<Place>, affects_build: bool) {
        let mut diagnostic = Diagnostic::warning(CODE, what);
        diagnostic.place = place;
        self.0.push(ProjectChange { diagnostic, affects_build });
    }

    /// `systemPrompt`: a text instead of all others, and one after them.
    fn add_own_prompt(&mut self, own: &SettingsPrompt, settings: &MergedSettings) {
        let with = discover::system_prompt(settings);
        let place = |key: &str| {
            let at = |path: &[&str]| Some(settings.at_layer(SetBy::Project, path)?.place());
            at(&["systemPrompt", key]).or_else(|| at(&["systemPrompt"]))
        };
        let path = |place: &Option<Place>| {
            place
                .as_ref()
                .map_or_else(|| "its settings".to_owned(), |place| escape_hidden(&place.path).into_owned())
        };
        let texts = [("custom", &own.custom, &with.custom), ("append", &own.append, &with.append)];
        for (key, before, after) in texts {
            let at = place(key);
            let of_project = after.as_ref().is_some_and(|text| text.origin.scope() == Some(Scope::Project));
            let what = match (before, after) {
                // Compose reports the text that is the whole prompt.
                (None, Some(_)) if key == "custom" && of_project => {
                    let what = format!(
                        "the project replaces the whole prompt, your own texts too: `systemPrompt.custom` of {}",
                        path(&at)
                    );
                    self.add(what, at, false);
                    continue;
                }
                (Some(before), Some(after)) if of_project && before.text != after.text => "replaces",
                (Some(_), None) if at.is_some() => "removes",
                _ => continue,
            };
            self.add(format!("the project {what} your `systemPrompt.{key}`, in {}", path(&at)), at, true);
        }
    }

    /// The built-in reader of `system.md`: what settings make of it without removing it.
    fn add_system_prompt_file(&mut self, own: &LoadedProfile, settings: &MergedSettings, profile: &Profile) {
        let before = &own.typed.context_providers.system_prompt_file;
        let with = Settings::read(settings).context_providers.system_prompt_file;
        let set_by = |key: &str| SystemPromptFileSettings::set_by(settings, key);
        let affects = fills_a_section(profile, SystemPromptFileSettings::KEYS[1]);
        let place = |key: &str| {
            let [category, id] = SystemPromptFileSettings::KEYS;
            Some(settings.at_layer(SetBy::Project, &[category, id, key])?.place())
        };
        if with.max_tokens < before.max_tokens && set_by("maxTokens") == Some(SetBy::Project) {
            let what = format!(
                "the project lowers the ceiling of `SystemPromptFile`, your own system.md included, from {} to {} \
                 tokens: `contextProviders.SystemPromptFile.maxTokens`",
                before.max_tokens, with.max_tokens
            );
            self.add(what, place("maxTokens"), affects);
        }
        if with.priority < before.priority && set_by("priority") == Some(SetBy::Project) {
            let what = format!(
                "the project lowers the priority of `SystemPromptFile`, your own system.md included, from {} to {}: \
                 `contextProviders.SystemPromptFile.priority`",
                before.priority, with.priority
            );
            self.add(what, place("priority"), affects);
        }
    }

    fn add_entry(
        &mut self,
        entry: &ExtensionEntry,
        own: &MergedSettings,
        project: &OpenedProject,
        entries: &ResolvedEntries,
    ) {
        let name = format!("{}/{}", entry.value.category, entry.name);
        let affects = |off: bool| match entry.value.category {
            // One that is disabled and requested has a warning of its own.
            Category::Tools => !off && entries.turn.tools.iter().any(|tool| tool.name == entry.name),
            Category::ContextProviders => {
                let builtin = provider::CONTEXT_PROVIDERS.iter().any(|provider| provider.id == entry.name);
                !builtin || fills_a_section(&entries.profile, &entry.name)
            }
            Category::Hooks | Category::Loggers => true,
            _ => false,
        };
        // An entry of the project that hides this one is switched off with it.
        let is_on_top = entry.shadowed_by.as_ref().is_none_or(|above| above.scope == Scope::Project);
        let mut same = entries.scopes.named(entry.value.category, &entry.name);
        let nearest = same.rfind(|other| other.origin.scope < Scope::Project && other.disabled_by.is_some());
        if let Some(by) = taken_by_project(entry.disabled_by.as_ref(), entry.origin.scope)
            && is_on_top
            && nearest.is_some_and(|nearest| nearest.origin == entry.origin)
        {
            self.add_switched_off(&name, &entry.origin, by, affects(true));
        }
        if entry.active {
            self.add_settings(entry.origin.scope, &entry.diagnostics);
            self.add_provider_settings(entry, project);
        }
        if entry.origin.scope != Scope::Project {
            return;
        }
        if entry.active {
            if own.disabled_by(entry.value.category.as_str(), &entry.name).is_some() {
                self.add_brought_back(&name, &entry.origin, affects(false));
                return;
            }
            // A command also hides one of another name that is typed alike.
            for hidden in nearest_of_each_name(entry, entries) {
                let name = format!("{}/{}", entry.value.category, hidden.name);
                self.add_replaced(&name, &entry.origin, Some(&hidden.origin), affects(false));
            }
        } else if entry.status == Status::Pending
            && let Some(below) = entries.scopes.active(entry.value.category, &entry.name)
        {
            self.add_pending(&name, &entry.origin, &below.origin);
        }
    }

    /// Adds the changes that the project's settings make to an entry of another layer, except for disabling
    /// it: they enable it again, or change the place and size of its text. The diagnostics are those of the
    /// listing, which a build reports as they are.
    fn add_settings(&mut self, scope: Scope, diagnostics: &[Diagnostic]) {
        let by_project = |diagnostic: &&Diagnostic| {
            diagnostic.severity == Severity::Warning
                && matches!(diagnostic.code, DiagnosticCode::ScopeEnabled | DiagnosticCode::SettingsPlaced)
                && diagnostic.place.as_ref().and_then(|place| place.scope) == Some(Scope::Project)
        };
        for diagnostic in diagnostics.iter().filter(|_| scope < Scope::Project).filter(by_project) {
            self.0.push(ProjectChange { diagnostic: diagnostic.clone(), affects_build: false });
        }
    }

    /// Adds the changes that the project's settings make to a provider of another layer: its address and its
    /// key.
    fn add_provider_settings(&mut self, entry: &ExtensionEntry, project: &OpenedProject) {
        if entry.value.category != Category::Providers || entry.origin.scope == Scope::Project {
            return;
        }
        let first = if entry.config_scope == SetBy::Project { "" } else { "once its commands are granted, " };
        for key in ["kind", "baseUrl", "apiKey"] {
            let set = project.settings.at_layer(SetBy::Project, &["providers", entry.name.as_str(), key]);
            if let Some(set) = set {
                let whose = whose(entry.origin.scope);
                let what = format!("{first}the project sets `{key}` of {whose} `providers/{}`", entry.name);
                self.add(what, Some(set.place()), false);
            }
        }
    }

    fn add_switched_off(&mut self, name: &str, origin: &EntryOrigin, by: &DisabledBy, affects: bool) {
        let line = by.line.map(|line| format!(":{line}")).unwrap_or_default();
        let place = Place { line: by.line, ..Place::file(Some(Scope::Project), by.path.clone()) };
        let more = with_own_file(name);
        let what =
            format!("the project switches off {} `{name}`{more}, in {}{line}", whose(origin.scope), by.path);
        self.add(what, Some(place), affects);
    }

    fn add_replaced(
        &mut self,
        name: &str,
        origin: &EntryOrigin,
        hidden: Option<&EntryOrigin>,
        affects: bool,
    ) {
        let Some(hidden) = hidden else { return };
        let more = with_own_file(name);
        let what =
            format!("the project replaces {} `{name}`{more} with {}", whose(hidden.scope), origin.path);
        self.add(what, Some(Place::file(Some(Scope::Project), origin.path.clone())), affects);
    }

    fn add_brought_back(&mut self, name: &str, origin: &EntryOrigin, affects: bool) {
        let what = format!("the project has `{name}`, which you switched off, in {}", origin.path);
        self.add(what, Some(Place::file(Some(Scope::Project), origin.path.clone())), affects);
    }

    /// Adds the replacement that takes effect once the commands of the project are allowed.
    fn add_pending(&mut self, name: &str, origin: &EntryOrigin, below: &EntryOrigin) {
        let what = format!(
            "once its commands are granted, the project replaces {} `{name}` with {}",
            whose(below.scope),
            origin.path
        );
        self.add(what, Some(Place::file(Some(Scope::Project), origin.path.clone())), false);
    }
}

/// Returns what an entry hides: of each name the nearest.
fn nearest_of_each_name<'e>(entry: &ExtensionEntry, entries: &'e ResolvedEntries) -> Vec<&'e ExtensionEntry> {
    let is_hidden = |other: &&ExtensionEntry| other.shadowed_by.as_ref() == Some(&entry.origin);
    let hidden = entries.scopes.of(entry.value.category).filter(is_hidden);
    let mut nearest: Vec<&ExtensionEntry> = Vec::new();
    for other in hidden {
        match nearest.iter_mut().find(|known| known.name == other.name) {
            Some(known) if known.origin.scope < other.origin.scope => *known = other,
            Some(_) => {}
            None => nearest.push(other),
        }
    }
    nearest
}

/// Returns who switched something off, where that is a project and the thing is not its own.
fn taken_by_project(by: Option<&DisabledBy>, scope: Scope) -> Option<&DisabledBy> {
    by.filter(|by| by.scope == SetBy::Project && scope < Scope::Project)
}

/// Names the text of the user that goes with an extension.
fn with_own_file(name: &str) -> &'static str {
    if name == "contextProviders/SystemPromptFile" { " (and your own system.md with it)" } else { "" }
}

fn whose(scope: Scope) -> &'static str {
    if scope == Scope::Global { "your" } else { "the bundled" }
}

/// Returns whether a built-in context provider, or whatever has its name, fills a section of the profile.
fn fills_a_section(profile: &Profile, id: &str) -> bool {
    let builtin = provider::CONTEXT_PROVIDERS.iter().find(|provider| provider.id == id);
    let filled = |name: &str| {
        profile
            .sections
            .iter()
            .any(|section| matches!(&section.body, SectionBody::Fill(by) if by.as_str() == name))
    };
    builtin.is_some_and(|provider| filled(provider.name))
}
