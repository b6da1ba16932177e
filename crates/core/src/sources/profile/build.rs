//! From a chain of raw profiles to one resolved profile. After this every section exists, every text is present.

mod catalog;
mod inputs;
mod options;
mod order;
mod sections;
mod tool_texts;

pub use sections::SECTION_KEYS;

use super::{
    Compaction, CompactionAction, DEFAULT_JOIN, EngineTags, PartOrder, Profile, ProfileDirs, ProfileError,
    RawProfile, SnippetSource,
    overlay::{KeySource, KeySources, overlay},
    raw::EntryPart,
};
use crate::{
    message::MessageForms,
    origin::{LiteralSource, Origin, Piece},
    section::SectionId,
    suggestion::{did_you_mean_in, quoted, suggest_or},
    trust::TrustMode,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_path_to_error::Segment;
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

/// A profile option that the caller sets: `variant=0.58`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Setting {
    /// The option's name.
    pub key: String,
    /// The value of the option, as written.
    pub value: String,
}

/// Finds the text that a profile names: the profile, and the path as written.
pub type TextLoader<'f> = dyn FnMut(&RawProfile, &str) -> Result<Vec<Piece>, String> + 'f;

/// Builds a profile from a chain (the extended ones first), options, and the files that sections name.
///
/// `file` returns the text of a `file = "…"` key: the path as written and the profile that wrote it.
///
/// # Errors
/// Unknown keys, sections, orders, variants and options, values of the wrong type, files that cannot be read; each
/// with its place in the file.
pub fn build(
    chain: &[RawProfile],
    settings: &[Setting],
    file: &mut TextLoader<'_>,
) -> Result<Profile, ProfileError> {
    // The texts around messages are set one by one, over those that preface has.
    let forms = BTreeMap::from([("messages", MessageForms::default())]);
    let mut builder = ProfileBuilder {
        chain,
        givers: KeySources::default(),
        table: Table::try_from(forms).unwrap_or_default(),
        options: Table::new(),
        given: BTreeMap::new(),
        agent: None,
        only_agents: Vec::new(),
        overlays: Vec::new(),
    };
    for (at, raw) in chain.iter().enumerate() {
        let giver = KeySource { name: raw.name.as_str().into(), raw: at };
        overlay(&mut builder.table, raw.table.clone(), &mut builder.givers, &|_, _| giver.clone());
    }
    builder.apply(settings)?;
    builder.profile(file)
}

/// The keys of a profile's top level.
pub const KEYS: [&str; 50] = [
    "about",
    "added_after",
    "added_prefix",
    "agents",
    "append_id",
    "arrange",
    "bom",
    "budget",
    "bundle",
    "catalog",
    "closed",
    "compaction",
    "counter",
    "escape",
    "frame",
    "group",
    "guideline",
    "home",
    "join",
    "layer_tools",
    "mcp",
    "messages",
    "neutralise_tags",
    "option_dirs",
    "options",
    "order",
    "orders",
    "own_tags",
    "project_item",
    "rebuild",
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
    "texts_version",
    "tool_aliases",
    "tool_texts",
    "tools",
    "tools_apply",
    "trust",
    "variable_types",
    "variables",
    "variant",
    "variants",
];

struct ProfileBuilder<'a> {
    chain: &'a [RawProfile],
    givers: KeySources,
    table: Table,
    /// The values of all options, typed.
    options: Table,
    /// The values of the caller, by option.
    given: BTreeMap<String, Vec<String>>,
    /// The agent whose prompt is built.
    agent: Option<String>,
    /// The sections of an agent's prompt, where another one is built.
    only_agents: Vec<String>,
    /// The applied variants.
    overlays: Vec<String>,
}

