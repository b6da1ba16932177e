//! Permissions of a project beyond text: to start programs, connect to addresses, write files. Each needs a grant that names
//! it, and is compared with that grant each time.

use crate::{
    Engine, Error,
    build_options::BuildOptions,
    input::{Inputs, consent, grants::ProjectAction},
};
use preface_core::audit::AuditEvent;
use preface_host::{
    audit_file::AuditFile,
    trust::{GrantState, Permission, PermissionAction, TrustReport, TrustStore},
};
use std::collections::BTreeMap;

/// The result of `preface trust grant --allow-commands`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermissionGrant {
    /// The permissions that are newly granted.
    pub added: Vec<Permission>,
    /// The permissions that were granted before.
    pub unchanged: Vec<Permission>,
    /// The permissions that cannot be granted, and why.
    pub refused: Vec<String>,
    /// Events for the audit log.
    pub audit: Vec<AuditEvent>,
}

/// What a project would do beyond text, compared with what was granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredPermission {
    /// What the project would do.
    pub permission: Permission,
    /// Whether that is granted.
    pub state: GrantState,
    /// What was granted to the same entry last.
    pub granted: Option<Permission>,
    /// Where it is not granted, the files of its program whose digests differ, by path: all files of a directory, and all where
    /// nothing was granted.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Engine<'_> {
    /// Returns what the project's extensions and servers would do to the machine, compared with what was granted. What cannot be
    /// granted is left out; its entry has the reason.
    ///
    /// # Errors
    /// A file of a program that cannot be read any more.
    pub(crate) fn permissions(&self, inputs: &Inputs) -> Result<Vec<CoveredPermission>, Error> {
        let context = inputs.context(self);
        let grants = inputs.grants(&context);
        let (actions, _) = grants.actions(&inputs.entries.scopes, &inputs.entries.mcp);
        let covered = |action: &ProjectAction| {
            let permission = action.permission().clone();
            let state = grants.state(action);
            let granted = grants.recorded().1.latest_permission(&permission.subject).cloned();
            let files = match action {
                ProjectAction::Command(command) if state != GrantState::Granted => {
                    command.changes(self.system(), granted.as_ref())?
                }
                _ => BTreeMap::new(),
            };
            Ok(CoveredPermission { permission, state, granted, files })
        };
        actions.iter().map(covered).collect()
    }

    /// Grants what the project's extensions and servers would do to the machine, as it is now: each program with its
    /// arguments and the digests of those that are files of the project, each address, each file; where something was `reviewed`, that
    /// alone. Loggers get `earlier` events of the same command first: one of them may be allowed only now.
    ///
    /// # Errors
    /// See [`Error`]; and a store that cannot be written.
    pub fn grant_commands(
        &self,
        request: &BuildOptions,
        earlier: &[AuditEvent],
        reviewed: Option<&[CoveredPermission]>,
    ) -> Result<PermissionGrant, Error> {
        let inputs = self.read_inputs(request, None)?;
        let context = inputs.context(self);
        let (mut wanted, refused) =
            inputs.grants(&context).actions(&inputs.entries.scopes, &inputs.entries.mcp);
        drop(context);
        let mut refused: Vec<String> = refused.iter().map(ToString::to_string).collect();
        wanted.retain(|action| {
            let is_same = |one: &CoveredPermission| one.permission == *action.permission();
            let checked = match reviewed.is_none_or(|reviewed| reviewed.iter().any(is_same)) {
                true => self.check_action(action, &inputs),
                false => Err(format!("{} changed while it was reviewed", action.permission().subject)),
            };
            checked.map_err(|why| refused.push(why)).is_ok()
        });
        let permissions: Vec<Permission> = wanted.iter().map(|action| action.permission().clone()).collect();
        let places = &inputs.project.access.places;
        let root = consent::pin_root(self.system(), &places.cwd);
        if permissions.is_empty() {
            return Ok(PermissionGrant { refused, ..PermissionGrant::default() });
        }
        let no_store = || consent::no_store(self.system(), places);
        let store = inputs.loaded.store.as_ref().ok_or_else(no_store)?;
        let report = TrustStore::at(self.system(), store.clone())
            .for_project(&root)
            .grant_permissions(&root, &permissions)?;
        let TrustReport { change, audit } = report;
        let events: Vec<AuditEvent> = earlier.iter().chain(&audit).cloned().collect();
        let diagnostics = self.log_events(request, &events);
        refused.extend(diagnostics.into_iter().map(|diagnostic| diagnostic.message));
        Ok(PermissionGrant {
            added: change.permissions,
            unchanged: change.unchanged_permissions,
            refused,
            audit,
        })
    }
}

impl Engine<'_> {
    /// Checks that an action can be performed as it would be granted: what cannot is not recorded.
    fn check_action(&self, action: &ProjectAction, inputs: &Inputs) -> Result<(), String> {
        match action {
            ProjectAction::Command(command) => {
                command.check_executable(self.system()).map_err(|error| error.to_string())
            }
            ProjectAction::Other(Permission { action: PermissionAction::Writes { path }, .. }) => {
                let Some(project) = &inputs.places().project else { return Ok(()) };
                let file = AuditFile::at(self.system(), &project.join(path));
                file.below(inputs.write_root()).check().map_err(|error| error.to_string())
            }
            ProjectAction::Other(_) => Ok(()),
        }
    }
}
