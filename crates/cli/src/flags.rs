//! Flags that several commands share, and what they ask of the engine.

use clap::{Args, ValueEnum};
use preface::{COUNTERS, Request, ToolChoice, TrustChoice, core::fact::VariableKey, host::places::HomeTrust};
use std::path::PathBuf;

use crate::{failure::CommandFailure, files, ui::Verbosity};

/// What is asked: the directory, the profile, the turn. One for every command that builds.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What to build")]
pub struct TurnFlags {
    /// Work in DIR instead of the current directory
    #[arg(short = 'C', value_name = "DIR")]
    pub directory: Option<PathBuf>,

    /// Use a preset, or a profile of yours, by its name
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,

    /// Use the profile in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    pub profile: Option<PathBuf>,

    /// Follow links of the project to PATH, a file or a directory outside of it; give it again for more
    ///
    /// A link of a project is followed inside of the project only. The setting `trust.follow` of your own settings lists
    /// paths for every call.
    #[arg(long, value_name = "PATH")]
    pub follow: Vec<PathBuf>,

    /// Read files that a template names, and files of the project, in DIR and below alone; give it again for more
    ///
    /// Without it `[file:/absolute/path]` reads any file that you can read. Your own configuration is read wherever it
    /// lies.
    #[arg(long, value_name = "DIR", value_parser = crate::roots::parse)]
    pub root: Vec<PathBuf>,

    /// Name the model that will read the prompt
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,

    /// Build the prompt of an agent instead of the main conversation's
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,

    /// Name the active tools, separated by commas, or `none`
    ///
    /// Without it the profile decides. A name that preface does not know stays as a bare tool, with a warning.
    #[arg(long, value_name = "NAMES", value_parser = ToolNames::parse)]
    pub tools: Option<ToolNames>,

    /// Name the conversation
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,

    /// Build for this instant, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "RFC3339")]
    pub now: Option<String>,

    /// Tell times in this zone, such as Europe/Berlin
    #[arg(long, value_name = "ZONE")]
    pub tz: Option<String>,

    /// Choose who counts tokens: an estimate, or the vocabulary of a model such as `o200k`
    #[arg(long, value_name = "COUNTER", long_help = counters())]
    pub count: Option<String>,

    /// Limit the whole prompt to N tokens
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub budget: Option<usize>,

    /// Set a setting or an option of the profile, for this call
    ///
    /// A path such as `budget.tokens` or `systemPrompt.append` is a setting; a plain word such as `order` is an option of
    /// the profile. Settings that are lists or tables are given as JSON, and so are `rules` and `tool_texts`; another option
    /// that is a list takes one value each time.
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    /// Give a fact a value, or take it away with a name alone
    ///
    /// The value is everything after the first `=`.
    #[arg(long, value_name = "TYPE:NAME[=VALUE]", value_parser = fact)]
    pub fact: Vec<(VariableKey, Option<String>)>,

    /// Use HOME, XDG_CONFIG_HOME and PREFACE_HOME as they are, even inside of the project
    ///
    /// Without it, a directory that could have come with the project is not taken for yours, unless it is the home directory
    /// of your account.
    #[arg(long)]
    pub trust_home: bool,
}

/// Returns the help of `--count`, from the counters themselves.
fn counters() -> String {
    let mut help = "Choose who counts tokens, in what is shown and for limits\n\n\
        Without it the profile decides; else it is `estimate`, short for `estimate:bytes4`.\n"
        .to_owned();
    for counter in COUNTERS.names().into_iter().filter_map(|name| COUNTERS.get(name)) {
        help.push_str(&format!("\n  {:<21}  {}", counter.name(), counter.about()));
    }
    help
}

impl TurnFlags {
    /// Returns what is asked, in the engine's words. Trust is as recorded.
    pub fn request(&self) -> Request {
        Request {
            cwd: self.directory.clone(),
            preset: self.preset.clone(),
            profile: self.profile.clone(),
            follow: self.follow.clone(),
            roots: (!self.root.is_empty()).then(|| self.root.clone()),
            model: self.model.clone(),
            conversation: self.conversation.clone(),
            agent: self.agent.clone(),
            tools: self
                .tools
                .clone()
                .map_or(ToolChoice::Profile, |ToolNames(names)| ToolChoice::Named(names)),
            now: self.now.clone(),
            zone: self.tz.clone(),
            budget: self.budget,
            counter: self.count.clone(),
            facts: self.fact.iter().cloned().collect(),
            sets: self.set.clone(),
            trust: TrustChoice::Ask,
            home_trust: home_trust(self.trust_home),
            ..Request::default()
        }
    }
}

/// Where to look: the directory and the profile. For commands that build nothing.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Where to look")]
pub struct PlaceFlags {
    /// Work in DIR instead of the current directory
    #[arg(short = 'C', value_name = "DIR")]
    pub directory: Option<PathBuf>,

    /// Use the directories of a preset, or of a profile of yours, by its name
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,

