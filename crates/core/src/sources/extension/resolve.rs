//! Resolves which of the entries of all layers are active, in one pass for all nine categories.
//!
//! Everything is validated before anything replaces anything: an invalid override never hides the valid entry
//! below it, and an invalid manifest does not affect other entries.

use super::{
    ability::{Ability, CommandTexts},
    category::Category,
    config::{ExtensionConfig, configure, whole_fault},
    config_schema::SchemaChecker,
    entry::{EntryOrigin, EntrySwitch, EntrySwitches, ExtensionEntry, Status, select_active},
    failure::failure_of,
    grants::{Grants, NoGrants},
    manifest::{InvalidManifest, Manifest, ManifestLocation},
    ordering::{Ordering, OrderingRewrite, SlotHook, order},
    scopes::Scopes,
    slot::Slot,
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy, Severity},
    scope::Scope,
    settings::{MergedSettings, SetBy, SettingsNode, SystemPromptFileSettings, shown},
    suggestion::{did_you_mean, suggest_or},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// An entry of a layer that may be an extension.
#[derive(Clone, Debug)]
pub struct DiscoveredManifest {
    /// The layer.
    pub scope: Scope,
    /// The directory of its category.
    pub category: Category,
    /// The name of its directory.
    pub id: String,
    /// The path of its manifest for display.
    pub path: String,
    /// The content that was found.
    pub what: DiscoveredContent,
}

/// The content at the place of an extension.
#[derive(Clone, Debug)]
pub enum DiscoveredContent {
    /// A manifest, unread.
    Manifest(Vec<u8>),
    /// A built-in extension.
    Builtin {
        /// The summary in one line.
        about: String,
    },
    /// An untrusted manifest.
    Untrusted(Diagnostic),
    /// A manifest that cannot be read.
    Unreadable(Diagnostic),
}

/// Resolves which entries are active. A project's entry without a grant that it needs does not replace one of
/// a lower layer. `orderings` are those of the layers, weakest first.
#[must_use]
pub fn resolve(
    found: Vec<DiscoveredManifest>,
    settings: &MergedSettings,
    orderings: &[Ordering],
    checker: &dyn SchemaChecker,
    grants: &dyn Grants,
) -> Scopes {
    let mut candidates: BTreeMap<(Category, String), Vec<ExtensionCandidate>> = BTreeMap::new();
    for candidate in check_manifests(found, checker) {
        let key = (candidate.entry.value.category, candidate.entry.name.clone());
        candidates.entry(key).or_default().push(candidate);
    }
    let mut scopes = Scopes::default();
    unknown_names(settings, &candidates, &mut scopes.diagnostics);
    for ((category, id), mut same) in candidates {
        same.sort_by_key(|candidate| (candidate.entry.origin.scope, candidate.is_valid()));
        Resolver { category, id: &id, settings, checker, grants }.select_active(same, &mut scopes);
    }
    let Scopes { entries, diagnostics, .. } = &mut scopes;
    hide_typed_names(entries);
    name_active(settings, entries, diagnostics);
    diagnostics.extend(entries.iter().flat_map(|row| row.diagnostics.iter().cloned()));
    scopes.rewrites = put_in_order(entries, orderings, diagnostics);
    scopes
}

/// An extension of one layer, validated by itself.
struct ExtensionCandidate {
    entry: ExtensionEntry,
    /// The manifest, if it is valid.
    manifest: Option<Arc<Manifest>>,
    /// The settings as they apply to it, while it is valid.
    config: Option<ExtensionConfig>,
    failures: Vec<Diagnostic>,
}

impl ExtensionCandidate {
    fn new(entry: ExtensionEntry) -> Self {
        ExtensionCandidate { entry, manifest: None, config: None, failures: Vec::new() }
    }

    fn is_valid(&self) -> bool {
        self.entry.status == Status::Ok
    }

    /// Takes over the fields of a valid manifest.
    fn describe(&mut self, manifest: Arc<Manifest>) {
        let entry = &mut self.entry;
        entry.about = manifest.ability.about();
        entry.action = manifest.ability.action();
        entry.missing = manifest.ability.missing();
        if let Ability::Hook(hook) = &manifest.ability {
            entry.slot = hook.slot;
        }
        entry.value.ability = Some(manifest.ability.clone());
        entry.diagnostics.extend(manifest.diagnostics.iter().cloned());
        self.manifest = Some(manifest);
    }

