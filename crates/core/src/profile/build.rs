//! From a chain of raw profiles to one resolved profile. After this every section exists, every text is present.

use super::{
    Arrange, Budget, BuiltinTexts, ByteOrderMark, Candidate, Frame, Group, Guideline, Home, OwnTags, Profile,
    ProfileError, RawProfile, Scaffold, SnippetSource, TemplateLimits, ToolsApply, Win,
    overlay::{BODY, Giver, Givers, PLACE, overlay},
};
use crate::{
    condition::Condition,
    fact::Stability,
    message::MessageForms,
    origin::{Origin, Piece},
    render::Templates,
    section::{
        Body, CutRule, DEFAULT_PRIORITY, Language, ListName, ProviderName, Say, Section, SectionId, Trim,
    },
    suggestion::did_you_mean,
    trust::TrustMode,
};
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use toml::{Table, Value};

/// A profile option that the caller sets: `variant=0.58`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The option's name.
    pub key: String,
    /// Its value, as written.
    pub value: String,
}

/// Finds the text that a profile names: the profile, and the path as written.
pub type Texts<'f> = dyn FnMut(&RawProfile, &str) -> Result<Vec<Piece>, String> + 'f;

/// Builds a profile from a chain (the extended ones first), options, and the files that sections name.
///
/// `file` returns the text of a `file = "…"` key: the path as written and the profile that wrote it.
///
/// # Errors
/// Unknown keys, sections, orders, variants and options, values of the wrong type, files that cannot be read; each
/// with the place in the file that says so.
pub fn build(
    chain: &[RawProfile],
    settings: &[Setting],
    file: &mut Texts<'_>,
) -> Result<Profile, ProfileError> {
    let mut builder = Builder {
        chain,
        givers: Givers::default(),
        table: Table::new(),
        options: Table::new(),
        given: BTreeMap::new(),
    };
    for (at, raw) in chain.iter().enumerate() {
        let giver = Giver { name: raw.name.as_str().into(), raw: at };
        overlay(&mut builder.table, raw.table.clone(), &mut builder.givers, &|_, _| giver.clone());
    }
    builder.apply(settings)?;
    builder.profile(file)
}

/// The options that every profile has, beside those of its own `[options]`.
const OPTIONS: [&str; 9] =
    ["arrange", "budget", "join", "neutralise_tags", "order", "rules", "tool_texts", "trust", "variant"];

/// The keys of a profile's top level.
pub const KEYS: [&str; 35] = [
    "about",
    "added_after",
    "added_prefix",
    "arrange",
    "bom",
    "budget",
    "escape",
    "frame",
    "group",
    "guideline",
    "home",
    "join",
    "layer_tools",
    "messages",
    "neutralise_tags",
    "options",
    "order",
    "orders",
    "own_tags",
    "remove",
    "repeat_tools",
    "rules",
    "scaffold",
    "seam",
    "section",
    "snippet_from",
    "section_tags",
    "template",
    "text_options",
    "tool_texts",
    "tools",
    "tools_apply",
    "trust",
    "variant",
    "variants",
];

/// The keys of a section that are not options of its provider.
pub const SECTION_KEYS: [&str; 26] = [
    "after",
    "before",
    "between",
    "cut",
    "empty",
    "file",
    "fill",
    "framed",
    "item",
    "keep_blank",
    "language",
    "last",
    "list",
    "max_tokens",
    "prefix",
    "priority",
    "project",
    "say",
    "seam",
    "skip_silent",
    "stability",
    "suffix",
    "text",
    "trim",
    "watch_tags",
    "when",
];

struct Builder<'a> {
    chain: &'a [RawProfile],
    givers: Givers,
    table: Table,
    /// The values of all options, typed.
    options: Table,
    /// What the caller said of them.
    given: BTreeMap<String, Vec<String>>,
}

