//! Models: what a model and its service can do, as far as a request depends on it. The rows are data.

use crate::suggestion::{did_you_mean, did_you_mean_in, quoted};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;
use toml::{Table, Value};

/// The rows that ship with preface.
const BUNDLED: &str = include_str!("../../assets/models.toml");

/// A model as far as a request depends on it.
///
/// ```
/// use preface_core::model::{Models, Vendor};
/// let found = Models::bundled().find("claude-opus-5-5-20261101");
/// assert_eq!((found.model.vendor, found.model.cache_minimum, found.known), (Vendor::Anthropic, 512, true));
/// assert!(!Models::bundled().find("my-own-model").known);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The names that the row is for.
    #[serde(default)]
    pub names: Vec<String>,
    /// The company whose API serves the model.
    pub vendor: Vendor,
    /// The tokens that a prefix needs before it is cached. Below it nothing is cached, and no error is returned.
    pub cache_minimum: usize,
    /// The way in which a request names the end of a cached prefix.
    pub cache_marks: CacheMarks,
    /// The most marks in one request.
    pub cache_mark_limit: usize,
    /// The lifetimes of a cached prefix; the first is the default.
    pub cache_ttl: Vec<CacheTtl>,
    /// The price of a cached token, relative to an input token.
    pub cache_read: f64,
    /// The price of a million input tokens in US dollars, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// The most tokens of a request and its answer, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<usize>,
    /// The counter that has the model's vocabulary, where it is public.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<String>,
    /// True if instructions between the messages are accepted with the rank of the system prompt.
    pub system_messages: bool,
    /// True if an answer as the last message is continued; else such a request is refused.
    pub prefill: bool,
    /// True if a call needs the signature of the model.
    pub signed_calls: bool,
    /// The reaction to a request whose earlier part differs from the one before.
    pub checks_prefix: PrefixCheck,
    /// The date of the facts, `YYYY-MM-DD`.
    pub as_of: String,
    /// The source of the facts.
    pub source: String,
}

/// The company whose API serves a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Vendor {
    /// Anthropic.
    Anthropic,
    /// Google.
    Google,
    /// `OpenAI`.
    OpenAi,
    /// Any other.
    Unknown,
}

/// The way in which a request names the end of a cached prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheMarks {
    /// `cache_control` on a block.
    CacheControl,
    /// `prompt_cache_breakpoint` on a block.
    Breakpoint,
    /// None: the service finds the prefix.
    None,
}

/// A lifetime of a cached prefix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheTtl {
    /// The lifetime as the vendor writes it, such as `5m`.
    pub ttl: String,
    /// The price of writing a token, relative to an input token.
    pub write: f64,
}

/// The reaction of a service to a request whose earlier part differs from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PrefixCheck {
    /// The request is refused, or reasoning is left out.
    Always,
    /// The same, for accounts made since 2026-08-31.
    NewAccounts,
    /// Only the cache is lost.
    Never,
}

/// The rows of models, those of the user first.
#[derive(Clone, Debug, PartialEq)]
pub struct Models {
    rows: Vec<Model>,
    unknown: Model,
}

/// The row for a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundModel<'m> {
    /// The row.
    pub model: &'m Model,
    /// False if no row has the name, and the row is the cautious one.
    pub known: bool,
}

impl FoundModel<'_> {
    /// Returns the vendor's name, if it is known.
    #[must_use]
    pub fn vendor(&self) -> Option<&'static str> {
        Some(self.model.vendor).filter(|vendor| *vendor != Vendor::Unknown).map(Vendor::as_str)
    }

    /// Returns the family of the model `name`: the words of its name before the first number.
    ///
    /// ```
    /// use preface_core::model::Models;
    /// let family = |name: &str| Models::bundled().find(name).family(name);
    /// assert_eq!(family("us.anthropic.claude-opus-5-5-v1:0").as_deref(), Some("claude-opus"));
    /// assert_eq!(family("team/my-model-7b").as_deref(), Some("my-model"));
    /// ```
    #[must_use]
    pub fn family(&self, name: &str) -> Option<String> {
        let own = self.model.names.iter().find(|own| is_name(own, name));
        let name = own.map_or_else(|| name.rsplit('/').next().unwrap_or(name), String::as_str);
        let is_word = |word: &&str| !word.starts_with(|c: char| c.is_ascii_digit());
        let words: Vec<&str> = name.split('-').take_while(is_word).collect();
        (!words.is_empty()).then(|| words.join("-"))
    }
}

/// The error for rows that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelsError {
    /// The problem.
    pub message: String,
    /// The bytes of the text that it is about, where they are known.
    pub span: Option<std::ops::Range<usize>>,
}