    /// Makes it invalid: nothing of its content is used.
    fn fail(&mut self, failures: Vec<Diagnostic>) {
        let ExtensionEntry { value, name, origin, .. } = &self.entry;
        let entry = ExtensionEntry::of(value.category, name, origin.clone());
        let entry = ExtensionEntry { status: Status::Disabled, ..entry };
        *self = ExtensionCandidate { failures, ..Self::new(entry) };
    }

    /// Returns the name in its layer: for a command the one that a user types.
    fn name_in_use(&self) -> &str {
        match &self.entry.value.ability {
            Some(Ability::Command(CommandTexts { name: Some(name), .. })) => name,
            _ => &self.entry.name,
        }
    }
}

/// Takes each manifest through the stages; the last one, register, checks it against the other entries.
fn check_manifests(
    mut found: Vec<DiscoveredManifest>,
    checker: &dyn SchemaChecker,
) -> Vec<ExtensionCandidate> {
    // The first of two with one name is used, so the order in which they were found must not matter.
    found.sort_by(|one, two| {
        let key = |found: &DiscoveredManifest| (found.scope, found.category);
        key(one).cmp(&key(two)).then_with(|| one.id.cmp(&two.id)).then_with(|| one.path.cmp(&two.path))
    });
    let taken: BTreeSet<(Scope, Category, String)> =
        found.iter().map(|found| (found.scope, found.category, found.id.clone())).collect();
    let mut claimed: BTreeMap<(Scope, Category, String), String> = BTreeMap::new();
    let mut registered: BTreeMap<(Scope, Category, String), String> = BTreeMap::new();
    let mut candidates = Vec::with_capacity(found.len());
    for DiscoveredManifest { scope, category, id, path, what } in found {
        let origin = EntryOrigin { scope, path: path.clone() };
        let mut candidate = ExtensionCandidate::new(ExtensionEntry::of(category, &id, origin));
        match what {
            DiscoveredContent::Builtin { about } => candidate.entry.about = Some(about),
            DiscoveredContent::Untrusted(diagnostic) => {
                candidate.entry.status = Status::Untrusted;
                candidate.entry.diagnostics.push(diagnostic);
            }
            DiscoveredContent::Unreadable(failure) => candidate.fail(vec![failure]),
            DiscoveredContent::Manifest(bytes) => {
                let lies = ManifestLocation { scope, category, id: &id, path: &path };
                match Manifest::read(&bytes, &lies, checker) {
                    Ok(manifest) => candidate.describe(Arc::new(manifest)),
                    Err(InvalidManifest { failures, claims: None }) => candidate.fail(failures),
                    Err(InvalidManifest { mut failures, claims: Some(claims) }) => {
                        let key = (scope, category, claims.clone());
                        let other = claimed.get(&key).cloned();
                        let other = other.or_else(|| taken.contains(&key).then(|| claims.clone()));
                        if let Some(other) = other {
                            for failure in &mut failures {
                                failure.code = DiagnosticCode::RegistrationConflict;
                                failure.message = format!(
                                    "`{}` is the id of `{category}/{}` in this layer already",
                                    shown(&claims),
                                    shown(&other)
                                );
                            }
                        }
                        claimed.insert(key, id);
                        candidate.fail(failures);
                    }
                }
            }
        }
        if candidate.is_valid() {
            let name = candidate.name_in_use().to_owned();
            let key = (scope, category, name.clone());
            if let Some(first) = registered.get(&key) {
                let message = format!("the name `{}` is taken in this layer by {first}", shown(&name));
                let failure = Diagnostic::error(DiagnosticCode::RegistrationConflict, message);
                candidate.fail(vec![failure.help("remove or rename one of the two")]);
            } else {
                registered.insert(key, path);
            }
        }
        candidates.push(candidate);
    }
    candidates
}

/// Selects among the entries of one name.
struct Resolver<'a> {
    category: Category,
    id: &'a str,
    settings: &'a MergedSettings,
    checker: &'a dyn SchemaChecker,
    grants: &'a dyn Grants,
}