    /// Use the directories of the profile in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    pub profile: Option<PathBuf>,

    /// Use HOME, XDG_CONFIG_HOME and PREFACE_HOME as they are, even inside of the project
    ///
    /// Without it, a directory that could have come with the project is not taken for yours, unless it is the home directory
    /// of your account.
    #[arg(long)]
    pub trust_home: bool,

    /// Follow links of the project to PATH, a file or a directory outside of it; give it again for more
    #[arg(long, value_name = "PATH")]
    pub follow: Vec<PathBuf>,
}

impl PlaceFlags {
    /// Returns what is asked, in the engine's words. Trust is as recorded.
    pub fn request(&self) -> Request {
        Request {
            cwd: self.directory.clone(),
            preset: self.preset.clone(),
            profile: self.profile.clone(),
            home_trust: home_trust(self.trust_home),
            follow: self.follow.clone(),
            ..Request::default()
        }
    }
}

/// Returns what `--trust-home` stands for.
pub fn home_trust(flag: bool) -> HomeTrust {
    if flag { HomeTrust::Anywhere } else { HomeTrust::OutsideProject }
}

/// How project text is trusted in this call.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Trust")]
pub struct TrustFlags {
    /// Say how text of the project is trusted in this call
    #[arg(long, value_name = "HOW", value_enum)]
    pub trust: Option<TrustFlag>,

    /// Trust what FILE of `preface trust export` pins, too
    #[arg(long, value_name = "FILE")]
    pub trust_pins: Option<PathBuf>,
}

/// What `--trust` can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TrustFlag {
    /// What is recorded counts; on a terminal, ask about the rest
    Ask,
    /// Everything speaks, this once
    Once,
    /// Nothing of the project speaks
    Deny,
    /// What is recorded counts; fail if anything is held
    Require,
}

impl TrustFlags {
    /// Adds what is said about trust to what is asked.
    pub fn apply(&self, request: &mut Request) -> Result<(), CommandFailure> {
        request.trust = match self.trust {
            None | Some(TrustFlag::Ask) => TrustChoice::Ask,
            Some(TrustFlag::Once) => TrustChoice::Once,
            Some(TrustFlag::Deny) => TrustChoice::Deny,
            Some(TrustFlag::Require) => TrustChoice::Require,
        };
        request.pins = match &self.trust_pins {
            Some(file) => Some(files::read(file)?),
            None => None,
        };
        Ok(())
    }
}

/// How much is said beside the result.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Notes")]
pub struct VerbosityFlags {
    /// Say nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Show every note in full, with its place
    #[arg(short, long)]
    pub verbose: bool,
}

impl VerbosityFlags {
    /// Returns how much the person wants to hear.
    pub fn talk(self) -> Verbosity {
        match self {
            VerbosityFlags { quiet: true, .. } => Verbosity::Quiet,
            VerbosityFlags { verbose: true, .. } => Verbosity::All,
            VerbosityFlags { .. } => Verbosity::Usual,
        }
    }
}

/// Text for people or one JSON document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people and pipes
    #[default]
    Text,
    /// One JSON document
    Json,
}

/// The names of tools: `read,bash`, or `none`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolNames(pub Vec<String>);

impl ToolNames {
    /// Reads the names; empty ones do not count.
    pub fn parse(text: &str) -> Result<Self, String> {
        let names: Vec<String> =
            text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        match names.as_slice() {
            [] => Err("name a tool, or `none`".to_owned()),
            [none] if none == "none" => Ok(ToolNames(Vec::new())),
            names if names.iter().any(|name| name == "none") => Err("`none` stands alone".to_owned()),
            _ => Ok(ToolNames(names)),
        }
    }
}

/// Reads `type:name=value`, or `type:name` for a fact that is taken away.
fn fact(text: &str) -> Result<(VariableKey, Option<String>), String> {
    let (key, value) = match text.split_once('=') {
        Some((key, value)) => (key, Some(value.to_owned())),
        None => (text, None),
    };
    let key: VariableKey =
        key.parse().map_err(|error: preface::core::fact::FactKeyError| error.to_string())?;
    Ok((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_split_at_the_first_sign() {
        assert_eq!(fact("git:branch=a=b"), Ok((VariableKey::new("git", "branch"), Some("a=b".into()))));
        assert_eq!(fact("git:branch="), Ok((VariableKey::new("git", "branch"), Some(String::new()))));
        assert_eq!(fact("git:branch"), Ok((VariableKey::new("git", "branch"), None)));
        assert_eq!(fact("branch"), Err("not a fact name (`type:name`): `branch`".into()));
    }

    #[test]
    fn tools_are_names_or_none() {
        assert_eq!(ToolNames::parse("read, bash,"), Ok(ToolNames(vec!["read".into(), "bash".into()])));
        assert_eq!(ToolNames::parse("none"), Ok(ToolNames(Vec::new())));
        assert!(ToolNames::parse("read,none").is_err());
        assert!(ToolNames::parse("").is_err());
    }
}
