//! Conditions: when a section or a guideline is included. `all`, `any` and `none` over tests of variables, nestable.

use crate::{
    declaration::{Declarations, alternatives, comparison},
    variable::{VariableKey, VariableKeyError},
};
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{
        MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, SeqAccessDeserializer},
    },
};
use std::fmt;

/// A condition over tests of variables. Every named list must hold: all of `all`, one of `any`, none of `none`. A list alone is
/// `all`.
///
/// ```
/// use preface_core::condition::Condition;
/// let when: Condition = toml::from_str(r#"any = ["tool:read", { all = ["tool:bash", "git:branch"] }]"#).unwrap();
/// assert_eq!(when.tests().len(), 3);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(
    deny_unknown_fields,
    default,
    description = "Tests of variables: all of `all`, one of `any`, none of `none`."
)]
pub struct Condition {
    /// Every one must hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub all: Vec<Test>,
    /// At least one must hold; an absent list is no condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub any: Option<Vec<Test>>,
    /// Not one may hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub none: Vec<Test>,
}

impl<'de> Deserialize<'de> for Condition {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Lists {
            #[serde(default)]
            all: Vec<Test>,
            any: Option<Vec<Test>>,
            #[serde(default)]
            none: Vec<Test>,
        }
        struct ConditionVisitor;
        impl<'de> Visitor<'de> for ConditionVisitor {
            type Value = Condition;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table with `all`, `any` and `none`, or a list of tests")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Condition, A::Error> {
                let all = Vec::deserialize(SeqAccessDeserializer::new(list))?;
                Ok(Condition { all, ..Condition::default() })
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Condition, A::Error> {
                let Lists { all, any, none } = Lists::deserialize(MapAccessDeserializer::new(table))?;
                Ok(Condition { all, any, none })
            }
        }
        from.deserialize_any(ConditionVisitor)
    }
}

/// The test of a variable, as it is written: `KEY`, `!KEY`, `KEY = VALUE` or `KEY != VALUE`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = "^!?[A-Za-z0-9_]+:"))]
pub struct VariableTest(String);

/// A test as it is understood where these variables are declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadTest<'t> {
    /// The variable.
    pub key: VariableKey,
    /// True if it holds where the variable does not exist, or has none of the values.
    pub negated: bool,
    /// The values of a comparison, with `|` between them; without it the test is about existence.
    pub words: Option<&'t str>,
}

impl VariableTest {
    /// Returns the test as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads the test. It compares only what is declared or can always be compared; else all of it is the key.
    #[must_use]
    pub fn read(&self, declared: &Declarations) -> ReadTest<'_> {
        let (rest, negated) = match self.0.strip_prefix('!') {
            Some(rest) => (rest, true),
            None => (self.0.as_str(), false),
        };
        let compared = comparison(rest, |key| declared.compares(key)).filter(|_| !negated);
        let (key, negated, words) = match compared {
            Some(of) => (&rest[..of.key_end], of.differs, Some(rest[of.words].trim())),
            None => (rest, negated, None),
        };
        let (kind, name) = key.split_once(':').unwrap_or((key, ""));
        ReadTest { key: VariableKey::new(kind, name), negated, words }
    }
}

impl ReadTest<'_> {
    /// Returns true if the test holds for this value of its variable.
    #[must_use]
    pub fn holds(&self, value: Option<&str>) -> bool {
        let is = value.is_some_and(|value| {
            self.words.is_none_or(|words| alternatives(words).any(|word| word == value))
        });
        is != self.negated
    }
}

impl TryFrom<String> for VariableTest {
    type Error = VariableKeyError;

    fn try_from(text: String) -> Result<Self, VariableKeyError> {
        VariableKey::try_from(text.strip_prefix('!').unwrap_or(&text).to_owned())?;
        Ok(VariableTest(text))
    }
}

impl From<VariableTest> for String {
    fn from(test: VariableTest) -> String {
        test.0
    }
}

/// One line of a condition: a test of a variable, or a condition of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a test is a variable such as `tool:read`, or a condition in braces")]
pub enum Test {
    /// Holds where the test does: a variable alone holds where it exists (an empty text exists).
    Variable(VariableTest),
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
    /// Decides the condition. `holds` is called for one test at a time, and only for those that matter.
    ///
    /// # Errors
    /// The first error of `holds`.
    pub fn decide<E>(
        &self,
        holds: &mut dyn FnMut(&VariableTest) -> Result<bool, E>,
    ) -> Result<ConditionResult, E> {
        self.walk(holds, true)
    }

    /// Returns true if the condition holds.
    ///
    /// # Errors
    /// The first error of `holds`.
    pub fn holds<E>(&self, holds: &mut dyn FnMut(&VariableTest) -> Result<bool, E>) -> Result<bool, E> {
        Ok(self.walk(holds, false)? == ConditionResult::Holds)
    }