impl Resolver<'_> {
    /// Selects the active one among the entries of one name, weakest layer first, and adds them to `scopes`.
    fn select_active(&self, mut same: Vec<ExtensionCandidate>, scopes: &mut Scopes) {
        let category = self.category;
        let is_of_project = same.iter().any(|candidate| candidate.entry.origin.scope == Scope::Project);
        let switches = self.switches();
        let mut answered = false;
        for candidate in same.iter_mut().rev().filter(|candidate| candidate.is_valid()) {
            self.configure(candidate, is_of_project);
            // Settings apply to the entry that is used, and may make its configuration invalid.
            let fault = self.whole_fault(candidate).filter(|_| !answered || category.is_ordered());
            match fault {
                Some(failure) => candidate.fail(vec![failure]),
                None => {
                    answered = true;
                    candidate.entry.disabled_by =
                        switches.disabled_by(&candidate.entry, candidate.entry.action.is_some());
                }
            }
        }
        let switched_on: Vec<Option<Diagnostic>> =
            same.iter().map(|candidate| self.switched_on(&candidate.entry, &switches)).collect();
        let is_whole: Vec<bool> =
            same.iter().map(|candidate| self.whole_fault(candidate).is_none()).collect();
        let is_usable = |at: usize, entry: &ExtensionEntry| {
            is_whole[at] && (!entry.needs_grant() || self.grants.may_run(entry))
        };
        let mut rows: Vec<&mut ExtensionEntry> =
            same.iter_mut().map(|candidate| &mut candidate.entry).collect();
        let winner = select_active(&mut rows, category.is_ordered(), &is_usable);
        let is_valid = |row: &&&mut ExtensionEntry| row.status == Status::Ok && row.disabled_by.is_none();
        let valid: Vec<Scope> = rows.iter().filter(is_valid).map(|row| row.origin.scope).collect();

        for (at, (mut candidate, switched_on)) in same.into_iter().zip(switched_on).enumerate() {
            let scope = candidate.entry.origin.scope;
            let who = candidate.entry.label();
            if let (Status::Disabled, Some(missing)) = (candidate.entry.status, candidate.entry.missing)
                && candidate.entry.disabled_by.is_none()
            {
                let message = format!("it cannot be used without {missing}");
                let failure = Diagnostic::error(INCOMPLETE, message);
                candidate.fail(vec![failure.help(ADD_MISSING)]);
            }
            let ExtensionCandidate { entry: mut row, config, failures, .. } = candidate;
            let stays = valid.iter().rfind(|valid| **valid < scope).copied();
            for failure in failures {
                let mut diagnostic = failure_of(&who, failure, stays);
                diagnostic.place.get_or_insert_with(|| row.place());
                row.diagnostics.push(diagnostic);
            }
            if matches!(row.status, Status::Ok) || row.disabled_by.is_some() {
                // Hooks of one name do not replace each other: all of them run.
                let answers = winner == Some(at) || category.is_ordered();
                // Diagnostics on the configuration of a hidden entry are useless.
                if let Some(config) = config.filter(|_| answers) {
                    row.diagnostics.extend(config.diagnostics);
                    scopes.changes.extend(config.change);
                    scopes.ignored.extend(config.ignored);
                }
                if let Some(missing) = row.missing {
                    let is_active = if row.active { "it is active, but" } else { "it" };
                    let message = format!("{who}: {is_active} cannot be used without {missing}");
                    row.diagnostics.push(
                        Diagnostic::warning(INCOMPLETE, message)
                            .about(&who)
                            .at(row.place())
                            .help(ADD_MISSING),
                    );
                }
                row.report(winner == Some(at));
                row.diagnostics.extend(switched_on.filter(|_| answers));
            }
            scopes.entries.push(row);
        }
    }

    /// Applies the settings to a valid entry. The project's settings of a name apply to its own entry, if it
    /// has one.
    fn configure(&self, candidate: &mut ExtensionCandidate, is_of_project: bool) {
        let Resolver { category, id, settings, checker, .. } = *self;
        let manifest = match &candidate.manifest {
            Some(manifest) => manifest.clone(),
            // Its settings have a schema of their own.
            None if [category.as_str(), id] == SystemPromptFileSettings::KEYS => return,
            None => Arc::new(Manifest::builtin(category, id)),
        };
        let grants = if is_of_project { &NoGrants } else { self.grants };
        let mut config = configure(&mut candidate.entry, &manifest, settings, checker, grants);
        config.diagnostics.dedup();
        candidate.config = Some(config);
    }

    /// Checks the configuration as a whole, if settings changed it.
    fn whole_fault(&self, candidate: &ExtensionCandidate) -> Option<Diagnostic> {
        let changed = candidate.config.as_ref().is_some_and(|config| config.changed);
        let manifest = candidate.manifest.as_ref().filter(|_| changed)?;
        let mut failure = whole_fault(manifest, &candidate.entry.value.config, self.checker)?;
        let path = [self.category.as_str(), self.id];
        failure.place = self.settings.at(&path).map(SettingsNode::key_place);
        Some(failure)
    }

    /// Returns the layers that set `disable`, the strongest first.
    fn switches(&self) -> EntrySwitches {
        let path = [self.category.as_str(), self.id, "disable"];
        let switch = |by: SetBy| {
            let node = self.settings.at_layer(by, &path)?;
            Some(EntrySwitch { by, off: node.as_flag()?, place: node.place() })
        };
        let layers = [SetBy::Caller, SetBy::Project, SetBy::Global, SetBy::Bundled];
        let mut switches: Vec<EntrySwitch> = layers.into_iter().filter_map(switch).collect();
        // Your own `enabled: false` leaves out your own file alone.
        if [self.category.as_str(), self.id] == SystemPromptFileSettings::KEYS
            && let Some(node) = self.settings.at(&[self.category.as_str(), self.id, "enabled"])
            && node.as_flag() == Some(false)
            && node.by() >= SetBy::Project
        {
            switches.insert(0, EntrySwitch { by: node.by(), off: true, place: node.place() });
        }
        EntrySwitches(switches)
    }

    /// Reports that one layer enables an entry that a weaker one disabled.
    fn switched_on(&self, entry: &ExtensionEntry, switches: &EntrySwitches) -> Option<Diagnostic> {
        let (on, mut diagnostic) = switches.report(entry, entry.action.is_some())?;
        if on.by == SetBy::Project && diagnostic.severity == Severity::Info {
            let key = format!("{}.{}.disable", self.category, shown(self.id));
            diagnostic.severity = Severity::Warning;
            diagnostic = diagnostic.help(format!("`{key}=true` for one call switches it off"));
        }
        Some(diagnostic)
    }
}

