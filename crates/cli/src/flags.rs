//! Flags that several commands share, and the request that they make.

use clap::{Args, ValueEnum};
use preface_core::{declaration::VariableValue, variable::VariableKey};
use preface_engine::{
    BuildOptions, COUNTERS, ToolChoice, TrustChoice,
    host::{places::HomeTrust, trust::RootRecord},
};
use std::{
    path::{Path, PathBuf},
    sync::LazyLock,
    time::Duration,
};

pub use crate::ui::OutputFormat;
use crate::{
    complete,
    failure::{CommandFailure, CommandResult},
    files,
    ui::Verbosity,
};

/// The directory, the profile and the turn: for every command that builds.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What to build")]
pub struct TurnFlags {
    /// Work in DIR instead of the current directory
    #[arg(short = 'C', value_name = "DIR")]
    pub directory: Option<PathBuf>,

    /// Use the preset or your own profile NAME
    #[arg(long, value_name = "NAME", add = complete::presets())]
    pub preset: Option<String>,

    /// Use the profile in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    pub profile: Option<PathBuf>,

    /// Follow links that lead out of the project to PATH; repeat for more paths
    ///
    /// Without it links are followed inside the project only. The setting `trust.follow` in your own settings lists paths for
    /// every call.
    #[arg(long, value_name = "PATH")]
    pub follow: Vec<PathBuf>,

    /// Read project files and `[file:…]` only in DIR and below; repeat for more directories
    ///
    /// Without it `[file:/absolute/path]` reads any file that you can read. Your own configuration is always read.
    #[arg(long, value_name = "DIR", value_parser = crate::roots::parse)]
    pub root: Vec<PathBuf>,

    /// Build for this model
    #[arg(long, value_name = "NAME", add = complete::models())]
    pub model: Option<String>,

    /// Build the prompt of this agent instead of the main conversation's
    #[arg(long, value_name = "NAME", add = complete::agents())]
    pub agent: Option<String>,

    /// Activate these tools, separated by commas, or `none`
    ///
    /// Without it the profile decides. An unknown name becomes a tool without a description, with a warning.
    #[arg(long, value_name = "NAMES", add = complete::tools(), value_parser = ToolNames::parse)]
    pub tools: Option<ToolNames>,

    /// The preset of commands that add to an agent, where nothing chooses another one.
    #[arg(skip)]
    pub fallback_preset: Option<String>,

    /// Build for the conversation ID
    #[arg(long, value_name = "ID", add = complete::conversations())]
    pub conversation: Option<String>,

    /// Build for this time, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,

    /// Format times in this zone, such as Europe/Berlin
    #[arg(long, visible_alias = "tz", value_name = "ZONE")]
    pub time_zone: Option<String>,

    /// Count tokens with an estimate or with a model's vocabulary such as `o200k`
    #[arg(long, value_name = "NAME", long_help = TOKENIZERS.as_str(), add = complete::tokenizers())]
    pub tokenizer: Option<String>,

    /// Limit the whole prompt to N tokens
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub budget: Option<usize>,

    /// Set a setting or an option of the profile for this call
    ///
    /// A path such as `budget.tokens` or `systemPrompt.append` is a setting; a plain word such as `order` is an option of
    /// the profile. Lists and tables are written as JSON, and so are `rules` and `tool_texts`; repeat the flag to give
    /// another option that is a list more than one value.
    #[arg(long, value_name = "PATH=VALUE", add = complete::settings())]
    pub set: Vec<String>,

    /// Set a variable, or remove it if there is no `=VALUE`
    ///
    /// A list is written as JSON. `@FILE.json` reads the value, a text or a list, from a file.
    #[arg(long, value_name = "TYPE:NAME[=VALUE]", value_parser = variable, add = complete::variables())]
    pub variable: Vec<(VariableKey, Option<VariableValue>)>,

    /// Use HOME, XDG_CONFIG_HOME and PREFACE_HOME even if they lie in the project
    ///
    /// Without it a directory in the project is not read as your own configuration, unless it is the home directory of your
    /// account.
    #[arg(long)]
    pub trust_home: bool,
}

/// The help of `--tokenizer`, from the counters themselves.
static TOKENIZERS: LazyLock<String> = LazyLock::new(|| {
    let mut help = "Count tokens with this tokenizer, in output and for limits\n\n\
        Without it the profile decides. The default is `estimate`, short for `estimate:bytes4`.\n"
        .to_owned();
    for counter in COUNTERS.names().into_iter().filter_map(|name| COUNTERS.get(name)) {
        help.push_str(&format!("\n  {:<21}  {}", counter.name(), counter.about()));
    }
    help
});