static MODELS: LazyLock<Models> = LazyLock::new(|| match Models::parse(BUNDLED, &Table::new()) {
    Ok(models) => models,
    Err(error) => unreachable!("models.toml ships with preface and a test reads it: {error}"),
});

impl Models {
    /// Returns the rows that ship with preface.
    #[must_use]
    pub fn bundled() -> &'static Models {
        &MODELS
    }

    /// Reads rows of the user, which come before those that ship with preface. A `[vendor.NAME]` table of theirs changes the
    /// values of that vendor for their own rows.
    ///
    /// ```
    /// use preface_core::model::Models;
    /// let own = "[[model]]\nnames = ['mine']\nvendor = 'unknown'\ncache_minimum = 0\n";
    /// let models = Models::with(own).unwrap();
    /// assert_eq!(models.find("mine").model.cache_minimum, 0);
    /// assert!(models.find("gpt-6-sol").known);
    /// let error = Models::with("[[model]]\nnmes = []").unwrap_err();
    /// assert!(error.message.ends_with("; did you mean `names`?"), "{error}");
    /// ```
    ///
    /// # Errors
    /// Reports TOML that does not parse, unknown keys, and values of the wrong type.
    pub fn with(text: &str) -> Result<Models, ModelsError> {
        let bundled = Self::bundled();
        let vendors = vendors(&BUNDLED.parse::<Table>().unwrap_or_default());
        let own = Self::parse(text, &vendors)?;
        let rows = own.rows.into_iter().chain(bundled.rows.iter().cloned()).collect();
        Ok(Models { rows, unknown: own.unknown })
    }

    fn parse(text: &str, vendors_below: &Table) -> Result<Models, ModelsError> {
        let whole = text.parse::<Table>().map_err(|error| ModelsError::of(&error))?;
        let mut by_vendor = vendors_below.clone();
        for (name, own) in vendors(&whole) {
            merge_entry(&mut by_vendor, name, own);
        }
        if let Some(key) = whole.keys().find(|key| !["model", "vendor"].contains(&key.as_str())) {
            return Err(ModelsError::new(format!(
                "unknown key `{key}`: rows are `[[model]]` and `[vendor.NAME]`"
            )));
        }
        let row = |own: &Table| -> Result<Model, ModelsError> {
            let vendor = own.get("vendor").and_then(Value::as_str).unwrap_or("unknown");
            let below = by_vendor.get(vendor).and_then(Value::as_table).ok_or_else(|| {
                ModelsError::new(format!("unknown vendor `{vendor}`: they are {}", quoted(by_vendor.keys())))
            })?;
            let mut whole = below.clone();
            whole.insert("vendor".to_owned(), Value::from(vendor));
            whole.extend(own.clone());
            Value::Table(whole).try_into().map_err(|error| ModelsError::of(&error))
        };
        let mut rows = Vec::new();
        for own in whole.get("model").and_then(Value::as_array).into_iter().flatten() {
            let own = own
                .as_table()
                .ok_or_else(|| ModelsError::new("`model` must be a list of tables".to_owned()))?;
            rows.push(row(own)?);
        }
        Ok(Models { rows, unknown: row(&Table::new())? })
    }

    /// Returns the row for a name, or the cautious row.
    ///
    /// A name may have a path or a provider in front (`anthropic/claude-opus-5-5`, `us.anthropic.claude-opus-5-5-v1:0`) and a date, a
    /// version or `latest` behind.
    #[must_use]
    pub fn find(&self, name: &str) -> FoundModel<'_> {
        let row = self.rows.iter().find(|row| row.names.iter().any(|own| is_name(own, name)));
        FoundModel { model: row.unwrap_or(&self.unknown), known: row.is_some() }
    }

    /// Returns the name of a row that is like a name that no row has.
    #[must_use]
    pub fn near(&self, name: &str) -> Option<String> {
        let names = self.rows.iter().flat_map(|row| &row.names).map(String::as_str);
        did_you_mean(name.rsplit('/').next().unwrap_or(name), names).map(str::to_owned)
    }

    /// Returns the rows, in order.
    pub fn rows(&self) -> impl Iterator<Item = &Model> {
        self.rows.iter()
    }
}

/// Returns true if `name` is the row's name, with what services put before and behind it.
fn is_name(own: &str, name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    let vendors = ["anthropic.", "openai.", "google."];
    let name = vendors.iter().find_map(|vendor| name.split_once(vendor)).map_or(name, |(_, rest)| rest);
    let Some(rest) = name.strip_prefix(own) else { return false };
    let (rest, _) = rest.split_once(['@', ':']).unwrap_or((rest, ""));
    let mut pieces = rest.split('-');
    pieces.next() == Some("") && {
        let mut open = false;
        pieces.all(|piece| {
            open |= matches!(piece, "latest" | "preview") || piece.len() >= 3 && digits(piece);
            open && digits(piece) || matches!(piece, "latest" | "preview") || is_version(piece)
        })
    }
}

