//! Sections, groups and guidelines: from tables to what compose reads.

use super::{ProfileBuilder, TextLoader};
use crate::{
    attachment::AttachmentPlace,
    condition::Condition,
    origin::Piece,
    profile::{
        Guideline, ProfileError, PromptNames, ReplacementRule, ReplacementSource, SectionFrame, SectionGroup,
        overlay::BODY,
    },
    section::{
        CutRule, DEFAULT_PRIORITY, Language, ListName, ProviderName, Section, SectionBody, SectionId,
        ToolLineSource, TrimMode,
    },
    suggestion::{did_you_mean, quoted, suggest_or},
    variable::Stability,
};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use toml::Value;

/// The keys of a section that are not options of its provider.
pub const SECTION_KEYS: [&str; 30] = [
    "after",
    "before",
    "between",
    "catalog",
    "cut",
    "empty",
    "file",
    "fill",
    "framed",
    "intro",
    "item",
    "keep_blank",
    "language",
    "last",
    "list",
    "max_tokens",
    "merge_into",
    "place",
    "prefix",
    "priority",
    "project",
    "line",
    "seam",
    "skip_without_line",
    "stability",
    "suffix",
    "text",
    "trim",
    "watch_tags",
    "when",
];

/// The place where a section is included: the system prompt or a message.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SectionPlace {
    #[default]
    System,
    FirstUser,
    LastUser,
}

impl SectionPlace {
    fn attachment(self) -> Option<AttachmentPlace> {
        match self {
            SectionPlace::System => None,
            SectionPlace::FirstUser => Some(AttachmentPlace::FirstUser),
            SectionPlace::LastUser => Some(AttachmentPlace::LastUser),
        }
    }
}

