//! Conditions: when a section or a guideline speaks. `all`, `any` and `none` over facts, nestable.

use crate::{
    fact::{FactKey, Facts},
    scope::Scope,
};
use serde::{Deserialize, Serialize};

/// A condition over the existence of facts. Every named list must hold: all of `all`, one of `any`, none of `none`.
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
    /// At least one must hold; an absent list asks nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any: Option<Vec<Test>>,
    /// Not one may hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub none: Vec<Test>,
}

/// One line of a condition: a fact that must exist, or a condition of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a test is a fact such as `tool:read`, or a condition in braces")]
pub enum Test {
    /// Holds where the fact exists (an empty text exists).
    Fact(FactKey),
    /// Holds where the inner condition holds.
    Inner(Condition),
}

/// The verdict on a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It does not; the text says which line, for people.
    Fails(String),
    /// This fact must be known first.
    Need(FactKey),
}

impl Condition {
    /// Decides the condition from what is known, asking for one fact at a time and only for those that matter.
    #[must_use]
    pub fn decide(&self, facts: &Facts) -> Verdict {
        self.decide_as(None, facts)
    }

    /// Decides a condition that somebody of this scope wrote: it asks for what [`FactKey::asked_by`] says.
    #[must_use]
    pub fn decide_as(&self, scope: Option<Scope>, facts: &Facts) -> Verdict {
        self.walk(scope, facts, true)
    }

    /// Tells whether the condition holds, without saying why not.
    ///
    /// # Errors
    /// The fact that must be known first.
    pub fn holds(&self, scope: Option<Scope>, facts: &Facts) -> Result<bool, FactKey> {
        match self.walk(scope, facts, false) {
            Verdict::Holds => Ok(true),
            Verdict::Fails(_) => Ok(false),
            Verdict::Need(key) => Err(key),
        }
    }

    /// `words`: the reason is wanted, too.
    fn walk(&self, scope: Option<Scope>, facts: &Facts, words: bool) -> Verdict {
        for test in &self.all {
            match test.decide(scope, facts, words) {
                Verdict::Holds => {}
                Verdict::Fails(why) => return Verdict::Fails(why),
                need @ Verdict::Need(_) => return need,
            }
        }
        if let Some(any) = &self.any {
            let mut fails = Vec::new();
            let mut held = false;
            for test in any {
                match test.decide(scope, facts, words) {
                    Verdict::Holds => {
                        held = true;
                        break;
                    }
                    Verdict::Fails(why) if words => fails.push(why),
                    Verdict::Fails(_) => {}
                    need @ Verdict::Need(_) => return need,
                }
            }
            if !held {
                return Verdict::Fails(match fails.as_slice() {
                    [] => "condition `any` of nothing is false".to_owned(),
                    fails => fails.join(", and "),
                });
            }
        }
        for test in &self.none {
            match test.decide(scope, facts, false) {
                Verdict::Holds if words => {
                    return Verdict::Fails(format!("condition `{}` is true", test.words()));
                }
                Verdict::Holds => return Verdict::Fails(String::new()),
                Verdict::Fails(_) => {}
                need @ Verdict::Need(_) => return need,
            }
        }
        Verdict::Holds
    }

    /// Returns every fact that the condition could ask for, in order of mention.
    #[must_use]
    pub fn keys(&self) -> Vec<&FactKey> {
        let mut keys = Vec::new();
        let mut open: Vec<&Condition> = vec![self];
        while let Some(condition) = open.pop() {
            for test in condition.all.iter().chain(condition.any.iter().flatten()).chain(&condition.none) {
                match test {
                    Test::Fact(key) => keys.push(key),
                    Test::Inner(inner) => open.push(inner),
                }
            }
        }
        keys
    }
}

impl Test {
    fn decide(&self, scope: Option<Scope>, facts: &Facts, words: bool) -> Verdict {
        match self {
            Test::Fact(key) => {
                let asked = key.asked_by(scope);
                match facts.get(&asked) {
                    None => Verdict::Need(asked.into_owned()),
                    Some(fact) if fact.value.is_some() => Verdict::Holds,
                    Some(_) if words => Verdict::Fails(format!("condition `{key}` is false")),
                    Some(_) => Verdict::Fails(String::new()),
                }
            }
            Test::Inner(condition) => condition.walk(scope, facts, words),
        }
    }

    fn words(&self) -> String {
        match self {
            Test::Fact(key) => key.to_string(),
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
    use crate::fact::{Fact, Stability};

    fn facts(present: &[&str], absent: &[&str]) -> Facts {
        let mut facts = Facts::default();
        for key in present {
            facts.supply(key.parse().unwrap(), Fact::of("", "test", Stability::Static));
        }
        for key in absent {
            facts.supply(key.parse().unwrap(), Fact::absent("test"));
        }
        facts
    }

    fn condition(text: &str) -> Condition {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn all_any_and_none_must_each_hold() {
        let known = facts(&["a:x", "a:y"], &["a:n", "a:m"]);
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
            assert_eq!(condition(text).decide(&known) == Verdict::Holds, holds, "{text}");
        }
    }

    #[test]
    fn it_asks_only_for_what_matters() {
        let known = facts(&["a:x"], &["a:n"]);
        assert_eq!(condition(r#"any = ["a:x", "b:unknown"]"#).decide(&known), Verdict::Holds);
        assert!(matches!(condition(r#"all = ["a:n", "b:unknown"]"#).decide(&known), Verdict::Fails(_)));
        assert_eq!(
            condition(r#"all = ["a:x", "b:unknown"]"#).decide(&known),
            Verdict::Need("b:unknown".parse().unwrap())
        );
    }

    #[test]
    fn the_reason_names_the_fact() {
        let known = facts(&["a:x"], &["a:n", "a:m"]);
        assert_eq!(
            condition(r#"any = ["a:n", "a:m"]"#).decide(&known),
            Verdict::Fails("condition `a:n` is false, and condition `a:m` is false".into())
        );
        assert_eq!(
            condition(r#"none = ["a:x"]"#).decide(&known),
            Verdict::Fails("condition `a:x` is true".into())
        );
    }
}