    /// `words`: the reason is wanted, too.
    fn walk<E>(
        &self,
        holds: &mut dyn FnMut(&VariableTest) -> Result<bool, E>,
        words: bool,
    ) -> Result<ConditionResult, E> {
        for test in &self.all {
            if let fails @ ConditionResult::Fails(_) = test.decide(holds, words)? {
                return Ok(fails);
            }
        }
        if let Some(any) = &self.any {
            let mut fails = Vec::new();
            let mut found = false;
            for test in any {
                match test.decide(holds, words)? {
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
            if test.decide(holds, false)? == ConditionResult::Holds {
                let why = if words { format!("condition `{}` is true", test.words()) } else { String::new() };
                return Ok(ConditionResult::Fails(why));
            }
        }
        Ok(ConditionResult::Holds)
    }

    /// Returns every test of the condition, in order of mention.
    #[must_use]
    pub fn tests(&self) -> Vec<&VariableTest> {
        let mut tests = Vec::new();
        let mut open: Vec<&Condition> = vec![self];
        while let Some(condition) = open.pop() {
            for test in condition.all.iter().chain(condition.any.iter().flatten()).chain(&condition.none) {
                match test {
                    Test::Variable(test) => tests.push(test),
                    Test::Inner(inner) => open.push(inner),
                }
            }
        }
        tests
    }
}

impl Test {
    fn decide<E>(
        &self,
        holds: &mut dyn FnMut(&VariableTest) -> Result<bool, E>,
        words: bool,
    ) -> Result<ConditionResult, E> {
        Ok(match self {
            Test::Variable(test) if holds(test)? => ConditionResult::Holds,
            Test::Variable(test) if words => {
                ConditionResult::Fails(format!("condition `{}` is false", test.as_str()))
            }
            Test::Variable(_) => ConditionResult::Fails(String::new()),
            Test::Inner(condition) => condition.walk(holds, words)?,
        })
    }

    fn words(&self) -> String {
        match self {
            Test::Variable(test) => test.as_str().to_owned(),
            Test::Inner(condition) => {
                let tests: Vec<&str> = condition.tests().into_iter().map(VariableTest::as_str).collect();
                format!("({})", tests.join(", "))
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
    fn exists(test: &VariableTest) -> Result<bool, String> {
        match (PRESENT.contains(&test.as_str()), ABSENT.contains(&test.as_str())) {
            (false, false) => Err(test.as_str().to_owned()),
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
    fn a_list_alone_is_all() {
        #[derive(Debug, Deserialize)]
        struct Section {
            when: Condition,
        }
        let when = |text: &str| toml::from_str::<Section>(text).map(|section| section.when);
        assert_eq!(when(r#"when = ["a:x", "!a:n"]"#).unwrap().all.len(), 2);
        assert_eq!(when(r#"when = ["a:x"]"#).unwrap(), when(r#"when = { all = ["a:x"] }"#).unwrap());
        for wrong in [r#"when = "a:x""#, r#"when = ["x"]"#, r#"when = { al = [] }"#] {
            assert!(when(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_test_compares_what_is_declared() {
        let declared: Declarations = toml::from_str(
            "'app:plan' = {}
'app:tips' = { type = 'list' }",
        )
        .unwrap();
        for (text, key, negated, words) in [
            ("app:plan", "app:plan", false, None),
            ("!app:plan", "app:plan", true, None),
            ("app:plan = a | b", "app:plan", false, Some("a | b")),
            ("app:plan \t!=  a = b", "app:plan", true, Some("a = b")),
            ("app:plan = ", "app:plan", false, Some("")),
            ("model:name = x", "model:name", false, Some("x")),
            ("app:plan =", "app:plan =", false, None),
            ("app:plan= a", "app:plan= a", false, None),
            ("!app:plan = a", "app:plan = a", true, None),
            ("app:tips = a", "app:tips = a", false, None),
            ("app:other = a", "app:other = a", false, None),
            ("item:kind = a", "item:kind = a", false, None),
            ("file:a = b.md", "file:a = b.md", false, None),
        ] {
            let test = VariableTest::try_from(text.to_owned()).unwrap();
            let read = test.read(&declared);
            assert_eq!((read.key.as_str(), read.negated, read.words), (key, negated, words), "{text}");
        }
        let holds = |text: &str, value: Option<&str>| {
            VariableTest::try_from(text.to_owned()).unwrap().read(&declared).holds(value)
        };
        assert!(holds("app:plan = a | b", Some("b")) && !holds("app:plan = a | b", Some("B")));
        assert!(!holds("app:plan = a", None) && holds("app:plan != a", None));
        assert!(holds("app:plan = ", Some("")) && !holds("app:plan = |", Some(" ")));
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