const INCOMPLETE: DiagnosticCode = DiagnosticCode::ExtensionIncomplete;
const ADD_MISSING: &str = "add it to the manifest";

/// The keys of `active`, and the category of each.
const ACTIVE: [(&str, Category); 4] = [
    ("attachedSM", Category::StateMachines),
    ("interactor", Category::Ui),
    ("provider", Category::Providers),
    ("sessionStore", Category::SessionStores),
];

/// Marks the entries that `active` names, and reports names without an active entry. A host may have
/// extensions that preface does not know: if no layer has any entry of a category, nothing is reported.
fn name_active(settings: &MergedSettings, entries: &mut [ExtensionEntry], diagnostics: &mut Diagnostics) {
    for (key, category) in ACTIVE {
        let Some(node) = settings.at(&["active", key]) else { continue };
        let Some(name) = node.as_text() else { continue };
        let all = || entries.iter().filter(|entry| entry.value.category == category);
        if all().next().is_none() {
            continue;
        }
        let named = entries
            .iter()
            .rposition(|entry| entry.value.category == category && entry.name == name && entry.active);
        let place = node.place();
        if let Some(at) = named {
            let line = place.line.map(|line| format!(":{line}")).unwrap_or_default();
            let what = format!("named by `active.{key}` in {}{line}", place.path);
            entries[at].diagnostics.push(Diagnostic::info(NAMED, what).at(place));
            continue;
        }
        let known = all().map(|entry| entry.name.as_str());
        let (what, help) = if all().any(|entry| entry.name == name) {
            let help = Remedy::why(format_args!("{category}/{name}"));
            (format!("`active.{key}` names `{}`, which is not active", shown(name)), help)
        } else {
            let help = suggest_or(name, known, || Remedy::list(category.as_str()));
            (format!("`active.{key}` names `{}`, which no layer has", shown(name)), help)
        };
        diagnostics.push(Diagnostic::warning(DiagnosticCode::ScopeUnknown, what).at(place).help(help));
    }
}

/// The code of the diagnostic on an entry that `active` names.
pub const NAMED: DiagnosticCode = DiagnosticCode::ExtensionNamed;