impl TurnFlags {
    /// Returns the request. Trust is as recorded.
    pub fn request(&self) -> BuildOptions {
        BuildOptions {
            cwd: self.directory.clone(),
            preset: self.preset.clone(),
            fallback_preset: self.fallback_preset.clone(),
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
            zone: self.time_zone.clone(),
            budget: self.budget,
            counter: self.tokenizer.clone(),
            variables: self.variable.iter().cloned().collect(),
            sets: self.set.clone(),
            trust: TrustChoice::Ask,
            home_trust: home_trust(self.trust_home),
            ..BuildOptions::default()
        }
    }
}

/// The directory and the profile: for commands that build nothing.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Directory and profile")]
pub struct PlaceFlags {
    /// Work in DIR instead of the current directory
    #[arg(short = 'C', value_name = "DIR")]
    pub directory: Option<PathBuf>,

    /// Use the directories of the preset or your own profile NAME
    #[arg(long, value_name = "NAME", add = complete::presets())]
    pub preset: Option<String>,

    /// Use the directories of the profile in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    pub profile: Option<PathBuf>,

    /// Use HOME, XDG_CONFIG_HOME and PREFACE_HOME even if they lie in the project
    ///
    /// Without it a directory in the project is not read as your own configuration, unless it is the home directory of your
    /// account.
    #[arg(long)]
    pub trust_home: bool,

    /// Follow links that lead out of the project to PATH; repeat for more paths
    #[arg(long, value_name = "PATH")]
    pub follow: Vec<PathBuf>,
}

impl PlaceFlags {
    /// Returns the request. Trust is as recorded.
    pub fn request(&self) -> BuildOptions {
        BuildOptions {
            cwd: self.directory.clone(),
            preset: self.preset.clone(),
            profile: self.profile.clone(),
            home_trust: home_trust(self.trust_home),
            follow: self.follow.clone(),
            ..BuildOptions::default()
        }
    }
}

/// The directory as an argument: for commands whose subject is a directory.
#[derive(Args, Clone, Debug, Default)]
pub struct DirectoryArgument {
    /// Work in DIR instead of the current directory, as `-C` does
    #[arg(
        value_name = "DIR",
        conflicts_with = "directory",
        value_hint = clap::ValueHint::DirPath,
        help_heading = None::<&str>,
    )]
    pub dir: Option<PathBuf>,
}

impl DirectoryArgument {
    /// Returns the flags of a turn in this directory.
    pub fn apply(&self, turn: &TurnFlags) -> TurnFlags {
        let directory = self.dir.as_ref().or(turn.directory.as_ref()).cloned();
        TurnFlags { directory, ..turn.clone() }
    }
}

/// Returns the value of `--trust-home`.
pub fn home_trust(flag: bool) -> HomeTrust {
    if flag { HomeTrust::Anywhere } else { HomeTrust::OutsideProject }
}

/// The trust of project files in this call.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Trust")]
pub struct TrustFlags {
    /// Set which project files are trusted in this call
    #[arg(long, value_name = "MODE", value_enum)]
    pub trust: Option<TrustFlag>,

    /// Also trust the files that FILE of `preface trust export` pins
    #[arg(long, value_name = "FILE")]
    pub trust_pins: Option<PathBuf>,
}

/// The values of `--trust`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TrustFlag {
    /// Trust recorded files; on a terminal, ask about the others
    Ask,
    /// Trust every file in this call
    Once,
    /// Trust no file of the project
    Deny,
    /// Trust recorded files; fail if an untrusted file would be left out
    Require,
}

impl TrustFlags {
    /// Returns a request with the trust of these flags.
    pub fn apply(&self, request: BuildOptions) -> CommandResult<BuildOptions> {
        let trust = match self.trust {
            None | Some(TrustFlag::Ask) => TrustChoice::Ask,
            Some(TrustFlag::Once) => TrustChoice::Once,
            Some(TrustFlag::Deny) => TrustChoice::Deny,
            Some(TrustFlag::Require) => TrustChoice::Require,
        };
        Ok(BuildOptions { trust, pins: pins(self.trust_pins.as_deref())?, ..request })
    }
}

/// Reads the file of `--trust-pins`.
pub fn pins(file: Option<&Path>) -> CommandResult<Option<Vec<u8>>> {
    let Some(file) = file else { return Ok(None) };
    let bytes = files::read(file)?;
    match RootRecord::from_export(&bytes) {
        Ok(_) => Ok(Some(bytes)),
        Err(_) if bytes.is_empty() => Err(CommandFailure::new(format!("{} is empty", file.display()))
            .help("write the output to another file and rename it: a shell empties the file of `>` first")),
        Err(error) => Err(CommandFailure::new(format!("{}: {error}", file.display()))
            .help("`trust export` without `--trust-pins` writes such a file")),
    }
}