impl Builder<'_> {
    /// Points at a key in the last profile of the chain that has it.
    fn error(&self, path: &[&str], message: impl Into<String>) -> ProfileError {
        let has = |raw: &&RawProfile| {
            let mut here = &raw.table;
            for (at, key) in path.iter().enumerate() {
                match here.get(*key) {
                    Some(Value::Table(table)) => here = table,
                    Some(_) => return at + 1 == path.len(),
                    None => return false,
                }
            }
            true
        };
        match self.chain.iter().rev().find(has).or(self.chain.last()) {
            Some(raw) => raw.error(path, message),
            None => ProfileError {
                message: message.into(),
                place: Box::default(),
                help: Some("a profile chain must not be empty".into()),
            },
        }
    }

    fn literal(&self, text: String, key: &str) -> Piece {
        let profile = self.givers.of(key).map_or_else(|| self.name().into(), |giver| giver.name.clone());
        Piece { text, origin: Origin::Literal { profile, key: key.into() } }
    }

    fn name(&self) -> &str {
        self.chain.last().map_or("", |raw| &raw.name)
    }

    /// Applies `variant=` first, then every other option, over the table.
    fn apply(&mut self, settings: &[Setting]) -> Result<(), ProfileError> {
        let last = self.chain.len().saturating_sub(1);
        let by_caller = Giver { name: "--set".into(), raw: last };
        let variants = self.take_table("variants")?;
        let chosen = match settings.iter().rev().find(|setting| setting.key == "variant") {
            Some(setting) => Some(setting.value.clone()),
            None => match self.table.remove("variant") {
                None => None,
                Some(Value::String(name)) => Some(name),
                Some(_) => return Err(self.error(&["variant"], "`variant` must be a string")),
            },
        };
        if let Some(name) = chosen.filter(|name| !name.is_empty()) {
            match variants.get(&name) {
                Some(Value::Table(over)) => {
                    let shown: Arc<str> = format!("{} {name}", self.name()).into();
                    overlay(&mut self.table, over.clone(), &mut self.givers, &|givers, path| Giver {
                        name: shown.clone(),
                        raw: givers.of(&format!("variants.{name}.{path}")).map_or(last, |giver| giver.raw),
                    });
                }
                Some(_) => return Err(self.error(&["variants", &name], "a variant must be a table")),
                None => {
                    let known: Vec<&str> = variants.keys().map(String::as_str).collect();
                    let error = self.error(&["variants"], format!("unknown variant: `{name}`"));
                    return Err(match known.as_slice() {
                        [] => error.help("this profile has no variants"),
                        known => error.help(format!("variants are {}", quoted(known))),
                    });
                }
            }
        }
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
                _ => {
                    let known = self.table.get("options").and_then(Value::as_table);
                    if !known.is_some_and(|options| options.contains_key(key)) {
                        let names: Vec<&str> = OPTIONS
                            .into_iter()
                            .chain(known.into_iter().flat_map(|options| options.keys().map(String::as_str)))
                            .collect();
                        let error = self.error(&["options"], format!("unknown option: `{key}`"));
                        return Err(match did_you_mean(key, names.iter().copied()) {
                            Some(near) => error.help(format!("did you mean `{near}`?")),
                            None => error.help(format!("options are {}", quoted(&names))),
                        });
                    }
                    if known.and_then(|options| options.get(key)).is_some_and(Value::is_bool)
                        && is_almost_a_truth(value)
                    {
                        let text = format!("`{key}` is `true` or `false`: `{value}`");
                        return Err(self.error(&["options", key], text));
                    }
                    let listed = known.and_then(|options| options.get(key)).is_some_and(Value::is_array);
                    let given = self.given.entry(key.clone()).or_default();
                    if !listed {
                        given.clear();
                    }
                    given.push(value.clone());
                    let value = match listed {
                        true => Value::Array(given.iter().cloned().map(Value::String).collect()),
                        false => text,
                    };
                    table([("options", Value::Table(table([(key.as_str(), value)])))])
                }
            };
            overlay(&mut self.table, over, &mut self.givers, &|_, _| by_caller.clone());
        }
        Ok(())
    }

    /// Reads an option that takes JSON.
    fn json(&self, key: &str, value: &str) -> Result<Value, ProfileError> {
        let help = match key {
            "rules" => "it takes a JSON list of `{\"when\": {…}, \"text\": \"…\"}`",
            _ => "it takes a JSON object of `{\"name\": {\"snippet\": \"…\", \"guidelines\": [\"…\"]}}`",
        };
        let json: serde_json::Value = serde_json::from_str(value)
            .map_err(|error| self.error(&[key], format!("`{key}` is no JSON: {error}")).help(help))?;
        Value::try_from(json).map_err(|error| self.error(&[key], format!("`{key}`: {error}")).help(help))
    }

    fn profile(mut self, file: &mut Texts<'_>) -> Result<Profile, ProfileError> {
        if let Some(key) = self.table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let error = self.error(&[key], format!("unknown key: `{key}`"));
            return Err(match did_you_mean(key, KEYS) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help(format!("keys of a profile are {}", quoted(&KEYS))),
            });
        }
        let name = self.name().to_owned();
        let home: Home = self.home()?;
        let scaffold: Scaffold = self.take_or("scaffold")?;
        let trust = self.trust()?;
        let arrange: Arrange = self.take_or("arrange")?;
        let join_text: String = self.take("join")?.unwrap_or_else(|| "\n\n".to_owned());
        let join = self.literal(join_text, "join");
        let seam: bool = self.take_or("seam")?;
        let about: String = self.take_or("about")?;
        let tools: Vec<String> = self.take_or("tools")?;
        let messages: MessageForms = self.take_or("messages")?;
        let template: TemplateLimits = self.take_or("template")?;
        let budget: Budget = self.take_or("budget")?;
        let escape: Vec<String> = self.take_or("escape")?;
        let own_tags = self.own_tags()?;
        let (options, unset_options) = self.options()?;
        let frame = self.frame()?;
        let tool_texts: BTreeMap<String, BuiltinTexts> = self.take_or("tool_texts")?;
        let snippet_from = self.take("snippet_from")?.unwrap_or_else(SnippetSource::all);
        let tools_apply: ToolsApply = self.take_or("tools_apply")?;
        let bom: ByteOrderMark = self.take_or("bom")?;
        let layer_tools: bool = self.take_or("layer_tools")?;
        let repeat_tools: bool = self.take_or("repeat_tools")?;
        let text_options: Vec<String> = self.take_or("text_options")?;
        let guidelines = self.guidelines()?;
        let remove: Vec<String> = self.take_or("remove")?;
        let added_after: Option<SectionId> = self.take("added_after")?;
        let added_prefix: Option<String> = self.take("added_prefix")?;
        let added_prefix = added_prefix.map(|text| self.literal(text, "added_prefix"));

        let mut tables = self.take_table("section")?;
        for id in &remove {
            if tables.remove(id).is_none() {
                return Err(self.error(&["remove"], format!("unknown section: `{id}`")));
            }
        }
        let order = self.order(&tables, &remove)?;
        let mut sections = Vec::with_capacity(order.len());
        for id in &order {
            let Some(table) = tables.remove(id) else {
                let error = self.error(&["orders"], format!("the order names an unknown section: `{id}`"));
                return Err(error.help("each name in an order is a `[section.…]` table"));
            };
            sections.push(self.section(id, table, file)?);
        }
        let unordered = tables.keys().map(SectionId::new).collect();
        let groups = self.groups(&order)?;
        Ok(Profile {
            name,
            about,
            home,
            trust,
            scaffold,
            arrange,
            join,
            seam,
            frame,
            sections,
            unordered,
            groups,
            added_after,
            added_prefix,
            guidelines,
            tools,
            tool_texts,
            snippet_from,
            layer_tools,
            repeat_tools,
            tools_apply,
            messages,
            template,
            budget,
            escape,
            own_tags,
            options,
            templates: Templates::default(),
            unset_options,
            given: self.given,
            text_options,
            bom,
        })
    }

    /// Takes a typed key out of the table.
    fn take<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<T>, ProfileError> {
        self.table.remove(key).map(|value| self.typed(&[key], value)).transpose()
    }

    fn take_or<T: DeserializeOwned + Default>(&mut self, key: &str) -> Result<T, ProfileError> {
        Ok(self.take(key)?.unwrap_or_default())
    }

    fn typed<T: DeserializeOwned>(&self, path: &[&str], value: Value) -> Result<T, ProfileError> {
        value.try_into().map_err(|error: toml::de::Error| {
            self.error(path, format!("`{}`: {}", path.join("."), error.message().trim()))
        })
    }

    fn take_table(&mut self, key: &str) -> Result<Table, ProfileError> {
        match self.table.remove(key) {
            None => Ok(Table::new()),
            Some(Value::Table(table)) => Ok(table),
            Some(_) => Err(self.error(&[key], format!("`{key}` must be a table"))),
        }
    }

    fn home(&mut self) -> Result<Home, ProfileError> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum OneOrMany {
            One(String),
            Many(Vec<String>),
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            global: OneOrMany,
            project: String,
            #[serde(default)]
            flat_extensions: bool,
            variable: Option<String>,
        }
        let Some(home) = self.take::<Written>("home")? else {
            let error = self.error(&["home"], "a profile must say where its layers live");
            return Err(error.help("add `home = { global = [\"config:preface\"], project = \".preface\" }`, or `extends = \"default\"`"));
        };
        let global = match &home.global {
            OneOrMany::One(one) => vec![one.clone()],
            OneOrMany::Many(many) => many.clone(),
        };
        if global.is_empty() || global.iter().any(|at| !at.starts_with("~/") && !at.starts_with("config:")) {
            return Err(self.error(&["home", "global"], "`home.global` takes `~/name` or `config:name`"));
        }
        let plain = !home.project.is_empty()
            && home.project.split(['/', '\\']).all(|word| !word.is_empty() && word != "." && word != "..");
        if !plain {
            return Err(
                self.error(&["home", "project"], "`home.project` is a directory below the working directory")
            );
        }
        let Written { project, flat_extensions, variable, .. } = home;
        Ok(Home { global, project, flat_extensions, variable })
    }

    fn trust(&mut self) -> Result<TrustMode, ProfileError> {
        #[derive(Deserialize, Default)]
        #[serde(deny_unknown_fields)]
        struct Written {
            mode: TrustMode,
        }
        Ok(self.take_or::<Written>("trust")?.mode)
    }

    fn own_tags(&mut self) -> Result<OwnTags, ProfileError> {
        let names: Vec<String> = self.take_or("own_tags")?;
        if let Some(name) = names.iter().find(|name| !OwnTags::is_name(name)) {
            return Err(self.error(&["own_tags"], format!("not the name of a tag: `{name}`")));
        }
        let of_sections = self.take_or("section_tags")?;
        Ok(OwnTags { names, of_sections, neutralise: self.take_or("neutralise_tags")? })
    }

    /// The options with a value, and the names of those without.
    fn options(&mut self) -> Result<(BTreeMap<String, String>, Vec<String>), ProfileError> {
        let mut options = BTreeMap::new();
        let mut unset = Vec::new();
        self.options = self.take_table("options")?;
        for (name, value) in &self.options {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Integer(number) => number.to_string(),
                Value::Boolean(yes) => yes.to_string(),
                // One line each.
                Value::Array(list) if list.iter().all(Value::is_str) => {
                    list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
                }
                _ => {
                    return Err(self.error(
                        &["options", name],
                        "an option is a string, a number, a boolean or a list of strings",
                    ));
                }
            };
            // An empty option is an option that is not set: its fact does not exist.
            if text.is_empty() || text == "false" {
                unset.push(name.clone());
            } else {
                options.insert(name.clone(), text);
            }
        }
        Ok((options, unset))
    }

    fn guidelines(&mut self) -> Result<Vec<Guideline>, ProfileError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            when: Option<Condition>,
            text: String,
            #[serde(default)]
            last: bool,
            /// The rules of the caller stand here instead.
            #[serde(default)]
            rules: bool,
        }
        let written: Vec<Written> = self.take_or("guideline")?;
        let mut rules: Option<Vec<Written>> = self.take("rules")?;
        let mut lines = Vec::with_capacity(written.len());
        for (at, line) in written.into_iter().enumerate() {
            let (key, instead) = match rules.take_if(|_| line.rules) {
                Some(rules) => ("rules", rules.into_iter().enumerate().collect()),
                None => ("guideline", vec![(at, line)]),
            };
            lines.extend(instead.into_iter().map(|(at, line)| Guideline {
                when: line.when,
                text: self.literal(line.text, &format!("{key}.{at}")),
                last: line.last,
            }));
        }
        match rules {
            Some(rules) if !rules.is_empty() => {
                let error = self.error(&["rules"], "this profile has no place for `rules`");
                Err(error.help("mark the guideline that they replace with `rules = true`"))
            }
            _ => Ok(lines),
        }
    }

    fn frame(&mut self) -> Result<Option<Frame>, ProfileError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            prefix: String,
            suffix: String,
        }
        let frame: Option<Written> = self.take("frame")?;
        Ok(frame.map(|Written { prefix, suffix }| Frame {
            prefix: self.literal(prefix, "frame.prefix"),
            suffix: self.literal(suffix, "frame.suffix"),
        }))
    }

    /// The value of a provider's option: what the profile writes, or the profile's option that it names
    /// (`paths = { option = "skill_paths" }`).
    fn provider_option(&self, path: &[&str], value: Value) -> Result<serde_json::Value, ProfileError> {
        let named = match &value {
            Value::Table(table) if table.len() == 1 => table.get("option").and_then(Value::as_str),
            _ => None,
        };
        let value = match named {
            Some(name) => self
                .options
                .get(name)
                .ok_or_else(|| self.error(path, format!("this profile has no option `{name}`")))?
                .clone(),
            None => value,
        };
        serde_json::to_value(&value).map_err(|error| self.error(path, error.to_string()))
    }

    /// The chosen order, with the sections that say `after` or `before` put in their place.
    fn order(&mut self, sections: &Table, remove: &[String]) -> Result<Vec<String>, ProfileError> {
        let chosen: String = self.take("order")?.unwrap_or_else(|| "main".to_owned());
        let orders: BTreeMap<String, Vec<String>> = self.take_or("orders")?;
        let mut order = match orders.get(&chosen) {
            Some(order) => order.clone(),
            None if orders.is_empty() => Vec::new(),
            None => {
                let names: Vec<&str> = orders.keys().map(String::as_str).collect();
                let error = self.error(&["orders"], format!("unknown order: `{chosen}`"));
                return Err(error.help(format!("orders are {}", quoted(&names))));
            }
        };
        order.retain(|id| !remove.contains(id));
        let mut known = BTreeSet::new();
        for id in &order {
            if !known.insert(id.as_str()) {
                return Err(self.error(&["orders", &chosen], format!("the order names `{id}` twice")));
            }
        }
        let mut waiting = Vec::new();
        for (id, table) in sections {
            let Some(table) = table.as_table() else {
                return Err(self.error(&["section", id], "a section must be a table"));
            };
            let places: Vec<&str> = PLACE.into_iter().filter(|key| table.contains_key(*key)).collect();
            let key = match places.as_slice() {
                [] => continue,
                [key] => *key,
                _ => {
                    return Err(self
                        .error(&["section", id], format!("section `{id}` has two places"))
                        .help("give it `after` or `before`, not both"));
                }
            };
            match table.get(key).and_then(Value::as_str) {
                Some(anchor) => waiting.push((id.as_str(), key, anchor)),
                None => return Err(self.error(&["section", id, key], format!("`{key}` names a section"))),
            }
        }
        order.retain(|known| !waiting.iter().any(|(id, ..)| id == known));
        self.place(&mut order, waiting)?;
        Ok(order)
    }

    /// Puts each section next to the one that it names, which may itself be waiting. Those behind the same one stand in
    /// the order of their names.
    fn place(
        &self,
        order: &mut Vec<String>,
        mut waiting: Vec<(&str, &str, &str)>,
    ) -> Result<(), ProfileError> {
        let mut behind: Vec<(&str, &str)> = Vec::new();
        while !waiting.is_empty() {
            let before = waiting.len();
            let mut still = Vec::new();
            for (id, key, anchor) in waiting {
                let Some(at) = order.iter().position(|known| known == anchor) else {
                    still.push((id, key, anchor));
                    continue;
                };
                let at = if key == "after" {
                    behind.push((id, anchor));
                    let mates =
                        order[at + 1..].iter().take_while(|known| behind.contains(&(known.as_str(), anchor)));
                    at + 1 + mates.count()
                } else {
                    at
                };
                order.insert(at, id.to_owned());
            }
            waiting = still;
            if waiting.len() == before {
                let ids: Vec<&str> = waiting.iter().map(|(id, ..)| *id).collect();
                let Some((id, key, anchor)) =
                    waiting.iter().copied().find(|(.., anchor)| !ids.contains(anchor))
                else {
                    let (id, key, _) = waiting[0];
                    let what =
                        format!("sections are placed next to each other in a circle: {}", quoted(&ids));
                    return Err(self.error(&["section", id, key], what));
                };
                let error = self.error(&["section", id, key], format!("unknown section: `{anchor}`"));
                return Err(match did_you_mean(anchor, order.iter().map(String::as_str)) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error.help("the section must be part of the order".to_owned()),
                });
            }
        }
        Ok(())
    }

    fn section(&self, id: &str, value: Value, file: &mut Texts<'_>) -> Result<Section, ProfileError> {
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct Written {
            between: Option<String>,
            cut: CutRule,
            empty: Option<String>,
            file: Option<String>,
            fill: Option<ProviderName>,
            framed: Option<bool>,
            item: Option<String>,
            keep_blank: bool,
            language: Language,
            last: bool,
            list: Option<ListName>,
            max_tokens: Option<usize>,
            prefix: Option<String>,
            priority: Option<i64>,
            project: bool,
            say: Vec<Say>,
            seam: bool,
            skip_silent: bool,
            stability: Option<Stability>,
            suffix: Option<String>,
            text: Option<String>,
            trim: Trim,
            watch_tags: bool,
            when: Option<Condition>,
        }
        if !SectionId::is_valid(id) {
            return Err(self.error(&["section", id], format!("not a section id: `{id}`")));
        }
        let Value::Table(mut table) = value else {
            return Err(self.error(&["section", id], "a section must be a table"));
        };
        let mut options = BTreeMap::new();
        let foreign: Vec<String> =
            table.keys().filter(|key| !SECTION_KEYS.contains(&key.as_str())).cloned().collect();
        for key in foreign {
            if !table.contains_key("fill") {
                let error = self.error(&["section", id, &key], format!("unknown key: `{key}`"));
                return Err(match did_you_mean(&key, SECTION_KEYS) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => error.help(format!("keys of a section are {}", quoted(&SECTION_KEYS))),
                });
            }
            if let Some(value) = table.remove(&key) {
                let value = self.provider_option(&["section", id, &key], value)?;
                options.insert(key, value);
            }
        }
        let bodies: Vec<&str> = BODY.into_iter().filter(|key| table.contains_key(*key)).collect();
        if bodies.len() != 1 {
            let error = self
                .error(&["section", id], format!("section `{id}` needs one body, and has {}", bodies.len()));
            return Err(error.help(format!("give it one of {}", quoted(&BODY))));
        }
        let written: Written = self.typed(&["section", id], Value::Table(table))?;
        let piece = |text: Option<String>, key: &str| {
            text.map(|text| self.literal(text, &format!("section.{id}.{key}")))
        };
        let body = if let Some(text) = written.text {
            Body::Text(vec![self.literal(text, &format!("section.{id}.text"))])
        } else if let Some(path) = &written.file {
            let giver = self.givers.of(&format!("section.{id}.file"));
            let raw = giver.and_then(|giver| self.chain.get(giver.raw));
            let raw = raw.or(self.chain.last()).ok_or_else(|| self.error(&["section", id], "no profile"))?;
            Body::Text(file(raw, path).map_err(|why| {
                self.error(&["section", id, "file"], format!("cannot read `{path}`: {why}"))
            })?)
        } else if let Some(provider) = written.fill {
            Body::Fill(provider)
        } else {
            Body::List(written.list.unwrap_or(ListName::Tools))
        };
        Ok(Section {
            id: SectionId::new(id),
            body,
            language: written.language,
            when: written.when,
            prefix: piece(written.prefix, "prefix"),
            suffix: piece(written.suffix, "suffix"),
            item: piece(written.item, "item"),
            between: piece(written.between, "between"),
            seam: written.seam,
            empty: piece(written.empty, "empty"),
            trim: written.trim,
            keep_blank: written.keep_blank,
            stability: written.stability,
            priority: written.priority.unwrap_or(DEFAULT_PRIORITY),
            max_tokens: written.max_tokens,
            cut: written.cut,
            last: written.last,
            watch_tags: written.watch_tags,
            project: written.project,
            say: written.say,
            skip_silent: written.skip_silent,
            framed: written.framed.unwrap_or(true),
            options,
        })
    }

    fn groups(&mut self, order: &[String]) -> Result<Vec<Group>, ProfileError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            members: Vec<String>,
            replace: Vec<Candidate>,
            #[serde(default)]
            win: Win,
            #[serde(default)]
            language: Language,
            framed: Option<bool>,
        }
        let mut groups = Vec::new();
        for (id, value) in self.take_table("group")? {
            let written: Written = self.typed(&["group", &id], value)?;
            // A member that the chosen order leaves out has nothing to give way with.
            let members: Vec<SectionId> =
                written.members.iter().filter(|member| order.contains(member)).map(SectionId::new).collect();
            groups.push(Group {
                id: SectionId::new(id),
                members,
                replace: written.replace,
                win: written.win,
                language: written.language,
                framed: written.framed.unwrap_or(true),
            });
        }
        Ok(groups)
    }
}

fn table<const N: usize>(entries: [(&str, Value); N]) -> Table {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// True for what somebody writes who means `true` or `false`, and which is neither.
fn is_almost_a_truth(value: &str) -> bool {
    let word = value.trim().to_ascii_lowercase();
    match word.as_str() {
        "true" | "false" => value != word,
        word => ["yes", "no", "on", "off", "1", "0"].contains(&word),
    }
}
