//! The variables of templates: the list of `preface list variables` and of `GET /system-prompt/variables`. It is the same for
//! every directory, needs no store and never changes while a program runs.

use crate::{Error, input::variables::declare, list::Build};
use preface_core::{
    declaration::Declarations,
    diagnostic::Diagnostics,
    variable::{
        RecordedVariable, Stability, VariableKey,
        info::{REGISTERED, VariableInfo},
        source::profile_variable,
    },
};
use preface_host::provider::{self, context::ProviderContext};

/// Lists what templates can name, in the order of docs/reference/variables.md.
///
/// ```
/// let first = preface_engine::variables()[0];
/// assert_eq!((first.kind, first.name, first.dynamic), ("system", "time", false));
/// ```
#[must_use]
pub fn variables() -> Vec<VariableInfo> {
    REGISTERED.clone()
}

/// A variable with what is known of it here.
#[derive(Clone, Debug)]
pub struct VariableRow {
    /// `type:name`, or a placeholder such as `file:<path>`.
    pub name: String,
    /// What it is, for people.
    pub about: String,
    /// True if any name is good.
    pub dynamic: bool,
    /// What a value looks like.
    pub example: String,
    /// How long a value stays the same.
    pub stability: Stability,
    /// What looking it up costs, for people.
    pub cost: &'static str,
    /// The answer; `None` for types where any name is good.
    pub variable: Option<RecordedVariable>,
}

impl VariableRow {
    fn registered(info: &VariableInfo, context: &ProviderContext<'_>) -> Self {
        let key = VariableKey::new(info.kind, info.name);
        VariableRow {
            name: key.to_string(),
            about: info.description.to_owned(),
            dynamic: info.dynamic,
            example: info.example.to_owned(),
            stability: info.stability,
            cost: info.cost,
            variable: (!info.dynamic).then(|| provider::resolve(&key, context)),
        }
    }
}

impl Build<'_> {
    /// Lists every registered variable with its value here, and those that the profile declares behind them.
    ///
    /// # Errors
    /// Variables that the profile does not take.
    pub fn variables(&self) -> Result<Vec<VariableRow>, Error> {
        let inputs = &self.inputs;
        let context = inputs.context(&self.engine);
        let registered = variables();
        let mut rows: Vec<_> =
            registered.iter().map(|info| VariableRow::registered(info, &context)).collect();
        let (mut profile, mut turn) = (inputs.entries.profile.clone(), inputs.entries.turn.clone());
        let of = (&mut profile, &mut turn);
        declare(&self.request, &inputs.loaded.merged, None, of, &mut Diagnostics::new())?;
        rows.extend(profile.variables.inputs().map(|(key, declared)| VariableRow {
            name: key.to_string(),
            about: declared.about(),
            dynamic: false,
            example: declared.example(),
            stability: declared.stability,
            cost: "free",
            variable: profile_variable(key, &profile, &turn),
        }));
        Ok(rows)
    }

    /// Returns what the profile declares.
    #[must_use]
    pub fn declarations(&self) -> &Declarations {
        &self.inputs.loaded.profile.variables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BuildOptions, Engine};
    use preface_core::assets::ASSETS;
    use preface_host::system::testing::MemorySystem;

    #[test]
    fn the_ten_of_the_seed_come_first_and_only_file_is_open() {
        let variables = variables();
        let first: Vec<(&str, &str)> = variables[..10].iter().map(|one| (one.kind, one.name)).collect();
        let of_the_seed = [
            ("system", "time"),
            ("system", "date"),
            ("system", "os"),
            ("system", "hostname"),
            ("prompt", "cwd"),
            ("prompt", "model"),
            ("prompt", "conversation_id"),
            ("git", "branch"),
            ("git", "status"),
            ("file", "<path>"),
        ];
        assert_eq!(first, of_the_seed);
        for variable in &variables[..10] {
            assert_eq!(variable.dynamic, variable.kind == "file", "{}:{}", variable.kind, variable.name);
            assert!(!variable.description.is_empty() && !variable.example.is_empty());
        }
    }

    #[test]
    fn facts_are_listed_as_variables_are() {
        let system = MemorySystem::new().with_bundle(ASSETS).with_dir("/work");
        let rows = Engine::new(&system).look(&BuildOptions::in_dir("/work")).unwrap().variables().unwrap();
        let rows: Vec<String> = rows.into_iter().map(|row| row.name).collect();
        let registered: Vec<String> =
            variables().iter().map(|one| format!("{}:{}", one.kind, one.name)).collect();
        assert_eq!(rows, registered);
    }
}
