//! Options: what the caller sets is laid over the profile, and what all of them are worth in the end.

use super::{KEYS, ProfileBuilder, SECTION_KEYS, Setting};
use crate::{
    condition::Condition,
    declaration::{Declarations, VariableShape},
    origin::LiteralSource,
    profile::{
        ProfileError, RawProfile,
        overlay::{KeySource, overlay},
    },
    suggestion::{quoted, suggest_or},
    variable::VariableKey,
};
use std::{collections::BTreeMap, sync::Arc};
use toml::{Table, Value};

/// The options that every profile has, beside those of its own `[options]`.
const OPTIONS: [&str; 10] = [
    "agent",
    "arrange",
    "budget",
    "join",
    "neutralise_tags",
    "order",
    "rules",
    "tool_texts",
    "trust",
    "variant",
];

impl ProfileBuilder<'_> {
    /// Applies `variant=` first, then every other option, over the table.
    pub(super) fn apply(&mut self, settings: &[Setting]) -> Result<(), ProfileError> {
        let last = self.chain.len().saturating_sub(1);
        let by_caller = KeySource { name: LiteralSource::Caller.name().into(), raw: last };
        self.check_overlays()?;
        let mut overlays = Vec::new();
        let is_conditional = |over: &Value| over.get("when").is_some();
        let (conditional, variants): (Table, Table) =
            self.take_table("variants")?.into_iter().partition(|(_, over)| is_conditional(over));
        let chosen = match settings.iter().rev().find(|setting| setting.key == "variant") {
            Some(setting) => Some(setting.value.clone()),
            None => match self.table.remove("variant") {
                None => None,
                Some(Value::String(name)) => Some(name),
                Some(_) => return Err(self.value_error(&["variant"], "`variant` must be a string")),
            },
        };
        if let Some(name) = chosen.filter(|name| !name.is_empty()) {
            match variants.get(&name) {
                Some(Value::Table(over)) => {
                    self.overlay_variant(&name, over.clone(), &mut overlays);
                }
                Some(_) => return Err(self.error(&["variants", &name], "a variant must be a table")),
                None => {
                    let known: Vec<&str> = variants.keys().map(String::as_str).collect();
                    let error = self.value_error(&["variant"], format!("unknown variant: `{name}`"));
                    return Err(match known.as_slice() {
                        [] => error.help("this profile has no variants"),
                        known => error.help(format!("variants are {}", quoted(known))),
                    });
                }
            }
        }
        let declared = self.declared()?;
        for Setting { key, value } in settings.iter().filter(|setting| setting.key != "variant") {
            let text = Value::String(value.clone());
            let over = match key.as_str() {
                "arrange" | "join" | "order" => table([(key.as_str(), text)]),
                "neutralise_tags" => {
                    let yes = value.parse::<bool>().map_err(|_| {
                        let what = format!("`neutralise_tags` is `true` or `false`: `{value}`");
                        self.error(&["neutralise_tags"], what)
                    })?;
                    table([(key.as_str(), Value::Boolean(yes))])
                }
                "trust" => table([("trust", Value::Table(table([("mode", text)])))]),
                "budget" => {
                    let tokens = value.parse::<i64>().map_err(|_| {
                        self.error(&["budget"], format!("`budget` takes a number of tokens: `{value}`"))
                    })?;
                    table([("budget", Value::Table(table([("tokens", Value::Integer(tokens))])))])
                }
                "rules" | "tool_texts" => table([(key.as_str(), self.json(key, value)?)]),
                "agent" => {
                    self.agent = Some(value.clone()).filter(|name| !name.is_empty());
                    table([("options", Value::Table(table([("agent", text)])))])
                }
                _ => {
                    let known = self.table.get("options").and_then(Value::as_table);
                    if !known.is_some_and(|options| options.contains_key(key)) {
                        let names: Vec<&str> = OPTIONS
                            .into_iter()
                            .chain(known.into_iter().flat_map(|options| options.keys().map(String::as_str)))
                            .collect();
                        let error = self.error(&["options"], format!("unknown option: `{key}`"));
                        return Err(error.help(suggest_or(key, names.iter().copied(), || {
                            format!("options are {}", quoted(&names))
                        })));
                    }
                    if known.and_then(|options| options.get(key)).is_some_and(Value::is_bool)
                        && is_almost_a_truth(value)
                    {
                        let text = format!("`{key}` must be `true` or `false`, not `{value}`");
                        return Err(self.error(&["options", key], text));
                    }
                    if let Some(words) =
                        words_of(&declared, key).filter(|words| !words.contains(&value.as_str()))
                    {
                        return Err(self.unknown_choice(&["options", key], key, value, &words));
                    }
                    let listed = known.and_then(|options| options.get(key)).is_some_and(Value::is_array);
                    let takes_texts = self
                        .table
                        .get("text_options")
                        .and_then(Value::as_array)
                        .is_some_and(|names| names.iter().any(|name| name.as_str() == Some(key)));
                    let given = self.given.entry(key.clone()).or_default();
                    if !listed {
                        given.clear();
                    }
                    match json_list(value).filter(|_| listed && !takes_texts) {
                        Some(values) => given.extend(values),
                        None => given.push(value.clone()),
                    }
                    let value = match listed {
                        true => Value::Array(given.iter().cloned().map(Value::String).collect()),
                        false => text,
                    };
                    table([("options", Value::Table(table([(key.as_str(), value)])))])
                }
            };
            overlay(&mut self.table, over, &mut self.givers, &|_, _| by_caller.clone());
        }
        self.overlay_conditional(conditional, &declared, &mut overlays)?;
        self.overlays = overlays;
        self.check_choices(&declared)
    }

    /// Lays a variant over the table.
    fn overlay_variant(&mut self, name: &str, over: Table, overlays: &mut Vec<String>) {
        let last = self.chain.len().saturating_sub(1);
        overlays.push(name.to_owned());
        let shown: Arc<str> = format!("{} {name}", self.name()).into();
        overlay(&mut self.table, over, &mut self.givers, &|givers, path| KeySource {
            name: shown.clone(),
            raw: givers.of(&format!("variants.{name}.{path}")).map_or(last, |giver| giver.raw),
        });
    }

    /// Refuses an option whose value its declaration does not have. An empty option is one that is not set.
    fn check_choices(&self, declared: &Declarations) -> Result<(), ProfileError> {
        let options = self.table.get("options").and_then(Value::as_table);
        for (name, value) in options.into_iter().flatten() {
            let (Some(words), Some(value)) = (words_of(declared, name), value_text(value)) else { continue };
            if !value.is_empty() && !words.contains(&value.as_str()) {
                return Err(self.unknown_choice(&["options", name], name, &value, &words));
            }
        }
        Ok(())
    }

    /// Returns true if a profile declares other values of an option than the one that it extends, which has the variant.
    fn is_narrowed(&self, option: &VariableKey, variant: &str) -> bool {
        let raw = |path: String| self.givers.of(&path).map(|giver| giver.raw);
        raw(format!("variants.{variant}")) < raw(format!("variables.{option}.values"))
    }

    fn unknown_choice(&self, path: &[&str], option: &str, value: &str, words: &[&str]) -> ProfileError {
        let error = self.value_error(path, format!("`{option}` cannot be `{value}`"));
        error.help(suggest_or(value, words.iter().copied(), || format!("it is one of {}", quoted(words))))
    }

    /// Refuses a variant with a key that nothing has, whether or not it is applied.
    fn check_overlays(&self) -> Result<(), ProfileError> {
        let unknown = |raw: &RawProfile, path: &[&str], known: &[&str]| {
            let key = path.last().copied().unwrap_or_default();
            let error = raw.error(path, format!("unknown key: `{key}`"));
            error.help(suggest_or(key, known.iter().copied(), || format!("its keys are {}", quoted(known))))
        };
        for raw in self.chain {
            for (name, over) in tables(raw.table.get("variants")) {
                let is_known = |key: &str| key == "when" || KEYS.contains(&key);
                if let Some(key) = over.keys().find(|key| !is_known(key)) {
                    return Err(unknown(raw, &["variants", name, key], &KEYS));
                }
                for (id, section) in tables(over.get("section")) {
                    // The other keys of a section with `fill` are options of its provider.
                    let own = self.table.get("section").and_then(|sections| sections.get(id));
                    if section.contains_key("fill") || own.is_some_and(|own| own.get("fill").is_some()) {
                        continue;
                    }
                    if let Some(key) = section.keys().find(|key| !SECTION_KEYS.contains(&key.as_str())) {
                        return Err(unknown(raw, &["variants", name, "section", id, key], &SECTION_KEYS));
                    }
                }
            }
        }
        Ok(())
    }

    /// Lays over the table the variants whose condition holds for the options.
    fn overlay_conditional(
        &mut self,
        variants: Table,
        declared: &Declarations,
        overlays: &mut Vec<String>,
    ) -> Result<(), ProfileError> {
        for (name, over) in variants {
            let Value::Table(mut over) = over else {
                return Err(self.error(&["variants", &name], "a variant must be a table"));
            };
            let path = ["variants", name.as_str(), "when"];
            let Some(when) = over.remove("when") else { continue };
            let when: Condition = self.deserialize(&path, when)?;
            let options = self.table.get("options").and_then(Value::as_table);
            let option = |key: &VariableKey| options.and_then(|options| options.get(key.name()));
            for test in when.tests() {
                let read = test.read(declared);
                if read.key.kind() != "option" {
                    let error = self.value_error(&path, format!("`{}` is no option", read.key));
                    return Err(
                        error.help("the condition of a variant tests options, such as `option:quick`")
                    );
                }
                if option(&read.key).is_none() {
                    let names = options.into_iter().flat_map(|options| options.keys()).map(String::as_str);
                    let option = read.key.name();
                    let error = self.value_error(&path, format!("this profile has no option `{option}`"));
                    return Err(error.near(option, names));
                }
                if let Some((word, help)) = read.words.and_then(|words| declared.impossible(&read.key, words))
                    && !self.is_narrowed(&read.key, &name)
                {
                    return Err(self
                        .value_error(&path, format!("`{}` cannot be `{word}`", read.key))
                        .help(help));
                }
            }
            let is_set = |value: &String| !value.is_empty() && value != "false";
            let holds = when.holds(&mut |test| {
                let read = test.read(declared);
                let value = option(&read.key).and_then(value_text).filter(is_set);
                Ok::<_, ProfileError>(read.holds(value.as_deref()))
            })?;
            if holds {
                self.overlay_variant(&name, over, overlays);
            }
        }
        Ok(())
    }

    /// Reads an option that takes JSON.
    pub(super) fn json(&self, key: &str, value: &str) -> Result<Value, ProfileError> {
        let help = match key {
            "rules" => "it takes a JSON list of `{\"when\": {…}, \"text\": \"…\"}`",
            _ => "it takes a JSON object of `{\"name\": {\"snippet\": \"…\", \"guidelines\": [\"…\"]}}`",
        };
        let json: serde_json::Value = serde_json::from_str(value)
            .map_err(|error| self.error(&[key], format!("`{key}` is no JSON: {error}")).help(help))?;
        Value::try_from(json).map_err(|error| self.error(&[key], format!("`{key}`: {error}")).help(help))
    }

    /// The options with a value, and the names of those without.
    pub(super) fn options(&mut self) -> Result<(BTreeMap<String, String>, Vec<String>), ProfileError> {
        let mut options = BTreeMap::new();
        let mut unset = Vec::new();
        self.options = self.take_table("options")?;
        for (name, value) in &self.options {
            let Some(text) = value_text(value) else {
                return Err(self.value_error(
                    &["options", name],
                    "an option is a string, a number, a boolean or a list of strings",
                ));
            };
            // An empty option is an option that is not set: its variable does not exist.
            if text.is_empty() || text == "false" {
                unset.push(name.clone());
            } else {
                options.insert(name.clone(), text);
            }
        }
        Ok((options, unset))
    }
}

