//! Texts that only the published packages have, as options of preset `pi`.
//!
//! preface ships what the seed prints. The rest is taken from the installed package, or is a token in the recorded
//! expectations, and is handed over with `--set`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The options of one variant. An absent one leaves the preset's own text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PiOptions {
    /// The first sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// The lines of the documentation block after the third.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub docs_lines: Vec<String>,
    /// Tool to its texts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_texts: BTreeMap<String, PiToolTexts>,
    /// The guidelines that are before those of the tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<Rule>,
    /// The directory of the documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package_dir: Option<String>,
}

/// The texts of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PiToolTexts {
    /// One line for the list of tools.
    pub snippet: String,
    /// Advice.
    pub guidelines: Vec<String>,
}

/// A guideline with its condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// When it is given.
    pub when: PiCondition,
    /// The line.
    pub text: String,
}

/// A condition on variables, as profiles write it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PiCondition {
    /// All of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub all: Vec<String>,
    /// None of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub none: Vec<String>,
}

impl PiOptions {
    /// Writes the options as the values of `--set`, the variant first.
    #[must_use]
    pub fn sets(&self, variant: &str) -> Vec<String> {
        let mut sets = vec![format!("variant={variant}")];
        sets.extend(self.identity.iter().map(|text| format!("identity={text}")));
        sets.extend(self.docs_lines.iter().map(|line| format!("docs_lines={line}")));
        sets.extend(self.package_dir.iter().map(|dir| format!("package_dir={dir}")));
        let json = |value| serde_json::to_string(&value).unwrap_or_default();
        if !self.tool_texts.is_empty() {
            let texts = serde_json::to_value(&self.tool_texts).unwrap_or_default();
            sets.push(format!("tool_texts={}", json(texts)));
        }
        if !self.rules.is_empty() {
            sets.push(format!("rules={}", json(serde_json::to_value(&self.rules).unwrap_or_default())));
        }
        sets
    }

    /// Returns each sentence with the token that stands for it in a recording: `@IDENTITY@`, `@DOCS-1@`,
    /// `@EDIT-SNIPPET@`, `@EDIT-GUIDELINE-2@`, `@RULE-1@`. Sentences of `shipped`, which preface has itself, have none.
    #[must_use]
    pub fn sentences(&self, shipped: &str) -> Vec<(String, String)> {
        let mut own = self.clone();
        let mut pairs = Vec::new();
        own.each(&mut |token, text| pairs.push((text.clone(), token)));
        pairs.retain(|(text, _)| !text.is_empty() && !shipped.contains(text.as_str()));
        pairs
    }

    /// Returns the options with tokens in place of those sentences.
    #[must_use]
    pub fn with_tokens(&self, shipped: &str) -> PiOptions {
        let mut own = self.clone();
        own.each(&mut |token, text| {
            if !text.is_empty() && !shipped.contains(text.as_str()) {
                *text = token;
            }
        });
        own
    }

    /// Hands over each sentence with its token.
    fn each(&mut self, take: &mut dyn FnMut(String, &mut String)) {
        if let Some(text) = &mut self.identity {
            take("@IDENTITY@".to_owned(), text);
        }
        for (at, line) in self.docs_lines.iter_mut().enumerate() {
            take(format!("@DOCS-{}@", at + 1), line);
        }
        for (name, texts) in &mut self.tool_texts {
            let name = name.to_uppercase();
            take(format!("@{name}-SNIPPET@"), &mut texts.snippet);
            for (at, line) in texts.guidelines.iter_mut().enumerate() {
                take(format!("@{name}-GUIDELINE-{}@", at + 1), line);
            }
        }
        for (at, rule) in self.rules.iter_mut().enumerate() {
            take(format!("@RULE-{}@", at + 1), &mut rule.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_preface_ships_has_no_token() {
        let texts =
            PiToolTexts { snippet: "Reads".to_owned(), guidelines: vec!["Read.".into(), "Look.".into()] };
        let options = PiOptions {
            identity: Some("You are x.".to_owned()),
            tool_texts: BTreeMap::from([("read".to_owned(), texts)]),
            ..PiOptions::default()
        };
        let shipped = "text = \"Reads\"";
        let tokens: Vec<String> = options.sentences(shipped).into_iter().map(|(_, token)| token).collect();
        assert_eq!(tokens, ["@IDENTITY@", "@READ-GUIDELINE-1@", "@READ-GUIDELINE-2@"]);
        assert_eq!(options.with_tokens(shipped).tool_texts["read"].snippet, "Reads");
        assert_eq!(options.with_tokens(shipped).tool_texts["read"].guidelines[1], "@READ-GUIDELINE-2@");
    }

    #[test]
    fn lists_become_one_set_each_line_and_tables_one_of_json() {
        let when = PiCondition { all: vec!["tool:bash".to_owned()], none: Vec::new() };
        let options = PiOptions {
            docs_lines: vec!["- a".to_owned(), "- b".to_owned()],
            rules: vec![Rule { when, text: "x".to_owned() }],
            ..PiOptions::default()
        };
        assert_eq!(
            options.sets("0.87"),
            [
                "variant=0.87",
                "docs_lines=- a",
                "docs_lines=- b",
                r#"rules=[{"when":{"all":["tool:bash"]},"text":"x"}]"#
            ]
        );
    }
}
