//! The variables of the caller: those of the call and of the user's settings, checked against what the profile and the stored
//! template declare.

use crate::{Error, build_options::BuildOptions};
use preface_core::{
    declaration::{Declarations, GivenVariables, VariableValue},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    input_error::InputError,
    profile::Profile,
    settings::{MergedSettings, SetBy, SettingsNode},
    turn::Turn,
    variable::VariableKey,
};
use std::sync::Arc;

/// Adds the declarations of a stored template to a profile, and puts the given values into the turn, with their types. Values of the
/// settings that do not fit are reported and not used.
///
/// # Errors
/// A value of the call is unknown or does not fit.
pub(crate) fn declare(
    request: &BuildOptions,
    settings: &MergedSettings,
    of_template: Option<&Declarations>,
    (profile, turn): (&mut Arc<Profile>, &mut Turn),
    diagnostics: &mut Diagnostics,
) -> Result<(), Error> {
    if let Some(declared) = of_template.filter(|declared| !declared.is_empty()) {
        if let Some(key) = declared.0.keys().find(|key| profile.variables.get(key).is_some()) {
            let what = format!("the template declares `{key}`, and so does the profile `{}`", profile.name);
            return Err(Error::Usage(what, Some("declare it in one of the two".into())));
        }
        Arc::make_mut(profile).variables.0.extend(declared.0.clone());
    }
    let mut given = GivenVariables::new();
    let table = settings.at(&["variables"]).and_then(SettingsNode::as_table);
    for (name, node) in table.into_iter().flat_map(|table| table.iter()) {
        let of_call = node.by() == SetBy::Caller;
        match taken(name, node, profile) {
            Ok(taken) => given.extend(taken),
            Err(error) if of_call => return Err(error.into()),
            Err(error) => {
                let what = format!("`variables.{name}` was not used: {}", error.message);
                let diagnostic =
                    Diagnostic::warning(DiagnosticCode::SettingsUnknownOption, what).at(node.key_place());
                diagnostics.push(Diagnostic { help: error.help, ..diagnostic });
            }
        }
    }
    given.extend(profile.take_variables(&request.variables)?);
    turn.variables = given;
    Ok(())
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        Error::Usage(error.message, error.help)
    }
}

/// Reads one variable of the settings.
fn taken(name: &str, node: &SettingsNode, profile: &Profile) -> Result<GivenVariables, InputError> {
    let key: VariableKey =
        name.parse().map_err(|_| InputError::new(format!("not a variable name (`type:name`): `{name}`")))?;
    let value = match node.to_value() {
        serde_json::Value::Null => None,
        value => Some(VariableValue::from_json(value).map_err(InputError::new)?),
    };
    profile.take_variables(&GivenVariables::from([(key, value)]))
}