/// Returns the values that an option may have; `None` for any.
fn words_of<'d>(declared: &'d Declarations, option: &str) -> Option<Vec<&'d str>> {
    let declared = declared.get(&VariableKey::new("option", option))?;
    match declared.shape {
        VariableShape::Flag => Some(vec!["true", "false"]),
        _ => Some(declared.values.iter().map(String::as_str).collect())
            .filter(|words: &Vec<_>| !words.is_empty()),
    }
}

/// Returns the tables of a table, by their names.
fn tables(table: Option<&Value>) -> impl Iterator<Item = (&String, &Table)> {
    let all = table.and_then(Value::as_table).into_iter().flatten();
    all.filter_map(|(name, value)| Some((name, value.as_table()?)))
}

/// The value of an option as one text; `None` for what no option can be.
fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(yes) => Some(yes.to_string()),
        // One line each.
        Value::Array(list) if list.iter().all(Value::is_str) => {
            Some(list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}

fn table<const N: usize>(entries: [(&str, Value); N]) -> Table {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The values of a list that is written as JSON.
fn json_list(value: &str) -> Option<Vec<String>> {
    serde_json::from_str(value).ok().filter(|_| value.trim_start().starts_with('['))
}

/// Returns true for a misspelled `true` or `false`.
fn is_almost_a_truth(value: &str) -> bool {
    let word = value.trim().to_ascii_lowercase();
    match word.as_str() {
        "true" | "false" => value != word,
        word => ["yes", "no", "on", "off", "1", "0"].contains(&word),
    }
}