impl ProfileBuilder<'_> {
    pub(super) fn guidelines(&mut self) -> Result<Vec<Guideline>, ProfileError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct GuidelineToml {
            when: Option<Condition>,
            text: String,
            #[serde(default)]
            last: bool,
            /// The rules of the caller are here instead.
            #[serde(default)]
            rules: bool,
        }
        let written: Vec<GuidelineToml> = self.take_or("guideline")?;
        let mut rules: Option<Vec<GuidelineToml>> = self.take("rules")?;
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

    pub(super) fn frame(&mut self) -> Result<Option<SectionFrame>, ProfileError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct FrameToml {
            prefix: String,
            suffix: String,
        }
        let frame: Option<FrameToml> = self.take("frame")?;
        Ok(frame.map(|FrameToml { prefix, suffix }| SectionFrame {
            prefix: self.literal(prefix, "frame.prefix"),
            suffix: self.literal(suffix, "frame.suffix"),
        }))
    }

    /// The value of a provider's option: what the profile writes, or the profile's option that it names
    /// (`paths = { option = "skill_paths" }`).
    pub(super) fn provider_option(
        &self,
        path: &[&str],
        value: Value,
    ) -> Result<serde_json::Value, ProfileError> {
        let named = match &value {
            Value::Table(table) if table.len() == 1 => table.get("option").and_then(Value::as_str),
            _ => None,
        };
        let value = match named {
            Some(name) => self
                .options
                .get(name)
                .ok_or_else(|| {
                    let path = [path, &["option"]].concat();
                    let names = self.options.keys().map(String::as_str);
                    self.value_error(&path, format!("this profile has no option `{name}`")).near(name, names)
                })?
                .clone(),
            None => value,
        };
        serde_json::to_value(&value).map_err(|error| self.error(path, error.to_string()))
    }

    pub(super) fn section(
        &self,
        id: &str,
        value: Value,
        file: &mut TextLoader<'_>,
    ) -> Result<Section, ProfileError> {
        #[derive(Deserialize, Default)]
        #[serde(default)]
        struct SectionToml {
            after: Option<SectionId>,
            before: Option<SectionId>,
            between: Option<String>,
            catalog: PromptNames,
            cut: CutRule,
            empty: Option<String>,
            file: Option<String>,
            fill: Option<ProviderName>,
            framed: Option<bool>,
            intro: Option<String>,
            item: Option<String>,
            keep_blank: bool,
            language: Language,
            last: bool,
            list: Option<ListName>,
            max_tokens: Option<usize>,
            merge_into: Option<SectionId>,
            place: SectionPlace,
            prefix: Option<String>,
            priority: Option<i64>,
            project: bool,
            line: Vec<ToolLineSource>,
            seam: bool,
            skip_without_line: bool,
            stability: Option<Stability>,
            suffix: Option<String>,
            text: Option<String>,
            trim: TrimMode,
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
                return Err(error.help(suggest_or(&key, SECTION_KEYS, || {
                    format!("keys of a section are {}", quoted(SECTION_KEYS))
                })));
            }
            if let Some(value) = table.remove(&key) {
                let value = self.provider_option(&["section", id, &key], value)?;
                options.insert(key, value);
            }
        }
        let bodies: Vec<&str> = BODY.into_iter().filter(|key| table.contains_key(*key)).collect();
        // A section of a catalog needs no text of its own.
        if bodies.len() != 1 && !(bodies.is_empty() && table.contains_key("catalog")) {
            let message = if bodies.is_empty() {
                format!("section `{id}` has no text")
            } else {
                format!("section `{id}` takes one of {}, and has {}", quoted(BODY), quoted(&bodies))
            };
            let error = self.error(&["section", id], message);
            let tables = self.chain.iter().filter_map(|raw| raw.table.get("section")?.as_table());
            let others =
                tables.flat_map(|table| table.keys()).map(String::as_str).filter(|other| *other != id);
            return Err(match did_you_mean(id, others).filter(|_| bodies.is_empty()) {
                Some(near) => error.help(format!("did you mean `section.{near}`?")),
                None if bodies.is_empty() => error.help(format!("give it one of {}", quoted(BODY))),
                None => error.help("keep one of them"),
            });
        }
        let written: SectionToml = self.deserialize(&["section", id], Value::Table(table))?;
        let piece = |text: Option<String>, key: &str| {
            text.map(|text| self.literal(text, &format!("section.{id}.{key}")))
        };
        // Without a form of its own an item of a list is a line.
        let (line, end) = match written.list {
            Some(ListName::Tools) => {
                (Some("- [item:name][if item:snippet]: [item:snippet][endif]"), Some("\n"))
            }
            Some(ListName::Guidelines) => (Some("- [item:text]"), Some("\n")),
            None => (None, None),
        };
        let or =
            |written: Option<String>, default: Option<&str>| written.or_else(|| default.map(str::to_owned));
        let body = if let Some(text) = written.text {
            SectionBody::Text(vec![self.literal(text, &format!("section.{id}.text"))])
        } else if let Some(path) = &written.file {
            SectionBody::Text(self.file(&["section", id, "file"], path, file)?)
        } else if let Some(provider) = written.fill {
            SectionBody::Fill(provider)
        } else if let Some(list) = written.list {
            SectionBody::List(list)
        } else {
            SectionBody::Text(Vec::new())
        };
        Ok(Section {
            id: SectionId::new(id),
            body,
            catalog: written.catalog.0,
            language: written.language,
            when: written.when,
            intro: written
                .intro
                .map(|named| self.intro(&["section", id, "intro"], &named, file))
                .transpose()?,
            prefix: piece(written.prefix, "prefix"),
            suffix: piece(written.suffix, "suffix"),
            item: piece(or(written.item, line), "item"),
            between: piece(or(written.between, end), "between"),
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
            line: written.line,
            skip_without_line: written.skip_without_line,
            framed: written.framed.unwrap_or(true),
            merge_into: written.merge_into,
            place: written.place.attachment(),
            options,
            beside: written.after.or(written.before),
        })
    }

    /// Reads a file that the profile names at this key.
    pub(super) fn file(
        &self,
        path: &[&str],
        named: &str,
        file: &mut TextLoader<'_>,
    ) -> Result<Vec<Piece>, ProfileError> {
        let raw = self.givers.of(&path.join(".")).and_then(|giver| self.chain.get(giver.raw));
        let raw = raw.or(self.chain.last()).ok_or_else(|| self.error(path, "no profile"))?;
        file(raw, named).map_err(|why| self.value_error(path, format!("cannot read `{named}`: {why}")))
    }

    /// The words before a section, from a file. Its last line end is not part of them.
    fn intro(&self, path: &[&str], named: &str, file: &mut TextLoader<'_>) -> Result<Piece, ProfileError> {
        let pieces = self.file(path, named, file)?;
        let [piece] = pieces.as_slice() else {
            return Err(self.value_error(path, format!("`{named}` is empty or not UTF-8")));
        };
        let kept = piece.text.trim_end_matches(['\n', '\r']).len();
        Ok(Piece { text: piece.text[..kept].to_owned(), origin: piece.origin.part(&(0..kept)) })
    }

    /// Checks that a section is merged only into one that is always included, so that it is never lost.
    pub(super) fn merges(&self) -> Result<(), ProfileError> {
        let sections = self.table.get("section").and_then(Value::as_table);
        for (id, table) in sections.into_iter().flatten() {
            let Some(into) = table.get("merge_into").and_then(Value::as_str) else { continue };
            let path = ["section", id, "merge_into"];
            let Some(target) = sections.and_then(|sections| sections.get(into)) else {
                let names = sections.into_iter().flat_map(|table| table.keys()).map(String::as_str);
                return Err(self.value_error(&path, format!("unknown section: `{into}`")).near(into, names));
            };
            if table.get("when").or(target.get("when")).is_some() {
                let what = format!("`{id}` is in `{into}`, so neither may have a condition");
                return Err(self.error(&path, what));
            }
        }
        Ok(())
    }

    pub(super) fn groups(
        &mut self,
        order: &[String],
        known: &BTreeSet<&str>,
    ) -> Result<Vec<SectionGroup>, ProfileError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct GroupToml {
            members: Vec<String>,
            replace: Vec<ReplacementSource>,
            #[serde(default)]
            win: ReplacementRule,
            #[serde(default)]
            language: Language,
            framed: Option<bool>,
        }
        let mut groups = Vec::new();
        for (id, value) in self.take_table("group")? {
            let written: GroupToml = self.deserialize(&["group", &id], value)?;
            for (at, member) in written.members.iter().enumerate() {
                if !known.contains(member.as_str()) {
                    let keys = ["group", &id, "members", &at.to_string()];
                    let error = self.error(&keys, format!("unknown section: `{member}`"));
                    return Err(error.near(member, known.iter().copied()));
                }
            }
            // A member that the chosen order leaves out has nothing to give way with.
            let members: Vec<SectionId> =
                written.members.iter().filter(|member| order.contains(member)).map(SectionId::new).collect();
            groups.push(SectionGroup {
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
