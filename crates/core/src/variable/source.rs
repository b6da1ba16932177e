//! The variables of one build: those that the snapshot holds, and a source for the others.

use crate::{
    catalog,
    condition::VariableTest,
    declaration::VariableValue,
    diagnostic::Diagnostics,
    model::{FoundModel, Models},
    profile::Profile,
    scope::Scope,
    turn::Turn,
    variable::{RecordedVariable, RecordedVariables, Stability, VariableKey},
};

/// A source of variables that a snapshot does not contain.
pub trait VariableSource {
    /// Returns the variable with this name; `None` if there is no provider.
    fn get(&mut self, key: &VariableKey) -> Option<RecordedVariable>;
}

impl<F: FnMut(&VariableKey) -> Option<RecordedVariable>> VariableSource for F {
    fn get(&mut self, key: &VariableKey) -> Option<RecordedVariable> {
        self(key)
    }
}

/// The source of a replay: it knows nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoSource;

impl VariableSource for NoSource {
    fn get(&mut self, _: &VariableKey) -> Option<RecordedVariable> {
        None
    }
}

/// The error for a variable that the snapshot does not contain if there is no provider.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the saved snapshot does not have the variable `{0}`")]
pub struct MissingVariable(pub VariableKey);

/// The variables of one build. Each is looked up once, where the output depends on it, and recorded.
pub struct Variables<'a> {
    turn: &'a Turn,
    profile: &'a Profile,
    recorded: &'a mut RecordedVariables,
    source: &'a mut dyn VariableSource,
}

impl<'a> Variables<'a> {
    /// Starts with the recorded variables. `source` is called for those that neither they nor the turn nor the profile has.
    pub fn new(
        turn: &'a Turn,
        profile: &'a Profile,
        recorded: &'a mut RecordedVariables,
        source: &'a mut dyn VariableSource,
    ) -> Self {
        Variables { turn, profile, recorded, source }
    }

    /// Returns the turn.
    pub(crate) fn turn(&self) -> &'a Turn {
        self.turn
    }

    /// Returns a variable. What its lookup came across is added to `diagnostics`, once.
    ///
    /// # Errors
    /// The variable is not known.
    pub fn get(
        &mut self,
        key: &VariableKey,
        diagnostics: &mut Diagnostics,
    ) -> Result<&RecordedVariable, MissingVariable> {
        if self.recorded.get(key).is_none() {
            let profile = self.profile;
            let bindings = profile.catalog.as_ref().map(|catalog| &catalog.bindings);
            let bindings = bindings.filter(|_| key.kind() == catalog::KIND);
            let variable =
                match bindings.and_then(|bindings| Some((bindings, bindings.variable(key.name())?))) {
                    Some((bindings, variable)) => {
                        bindings.worked_out(key.name(), self.get(variable, diagnostics)?)
                    }
                    None => {
                        let given = profile_variable(key, profile, self.turn)
                            .or_else(|| turn_variable(key, self.turn));
                        let found = given.or_else(|| self.source.get(key));
                        let variable = found.ok_or_else(|| MissingVariable(key.clone()))?;
                        diagnostics.extend(variable.diagnostics.iter().cloned());
                        variable
                    }
                };
            self.recorded.supply(key.clone(), variable);
        }
        self.recorded.get(key).ok_or_else(|| MissingVariable(key.clone()))
    }

    /// Returns true if the test of a condition holds, which this scope wrote.
    ///
    /// # Errors
    /// The variable is not known.
    pub fn holds(
        &mut self,
        test: &VariableTest,
        scope: Option<Scope>,
        diagnostics: &mut Diagnostics,
    ) -> Result<bool, MissingVariable> {
        let test = test.read(&self.profile.variables);
        let variable = self.get(&test.key.in_scope(scope), diagnostics)?;
        Ok(test.holds(variable.value.as_deref()))
    }
}

/// Returns the value of an option of the profile, or of a variable that the profile declares; `None` for any other.
#[must_use]
pub fn profile_variable(key: &VariableKey, profile: &Profile, turn: &Turn) -> Option<RecordedVariable> {
    option_variable(key, profile).or_else(|| declared_variable(key, profile, turn))
}

/// Returns the value of a variable that the profile declares: what the caller gives, else the default, else none.
fn declared_variable(key: &VariableKey, profile: &Profile, turn: &Turn) -> Option<RecordedVariable> {
    let declared = profile.variables.get(key)?;
    let variable = turn.variables.get(key).and_then(|_| turn_variable(key, turn)).unwrap_or_else(|| {
        match declared.default.as_ref().and_then(VariableValue::to_text) {
            Some(text) => RecordedVariable::of(text, "the default of the profile", declared.stability),
            None => RecordedVariable::absent("not given"),
        }
    });
    Some(RecordedVariable { stability: declared.stability, ..variable })
}

/// The source of the value of an option that the profile sets.
pub const PROFILE_OPTIONS: &str = "the profile's options";

/// Returns `option:NAME`, the value of an option of the profile, and `given:NAME`, one that the caller set to more than a
/// switch; `None` for other types.
fn option_variable(key: &VariableKey, profile: &Profile) -> Option<RecordedVariable> {
    let value = profile.options.get(key.name());
    let source = profile.option_sources.get(key.name()).map_or(PROFILE_OPTIONS, String::as_str);
    let variable = |value: Option<&String>| match value {
        Some(value) => RecordedVariable::of(value, source, Stability::Static),
        None => RecordedVariable::absent("the option is not set"),
    };
    match key.kind() {
        "option" => Some(variable(value)),
        "given" => {
            Some(variable(value.filter(|value| *value != "true" && profile.given.contains_key(key.name()))))
        }
        _ => None,
    }
}

/// Returns the value of a variable in the turn itself: the value that the caller set for it, else where the turn is, who
/// answers and which tools are active. `None` if the turn does not know.
#[must_use]
pub fn turn_variable(key: &VariableKey, turn: &Turn) -> Option<RecordedVariable> {
    if let Some(value) = turn.variables.get(key) {
        let value = value.as_ref().and_then(VariableValue::to_text);
        return Some(of_turn(value, &format!("--variable {key}")));
    }
    let given = |value: Option<&str>| match value {
        Some(value) => of_turn(Some(value.to_owned()), "the turn"),
        None => of_turn(None, "not passed in"),
    };
    let model = |of: fn(&FoundModel<'_>, &str) -> Option<String>| {
        let name = turn.model.as_deref()?;
        of(&Models::bundled().find(name), name)
    };
    match (key.kind(), key.name()) {
        ("prompt", "cwd") => Some(given(Some(&turn.cwd))),
        ("prompt", "cwd_slashes") => Some(given(Some(&turn.cwd.replace('\\', "/")))),
        ("prompt", "model") => Some(given(turn.model.as_deref())),
        ("model", "name") => Some(given(turn.model.as_deref())),
        ("model", "vendor") => Some(given(model(|found, _| found.vendor().map(str::to_owned)).as_deref())),
        ("model", "family") => Some(given(model(|found, name| found.family(name)).as_deref())),
        ("prompt", "conversation_id") => Some(given(turn.conversation.as_deref())),
        ("tool", name) if turn.tools.iter().any(|tool| tool.name == name) => {
            Some(of_turn(Some(String::new()), "the active tools"))
        }
        ("tool", _) => Some(of_turn(None, "not passed in")),
        _ => None,
    }
}

fn of_turn(value: Option<String>, source: &str) -> RecordedVariable {
    RecordedVariable {
        value,
        source: source.into(),
        stability: Stability::Conversation,
        diagnostics: Vec::new(),
    }
}
