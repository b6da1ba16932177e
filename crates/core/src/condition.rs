//! Conditions: when a section or a guideline is included. `all`, `any` and `none` over variables, nestable.

use crate::variable::VariableKey;
use serde::{Deserialize, Serialize};

/// A condition over the existence of variables. Every named list must hold: all of `all`, one of `any`, none of `none`.
///
/// ```
/// use preface_core::condition::Condition;
/// let when: Condition = toml::from_str(r#"any = ["tool:read", { all = ["tool:bash", "git:branch"] }]"#).unwrap();
/// assert_eq!(when.keys().len(), 3);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Every one must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub all: Vec<Test>,
    /// At least one must hold; an absent list is no condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any: Option<Vec<Test>>,
    /// Not one may hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub none: Vec<Test>,
}

/// One line of a condition: a variable that must exist, or a condition of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a test is a variable such as `tool:read`, or a condition in braces")]
pub enum Test {
    /// Holds where the variable exists (an empty text exists).
    Variable(VariableKey),
    /// Holds where the inner condition holds.
    Inner(Condition),
}

/// The verdict on a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConditionResult {
    /// The condition is true.
    Holds,
    /// The condition is false; the text names the line that failed, for people.
    Fails(String),
}

impl Condition {
    /// Decides the condition. `exists` is called for one variable at a time, and only for those that matter.
    ///
    /// # Errors
    /// The first error of `exists`.
    pub fn decide<E>(
        &self,
        exists: &mut dyn FnMut(&VariableKey) -> Result<bool, E>,
    ) -> Result<ConditionResult, E> {
        self.walk(exists, true)
    }

    /// Returns true if the condition holds.
    ///
    /// # Errors
    /// The first error of `exists`.
    pub fn holds<E>(&self, exists: &mut dyn FnMut(&VariableKey) -> Result<bool, E>) -> Result<bool, E> {
        Ok(self.walk(exists, false)? == ConditionResult::Holds)
    }

    /// `words`: the reason is wanted, too.
    fn walk<E>(
        &self,
        exists: &mut dyn FnMut(&VariableKey) -> Result<bool, E>,
        words: bool,
    ) -> Result<ConditionResult, E> {
        for test in &self.all {
            if let fails @ ConditionResult::Fails(_) = test.decide(exists, words)? {
                return Ok(fails);
            }
        }
        if let Some(any) = &self.any {
            let mut fails = Vec::new();
            let mut found = false;
            for test in any {
                match test.decide(exists, words)? {
                    ConditionResult::Holds => {
                        found = true;
                        break;
                    }
                    ConditionResult::Fails(why) if words => fails.push(why),
                    ConditionResult::Fails(_) => {}
                }
            }
            if !found {
                return Ok(ConditionResult::Fails(match fails.as_slice() {
                    [] => "condition `any` of nothing is false".to_owned(),
                    fails => fails.join(", and "),
                }));
            }
        }
        for test in &self.none {
            if test.decide(exists, false)? == ConditionResult::Holds {
                let why = if words { format!("condition `{}` is true", test.words()) } else { String::new() };
                return Ok(ConditionResult::Fails(why));
            }
        }
        Ok(ConditionResult::Holds)
    }

    /// Returns every variable of the condition, in order of mention.
    #[must_use]
    pub fn keys(&self) -> Vec<&VariableKey> {
        let mut keys = Vec::new();
        let mut open: Vec<&Condition> = vec![self];
        while let Some(condition) = open.pop() {
            for test in condition.all.iter().chain(condition.any.iter().flatten()).chain(&condition.none) {
                match test {
                    Test::Variable(key) => keys.push(key),
                    Test::Inner(inner) => open.push(inner),
                }
            }
        }
        keys
    }
}

impl Test {
    fn decide<E>(
        &self,
        exists: &mut dyn FnMut(&VariableKey) -> Result<bool, E>,
        words: bool,
    ) -> Result<ConditionResult, E> {
        Ok(match self {
            Test::Variable(key) if exists(key)? => ConditionResult::Holds,
            Test::Variable(key) if words => ConditionResult::Fails(format!("condition `{key}` is false")),
            Test::Variable(_) => ConditionResult::Fails(String::new()),
            Test::Inner(condition) => condition.walk(exists, words)?,
        })
    }

    fn words(&self) -> String {
        match self {
            Test::Variable(key) => key.to_string(),
            Test::Inner(condition) => {
                let keys: Vec<String> = condition.keys().iter().map(ToString::to_string).collect();
                format!("({})", keys.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRESENT: &[&str] = &["a:x", "a:y"];
    const ABSENT: &[&str] = &["a:n", "a:m"];

    /// Returns true if a variable exists; fails with the name of an unknown one.
    fn exists(key: &VariableKey) -> Result<bool, String> {
        match (PRESENT.contains(&key.as_str()), ABSENT.contains(&key.as_str())) {
            (false, false) => Err(key.to_string()),
            (present, _) => Ok(present),
        }
    }

    fn decide(text: &str) -> Result<ConditionResult, String> {
        toml::from_str::<Condition>(text).unwrap().decide(&mut exists)
    }

    #[test]
    fn all_any_and_none_must_each_hold() {
        for (text, holds) in [
            ("", true),
            (r#"all = ["a:x", "a:y"]"#, true),
            (r#"all = ["a:x", "a:n"]"#, false),
            (r#"any = ["a:n", "a:y"]"#, true),
            (r#"any = ["a:n", "a:m"]"#, false),
            ("any = []", false),
            (r#"none = ["a:n", "a:m"]"#, true),
            (r#"none = ["a:n", "a:x"]"#, false),
            (
                r#"all = ["a:x"]
                none = ["a:y"]"#,
                false,
            ),
            (r#"any = ["a:n", { all = ["a:x"], none = ["a:m"] }]"#, true),
            (r#"none = [{ any = ["a:n", "a:x"] }]"#, false),
        ] {
            assert_eq!(decide(text).unwrap() == ConditionResult::Holds, holds, "{text}");
            let condition: Condition = toml::from_str(text).unwrap();
            assert_eq!(condition.holds(&mut exists), Ok(holds), "{text}");
        }
    }

    #[test]
    fn only_variables_that_matter_are_read() {
        assert_eq!(decide(r#"any = ["a:x", "b:unknown"]"#), Ok(ConditionResult::Holds));
        assert!(matches!(decide(r#"all = ["a:n", "b:unknown"]"#), Ok(ConditionResult::Fails(_))));
        assert_eq!(decide(r#"all = ["a:x", "b:unknown"]"#), Err("b:unknown".to_owned()));
    }

    #[test]
    fn the_reason_names_the_variable() {
        assert_eq!(
            decide(r#"any = ["a:n", "a:m"]"#),
            Ok(ConditionResult::Fails("condition `a:n` is false, and condition `a:m` is false".into()))
        );
        assert_eq!(decide(r#"none = ["a:x"]"#), Ok(ConditionResult::Fails("condition `a:x` is true".into())));
    }
}