impl ProfileBuilder<'_> {
    /// Points at a key in the last profile of the chain that has it.
    fn error(&self, path: &[&str], message: impl Into<String>) -> ProfileError {
        self.error_at(path, EntryPart::Key, message)
    }

    /// Points at the value of a key in the last profile of the chain that has it.
    fn value_error(&self, path: &[&str], message: impl Into<String>) -> ProfileError {
        self.error_at(path, EntryPart::Value, message)
    }

    fn error_at(&self, path: &[&str], part: EntryPart, message: impl Into<String>) -> ProfileError {
        let with = |path: &[&str]| self.chain.iter().rev().find(|raw| raw.place_of(path).span.is_some());
        let is_of_caller = self
            .givers
            .of(&path.join("."))
            .is_some_and(|giver| LiteralSource::of(&giver.name) == LiteralSource::Caller);
        let mut applied = self.overlays.iter().rev().filter(|_| !is_of_caller);
        let overlaid = applied.find_map(|name| {
            let path = [&["variants", name.as_str()][..], path].concat();
            Some((with(&path)?, path))
        });
        if let Some((raw, path)) = overlaid {
            return ProfileError { in_overlay: true, ..raw.error_at(&path, part, message) };
        }
        match with(path).or(self.chain.last()) {
            Some(raw) => raw.error_at(path, part, message),
            None => ProfileError {
                message: message.into(),
                place: Box::default(),
                help: Some("a profile chain must not be empty".into()),
                in_overlay: false,
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

    fn profile(mut self, file: &mut TextLoader<'_>) -> Result<Profile, ProfileError> {
        if let Some(key) = self.table.keys().find(|key| !KEYS.contains(&key.as_str())) {
            let error = self.error(&[key], format!("unknown key: `{key}`"));
            return Err(
                error.help(suggest_or(key, KEYS, || format!("keys of a profile are {}", quoted(KEYS))))
            );
        }
        self.merges()?;
        let (options, unset_options) = self.options()?;
        let catalog = self.catalog(&options, file)?;
        let mut profile = Profile {
            name: self.name().to_owned(),
            home: self.home()?,
            scaffold: self.take_or("scaffold")?,
            trust: self.trust()?,
            join: match self.take_literal("join")? {
                Some(join) => join,
                None => Piece { text: DEFAULT_JOIN.to_owned(), origin: Origin::bundled("join") },
            },
            seam: self.take_or("seam")?,
            about: self.take_or("about")?,
            tools: self.take_or("tools")?,
            messages: self.take_or("messages")?,
            template: self.take_or("template")?,
            variable_types: self.take_or("variable_types")?,
            variables: self.variables()?,
            budget: self.take_or("budget")?,
            budget_source: None,
            counter: self.take("counter")?,
            escape: self.take_or("escape")?,
            own_tags: self.own_tags()?,
            options,
            unset_options,
            option_sources: BTreeMap::new(),
            given: std::mem::take(&mut self.given),
            catalog,
            frame: self.frame()?,
            tool_aliases: self.take_or("tool_aliases")?,
            tool_texts: self.tool_texts(file)?,
            snippet_from: self.take("snippet_from")?.unwrap_or_else(SnippetSource::all),
            tools_apply: self.take_or("tools_apply")?,
            bom: self.take_or("bom")?,
            compaction: self.compaction(file)?,
            rebuild: self.take_or("rebuild")?,
            closed: self.take_or("closed")? || self.agent.is_some(),
            bundle: self.bundle()?,
            texts_version: self.take("texts_version")?,
            has_agents: self.table.contains_key("agents"),
            layer_tools: self.take_or("layer_tools")?,
            mcp: self.take_or("mcp")?,
            repeat_tools: self.take_or("repeat_tools")?,
            text_options: self.take_or("text_options")?,
            option_dirs: self.take_or("option_dirs")?,
            guidelines: self.guidelines()?,
            append_id: self.take("append_id")?,
            added_after: self.take("added_after")?,
            added_prefix: self.take_literal("added_prefix")?,
            project_item: self.take_literal("project_item")?.filter(|item| !item.text.is_empty()),
            arrange: PartOrder::default(),
            sections: Vec::new(),
            unordered: Vec::new(),
            removed: Vec::new(),
            groups: Vec::new(),
        };

        let remove: Vec<String> = self.take_or("remove")?;
        let mut tables = self.take_table("section")?;
        for (at, id) in remove.iter().enumerate() {
            if tables.remove(id).is_none() {
                let error = self.error(&["remove", &at.to_string()], format!("unknown section: `{id}`"));
                return Err(error.near(id, tables.keys().map(String::as_str)));
            }
        }
        let order = self.order(&tables, &remove, profile.added_after.as_ref())?;
        // The chosen order may have set it.
        profile.arrange = self.take_or("arrange")?;
        for id in &order {
            let Some(table) = tables.remove(id) else { continue };
            profile.sections.push(self.section(id, table, file)?);
        }
        let is_left_out = |id: &&String| !self.only_agents.contains(id);
        profile.unordered = tables.keys().filter(is_left_out).map(SectionId::new).collect();
        let known: BTreeSet<&str> =
            order.iter().chain(tables.keys()).chain(&remove).map(String::as_str).collect();
        if let Some(id) = profile.added_after.as_ref().filter(|id| !known.contains(id.as_str())) {
            let error = self.value_error(&["added_after"], format!("unknown section: `{id}`"));
            return Err(error.near(id.as_str(), known));
        }
        profile.groups = self.groups(&order, &known)?;
        profile.removed = remove.iter().map(SectionId::new).collect();
        if !profile.variables.is_empty() {
            self.check_tests(&profile)?;
        }
        Ok(profile)
    }

    /// Takes a typed key out of the table.
    fn take<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<T>, ProfileError> {
        self.table.remove(key).map(|value| self.deserialize(&[key], value)).transpose()
    }

    /// Takes a text out of the table, with its origin.
    fn take_literal(&mut self, key: &str) -> Result<Option<Piece>, ProfileError> {
        Ok(self.take(key)?.map(|text| self.literal(text, key)))
    }

    fn take_or<T: DeserializeOwned + Default>(&mut self, key: &str) -> Result<T, ProfileError> {
        Ok(self.take(key)?.unwrap_or_default())
    }

    fn deserialize<T: DeserializeOwned>(&self, path: &[&str], value: Value) -> Result<T, ProfileError> {
        serde_path_to_error::deserialize(value).map_err(|error| {
            let mut keys: Vec<String> = path.iter().map(|key| (*key).to_owned()).collect();
            keys.extend(error.path().iter().map_while(|segment| match segment {
                Segment::Map { key } => Some(key.clone()),
                Segment::Seq { index } => Some(index.to_string()),
                _ => None,
            }));
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            let name = match error.path().to_string().as_str() {
                "." => path.join("."),
                below if below.starts_with('[') => format!("{}{below}", path.join(".")),
                below => format!("{}.{below}", path.join(".")),
            };
            let message = error.inner().message().trim();
            let message_of = format!("`{name}`: {message}");
            let failure = if message.starts_with("unknown field ") {
                self.error(&keys, message_of)
            } else {
                self.value_error(&keys, message_of)
            };
            match did_you_mean_in(message) {
                Some(help) => failure.help(help),
                None => failure,
            }
        })
    }

    fn take_table(&mut self, key: &str) -> Result<Table, ProfileError> {
        match self.table.remove(key) {
            None => Ok(Table::new()),
            Some(Value::Table(table)) => Ok(table),
            Some(_) => Err(self.error(&[key], format!("`{key}` must be a table"))),
        }
    }

    fn home(&mut self) -> Result<ProfileDirs, ProfileError> {
        let Some(home) = self.take::<ProfileDirs>("home")? else { return Ok(ProfileDirs::default()) };
        let is_dir = |at: &String| at.starts_with("~/") || at.starts_with("config:");
        if home.global.is_empty() || !home.global.iter().all(is_dir) {
            return Err(
                self.value_error(&["home", "global"], "`home.global` takes `~/name` or `config:name`")
            );
        }
        let plain =
            |word: &str| word.split(['/', '\\']).all(|word| !word.is_empty() && word != "." && word != "..");
        if !home.project.as_deref().is_none_or(plain) {
            return Err(self.value_error(
                &["home", "project"],
                "`home.project` is a directory below the working directory",
            ));
        }
        Ok(home)
    }

    fn compaction(&mut self, file: &mut TextLoader<'_>) -> Result<Compaction, ProfileError> {
        #[derive(Deserialize, Default)]
        #[serde(deny_unknown_fields)]
        struct CompactionToml {
            #[serde(default)]
            prompt: CompactionAction,
            text: Option<String>,
            file: Option<String>,
        }
        let CompactionToml { prompt, text, file: path } = self.take_or("compaction")?;
        let instructions = match (text, path) {
            (Some(_), Some(_)) => {
                return Err(self.error(&["compaction"], "`compaction` takes `text` or `file`, not both"));
            }
            (Some(text), None) => text,
            (None, Some(path)) => {
                let pieces = self.file(&["compaction", "file"], &path, file)?;
                pieces.into_iter().map(|piece| piece.text).collect()
            }
            (None, None) => Compaction::BUNDLED.to_owned(),
        };
        Ok(Compaction { prompt, instructions: instructions.trim_end_matches('\n').to_owned() })
    }

    /// The embedded folder that holds more for this profile than its texts.
    fn bundle(&mut self) -> Result<Option<String>, ProfileError> {
        let bundle: Option<String> = self.take("bundle")?;
        match bundle {
            Some(name) if !SectionId::is_valid(&name) => {
                Err(self.value_error(&["bundle"], format!("not the name of a bundle: `{name}`")))
            }
            bundle => Ok(bundle),
        }
    }

    fn trust(&mut self) -> Result<TrustMode, ProfileError> {
        #[derive(Deserialize, Default)]
        #[serde(deny_unknown_fields)]
        struct TrustToml {
            mode: TrustMode,
        }
        Ok(self.take_or::<TrustToml>("trust")?.mode)
    }

    fn own_tags(&mut self) -> Result<EngineTags, ProfileError> {
        let names: Vec<String> = self.take_or("own_tags")?;
        if let Some((at, name)) = names.iter().enumerate().find(|(_, name)| !EngineTags::is_name(name)) {
            let path = ["own_tags", &at.to_string()];
            return Err(self.value_error(&path, format!("not the name of a tag: `{name}`")));
        }
        let of_sections = self.take_or("section_tags")?;
        Ok(EngineTags { names, of_sections, neutralise: self.take_or("neutralise_tags")? })
    }
}
