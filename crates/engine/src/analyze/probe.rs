//! Looks up variables for a preview: below the granted roots or without a directory, and never more than a bounded number
//! of bytes.

use crate::{
    Error,
    build_options::{BuildOptions, ToolChoice, TrustChoice},
    engine::Engine,
    input::{consent::ProjectAccess, load_profile::LoadedProfile, variables::declare},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    lint::hidden::escape_hidden,
    profile::Profile,
    turn::{Tool, Turn},
    variable::{RecordedVariable, RecordedVariables, VariableKey, source::profile_variable},
};
use preface_host::provider::{self, context::ProviderContext};
use std::{cell::Cell, path::PathBuf, sync::Arc};

/// The most bytes that the values of one probe have together.
const VALUES_LIMIT: usize = 64 << 20;

const NO_DIRECTORY: &str = "no directory was given";

/// One place to look at variables from.
pub(crate) struct Probe<'s> {
    pub profile: Profile,
    engine: Engine<'s>,
    loaded: LoadedProfile,
    access: ProjectAccess,
    /// False: no directory was named, so nothing of one is known.
    pub somewhere: bool,
    left: Cell<usize>,
}

impl<'s> Probe<'s> {
    /// Prepares to answer for a request. Its directory must be below one of `roots`; without one, nothing about
    /// directories is answered. The project's settings are not read: being below a root is its grant.
    pub(crate) fn new(engine: &Engine<'s>, request: &BuildOptions, roots: &[PathBuf]) -> Result<Self, Error> {
        let somewhere = request.cwd.is_some();
        let trust = if somewhere { TrustChoice::Roots } else { TrustChoice::Deny };
        let cwd = request.cwd.clone().or_else(|| Some(PathBuf::from("/")));
        let request = BuildOptions { cwd, trust, roots: Some(roots.to_vec()), ..request.clone() };
        let mut loaded = engine.load_profile(&request)?;
        let access = engine.open_gate(&request, &loaded, None)?;
        let mut profile = loaded.profile.clone();
        let declared = request.template_text.as_ref().map(|template| &template.variables);
        let of = (&mut profile, &mut loaded.turn);
        declare(&request, &loaded.merged, declared, of, &mut Diagnostics::new())?;
        let profile = Arc::unwrap_or_clone(profile);
        loaded.turn.tools = match &request.tools {
            ToolChoice::Given(tools) => tools.clone(),
            ToolChoice::Named(names) => named_tools(names),
            ToolChoice::Profile => named_tools(&profile.tools),
        };
        let left = Cell::new(VALUES_LIMIT);
        Ok(Probe { profile, engine: *engine, loaded, access, somewhere, left })
    }

    pub(crate) fn turn(&self) -> &Turn {
        &self.loaded.turn
    }

    /// Returns what is known without a look: where no directory was named, there is none.
    pub(crate) fn variables(&self) -> RecordedVariables {
        let mut variables = RecordedVariables::default();
        let keys = ["cwd", "cwd_slashes"].map(|name| VariableKey::new("prompt", name));
        for key in keys.into_iter().filter(|key| !self.somewhere && !self.turn().variables.contains_key(key))
        {
            variables.supply(key, RecordedVariable::absent(NO_DIRECTORY));
        }
        variables
    }

    /// Answers one variable.
    pub(crate) fn answer(&self, key: &VariableKey) -> RecordedVariable {
        if !self.somewhere && about_a_directory(key) {
            return RecordedVariable::absent(NO_DIRECTORY);
        }
        let variable = self.look_up(key);
        self.within_bounds(key, variable)
    }

    fn look_up(&self, key: &VariableKey) -> RecordedVariable {
        profile_variable(key, &self.profile, self.turn())
            .unwrap_or_else(|| provider::resolve(key, &self.context()))
    }

    /// Returns the view of the machine with which variables are answered.
    pub(crate) fn context(&self) -> ProviderContext<'_> {
        let context = self.access.context(&self.engine, &self.loaded, &self.loaded.merged);
        ProviderContext { bundle: None, sections: &[], ..context }
    }

    fn within_bounds(&self, key: &VariableKey, variable: RecordedVariable) -> RecordedVariable {
        let bytes = variable.value.as_ref().map_or(0, String::len);
        if let Some(left) = self.left.get().checked_sub(bytes) {
            self.left.set(left);
            return variable;
        }
        let why = format!("the values of this template have more than {VALUES_LIMIT} bytes together");
        let diagnostic = format!("`{}` is absent: {why}", escape_hidden(key.as_str()));
        let mut absent = RecordedVariable::absent(why);
        absent.diagnostics.push(Diagnostic::warning(DiagnosticCode::TemplateTooLarge, diagnostic));
        absent
    }
}

/// Returns tools of which only the names are known. Which files of the layers define them is not looked up.
fn named_tools(names: &[String]) -> Vec<Tool> {
    names.iter().map(|name| Tool { name: name.clone(), ..Tool::default() }).collect()
}

/// Returns true for a variable that depends on the working directory.
fn about_a_directory(key: &VariableKey) -> bool {
    matches!(
        (key.kind(), key.name()),
        ("agents" | "file" | "project_file" | "git", _) | ("prompt", "cwd" | "cwd_slashes")
    )
}