/// Hides commands whose typed name a stronger layer has as well, whatever their ids are.
fn hide_typed_names(entries: &mut [ExtensionEntry]) {
    let mut typed: BTreeMap<String, Vec<&mut ExtensionEntry>> = BTreeMap::new();
    for entry in entries.iter_mut().filter(|entry| entry.active) {
        if let Some(Ability::Command(command)) = &entry.value.ability {
            typed.entry(command.name.clone().unwrap_or_else(|| entry.name.clone())).or_default().push(entry);
        }
    }
    for (name, mut same) in typed.into_iter().filter(|(_, same)| same.len() > 1) {
        same.sort_by_key(|entry| (entry.runnable, entry.origin.scope));
        select_active(&mut same, false, &|_, _| true);
        let Some(winner) = same.pop() else { continue };
        for hidden in same.into_iter().rev() {
            hidden
                .diagnostics
                .retain(|diagnostic| !matches!(diagnostic.code, DiagnosticCode::ScopeShadows | INCOMPLETE));
            let what = format!(
                "{} has the typed name `{}` and hides `{}`, the {} one ({})",
                winner.label(),
                shown(&name),
                shown(&hidden.name),
                hidden.origin.scope,
                hidden.origin.path
            );
            let diagnostic = Diagnostic::warning(DiagnosticCode::ScopeShadows, what).at(winner.place());
            winner.diagnostics.push(diagnostic.help("give one of the two another `name`"));
        }
    }
}

/// The most unknown names that are reported for one category.
const MOST_UNKNOWN: usize = 20;

/// Reports names in the settings that do not exist.
fn unknown_names(
    settings: &MergedSettings,
    candidates: &BTreeMap<(Category, String), Vec<ExtensionCandidate>>,
    diagnostics: &mut Diagnostics,
) {
    for category in Category::ALL {
        let Some(table) = settings.at(&[category.as_str()]).and_then(|node| node.as_table()) else {
            continue;
        };
        let mut reported = 0_usize;
        for (id, node) in table.iter() {
            if let Some(same) = candidates.get(&(category, id.to_owned())) {
                let off = node.at(&["disable"]).filter(|off| off.as_flag() == Some(true));
                let is_below = |by: SetBy| same.iter().any(|one| SetBy::from(one.entry.origin.scope) < by);
                diagnostics.extend(off.filter(|off| !is_below(off.by())).map(|off| {
                    let what = format!(
                        "`{category}.{}.disable` switches nothing off: it applies to lower layers, and none has it",
                        shown(id)
                    );
                    Diagnostic::warning(DiagnosticCode::ScopeUnknown, what)
                        .at(off.key_place())
                        .help("remove the extension's own directory")
                }));
                continue;
            }
            if reported == MOST_UNKNOWN {
                let message = format!("more names in `{category}` may be unknown; they are not looked at");
                diagnostics
                    .push(Diagnostic::warning(DiagnosticCode::ScopeUnknown, message).at(node.key_place()));
                break;
            }
            let known = candidates.keys().filter(|(of, _)| *of == category).map(|(_, id)| id.as_str());
            let near = did_you_mean(id, known);
            let disables = node.at(&["disable"]).is_some();
            // A host may have extensions that preface does not know, but disabling an unknown one is a
            // mistake.
            if !disables && near.is_none() {
                continue;
            }
            let message = match disables {
                true => format!("`{category}.{}.disable` names nothing that any layer has", shown(id)),
                false => format!("`{category}.{}` configures nothing that any layer has", shown(id)),
            };
            reported += 1;
            let help = near.map_or_else(
                || Remedy::list(category.as_str()),
                |near| format!("did you mean `{near}`?").into(),
            );
            diagnostics.push(
                Diagnostic::warning(DiagnosticCode::ScopeUnknown, message).at(node.key_place()).help(help),
            );
        }
    }
}

/// Sets the position in its slot of each hook that runs.
fn put_in_order(
    entries: &mut [ExtensionEntry],
    orderings: &[Ordering],
    diagnostics: &mut Diagnostics,
) -> Vec<OrderingRewrite> {
    let mut hooks: BTreeMap<Slot, Vec<SlotHook>> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.active) {
        let (Some(slot), Some(Ability::Hook(hook))) = (entry.slot, &entry.value.ability) else { continue };
        let hook = SlotHook { role: hook.role, id: entry.name.clone(), entry: at };
        hooks.entry(slot).or_default().push(hook);
    }
    // The default order: guards, transforms, observers; of each bundled, global, project, by id.
    for hooks in hooks.values_mut() {
        hooks.sort_by_cached_key(|hook| (hook.role, entries[hook.entry].origin.scope, hook.id.clone()));
    }
    let rewrites = order(&mut hooks, orderings, diagnostics);
    for hooks in hooks.values() {
        for (position, hook) in hooks.iter().enumerate() {
            entries[hook.entry].order = Some(position);
        }
    }
    rewrites
}