/// The amount of diagnostics on stderr.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Diagnostics")]
pub struct VerbosityFlags {
    /// Print errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print every diagnostic in full, with its location
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

impl From<VerbosityFlags> for Verbosity {
    fn from(flags: VerbosityFlags) -> Self {
        match flags {
            VerbosityFlags { quiet: true, .. } => Verbosity::Quiet,
            VerbosityFlags { verbose: true, .. } => Verbosity::All,
            VerbosityFlags { .. } => Verbosity::Usual,
        }
    }
}

/// The flags of every list.
#[derive(Args, Clone, Debug)]
pub struct ListingFlags {
    /// Set the output format; JSON includes what is not active
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    pub format: OutputFormat,

    #[command(flatten)]
    pub turn: TurnFlags,

    #[command(flatten)]
    pub trust: TrustFlags,
}

impl ListingFlags {
    /// Returns the question.
    pub fn request(&self) -> CommandResult<BuildOptions> {
        Ok(BuildOptions { default_on_error: true, ..self.trust.apply(self.turn.request())? })
    }
}

/// The names of tools: `read,bash`, or `none`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolNames(pub Vec<String>);

impl ToolNames {
    /// Reads the names and skips empty ones.
    pub fn parse(text: &str) -> Result<Self, String> {
        let names: Vec<String> =
            text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        match names.as_slice() {
            [] => Err("name at least one tool, or `none`".to_owned()),
            [none] if none == "none" => Ok(ToolNames(Vec::new())),
            names if names.iter().any(|name| name == "none") => {
                Err("`none` cannot be combined with names".to_owned())
            }
            _ => Ok(ToolNames(names)),
        }
    }
}

/// Reads `type:name=value`, or `type:name` for a variable that is removed.
fn variable(text: &str) -> Result<(VariableKey, Option<VariableValue>), String> {
    let (key, value) = match text.split_once('=') {
        Some((key, value)) => (key, Some(value)),
        None => (text, None),
    };
    let key: VariableKey =
        key.parse().map_err(|error: preface_core::variable::VariableKeyError| error.to_string())?;
    let file = value.and_then(|value| value.strip_prefix('@')).filter(|file| file.ends_with(".json"));
    let value = match file {
        Some(file) => {
            let bytes = files::read(Path::new(file)).map_err(|error| error.message().to_owned())?;
            let value =
                serde_json::from_slice(&bytes).map_err(|error| format!("{file} is no JSON: {error}"))?;
            Some(VariableValue::from_json(value).map_err(|error| format!("{file}: {error}"))?)
        }
        None => value.map(VariableValue::from),
    };
    Ok((key, value))
}

/// Reads a time of one unit, such as `30d`.
pub fn age(text: &str) -> Result<Duration, String> {
    let wrong = || "write a number and a unit, such as `30d`, `12h` or `90m`".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds: u64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return Err(wrong()),
    };
    let digits = &text[..text.len() - unit.len_utf8()];
    let many: u64 = digits.parse().map_err(|_| wrong())?;
    many.checked_mul(seconds).map(Duration::from_secs).ok_or_else(|| "the age is out of range".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_a_number_and_a_unit() {
        assert_eq!(age("30d"), Ok(Duration::from_secs(30 * 86_400)));
        assert_eq!(age("0s"), Ok(Duration::ZERO));
        for text in ["", "30", "d", "-1d", "30y", "1.5h", "99999999999999999999w", "9999999999999999w"] {
            assert!(age(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_variable_is_split_at_the_first_sign() {
        assert_eq!(variable("git:branch=a=b"), Ok((VariableKey::new("git", "branch"), Some("a=b".into()))));
        assert_eq!(variable("git:branch="), Ok((VariableKey::new("git", "branch"), Some("".into()))));
        assert_eq!(variable("git:branch"), Ok((VariableKey::new("git", "branch"), None)));
        assert_eq!(
            variable("app:tips=[\"a\"]"),
            Ok((VariableKey::new("app", "tips"), Some("[\"a\"]".into())))
        );
        assert_eq!(variable("app:at=@ada"), Ok((VariableKey::new("app", "at"), Some("@ada".into()))));
        assert_eq!(variable("branch"), Err("not a variable name (`type:name`): `branch`".into()));
    }

    #[test]
    fn tools_are_names_or_none() {
        assert_eq!(ToolNames::parse("read, bash,"), Ok(ToolNames(vec!["read".into(), "bash".into()])));
        assert_eq!(ToolNames::parse("none"), Ok(ToolNames(Vec::new())));
        assert!(ToolNames::parse("read,none").is_err());
        assert!(ToolNames::parse("").is_err());
    }
}