fn digits(piece: &str) -> bool {
    !piece.is_empty() && piece.bytes().all(|byte| byte.is_ascii_digit())
}

/// `v1`
fn is_version(piece: &str) -> bool {
    piece.strip_prefix('v').is_some_and(digits)
}

fn vendors(whole: &Table) -> Table {
    whole.get("vendor").and_then(Value::as_table).cloned().unwrap_or_default()
}

fn merge_entry(below: &mut Table, name: String, own: Value) {
    match (below.get_mut(&name), own) {
        (Some(Value::Table(below)), Value::Table(own)) => below.extend(own),
        (_, own) => {
            below.insert(name, own);
        }
    }
}

impl ModelsError {
    fn new(message: String) -> Self {
        ModelsError { message, span: None }
    }

    fn of(error: &toml::de::Error) -> Self {
        let help = did_you_mean_in(error.message()).map_or_else(String::new, |help| format!("; {help}"));
        let message = format!("{}{help}", error.message());
        ModelsError { message, span: error.span() }
    }
}

impl Vendor {
    /// Returns the word in files and listings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_rows_are_valid_and_no_name_is_in_two() {
        let mut names: Vec<&str> =
            MODELS.rows().flat_map(|row| row.names.iter().map(String::as_str)).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        for row in MODELS.rows() {
            assert!(!row.names.is_empty() && row.vendor != Vendor::Unknown, "{row:?}");
            assert_eq!(row.cache_marks == CacheMarks::None, row.cache_mark_limit == 0, "{row:?}");
            let ordered = row.cache_read <= 1.0 && row.cache_ttl.iter().all(|ttl| ttl.write >= 1.0);
            assert!(ordered && row.as_of.len() == 10, "{row:?}");
        }
    }

    #[test]
    fn a_name_has_its_own_row_whatever_services_put_around_it() {
        for (name, own) in [
            ("claude-opus-5", Some("claude-opus-5")),
            ("claude-opus-5-5", Some("claude-opus-5-5")),
            ("claude-opus-5-5-20261101", Some("claude-opus-5-5")),
            ("anthropic/claude-opus-5-5", Some("claude-opus-5-5")),
            ("us.anthropic.claude-opus-5-5-20261101-v1:0", Some("claude-opus-5-5")),
            ("claude-sonnet-4-5@20250929", Some("claude-sonnet-4-5")),
            ("models/gemini-2.5-flash-preview-09-2025", Some("gemini-2.5-flash")),
            ("gpt-6.2-sol-2026-11-17", Some("gpt-6.2-sol")),
            ("gpt-5-mini-latest", Some("gpt-5-mini")),
            ("claude-opus-5-9", None),
            ("claude-opus-55", None),
            ("gpt-5-nano", None),
            ("gemini-2.5-flash-lite", None),
            ("", None),
            ("-", None),
        ] {
            let found = MODELS.find(name);
            assert_eq!(found.known, own.is_some(), "{name}");
            if let Some(own) = own {
                assert!(found.model.names.iter().any(|name| name == own), "{name}: {found:?}");
            }
        }
    }

    #[test]
    fn rows_of_the_user_come_first_and_errors_name_the_key() {
        let models =
            Models::with("[[model]]\nnames = ['gpt-6-sol']\nvendor = 'openai'\ncache_read = 0.5\n").unwrap();
        assert!((models.find("gpt-6-sol").model.cache_read - 0.5).abs() < 1e-9);
        assert_eq!(models.find("gpt-6-sol").model.cache_minimum, 1024);
        for (text, message) in [
            (
                "[[model]]\nnames = ['a']\nvendor = 'acme'\n",
                "unknown vendor `acme`: they are `anthropic`, `google`, `openai`, `unknown`",
            ),
            ("modl = 1", "unknown key `modl`: rows are `[[model]]` and `[vendor.NAME]`"),
            ("model = [1]", "`model` must be a list of tables"),
            (
                "[[model]]\nnames = ['a']\nvendor = 'openai'\ncache_marks = 'x'\n",
                "unknown variant `x`, expected one of `cache-control`, `breakpoint`, `none`",
            ),
            ("[[model]]\nnames = 'a'\n", "invalid type: string \"a\", expected a sequence"),
        ] {
            assert_eq!(Models::with(text).unwrap_err().message, message, "{text}");
        }
    }
}
