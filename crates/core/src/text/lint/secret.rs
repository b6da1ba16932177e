//! Tokens that look like credentials.
//!
//! A finding names the pattern and the place and never quotes the token. Prompt text is only ever reported;
//! [`redact`] is for records and messages.

use super::finding::TextFinding;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use memchr::memmem;
use std::{
    borrow::Cow,
    ops::{Range, RangeInclusive},
};

/// One kind of credential: its description for messages, its prefixes, and what decides at a prefix of a text, which reaches
/// from the first of two bytes to the second.
type Pattern = (&'static str, &'static [&'static str], fn(&str, usize, usize) -> PrefixMatch);

/// The result of a check at a prefix that was found.
enum PrefixMatch {
    /// A credential that ends here.
    Token(usize),
    /// A credential behind a name.
    Value(Range<usize>),
    /// None; the search goes on here.
    Nothing(usize),
}

/// The patterns.
const PATTERNS: &[Pattern] = &[
    ("an Anthropic key", &["sk-ant-"], dashed_token),
    ("an AWS access key", &["AKIA"], aws),
    (
        "an AWS secret key",
        &[
            "AWS_SECRET_KEY",
            "SECRET_ACCESS_KEY",
            "SecretAccessKey",
            "_SECRET_ACCESS_KEY",
            "_secret_access_key",
            "awsSecretAccessKey",
            "aws_secret_key",
            "secretAccessKey",
            "secret_access_key",
        ],
        aws_secret,
    ),
    ("a temporary AWS access key", &["ASIA"], aws),
    ("a GitHub token", &["ghp_", "ghr_", "ghs_", "ghu_", "github_pat_"], word_token),
    ("a GitHub OAuth token", &["gho_"], word_token),
    ("a GitLab token", &["glpat-"], dashed_token),
    ("a Google API key", &["AIza"], dashed_token),
    ("a Hugging Face token", &["hf_"], |text, _, after| plain_token(text, after, 30..=60)),
    ("an npm token", &["npm_"], |text, _, after| plain_token(text, after, 36..=36)),
    ("a private key", &["-----BEGIN "], private_key),
    ("a PyPI token", &["pypi-AgE"], dashed_token),
    ("a secret key", &["sk-"], secret_key),
    ("a Slack token", &["xapp-", "xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-"], dashed_token),
    ("a Stripe key", &["rk_live_", "sk_live_"], word_token),
];

/// The fewest characters after a prefix that make a token.
const SHORTEST: usize = 20;

/// The number of bytes of a token that are shown where it is masked.
pub(crate) const SHOWN: usize = 4;

/// The replacement for a token.
const REDACTED: &str = "[REDACTED]";

/// A token that looks like a credential, without its text.
///
/// ```
/// use preface_core::lint::{finding::TextFinding, secret::scan};
/// let text = format!("key: ghp_{}", "0123456789".repeat(3));
/// let found = &scan(&text)[0];
/// assert_eq!((found.code().as_str(), found.range()), ("secret/key", 5..39));
/// assert_eq!(found.message(), "this looks like a GitHub token");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The bytes of the token.
    pub range: Range<usize>,
    what: &'static str,
}

impl TextFinding for Secret {
    fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    fn diagnostic(&self) -> Diagnostic {
        let code = DiagnosticCode::SecretKey;
        let message = format!("this looks like {}", self.what);
        Diagnostic { help: code.help(), ..Diagnostic::warning(code, message) }
    }
}

/// Finds tokens that look like credentials, in the order of the text and without overlaps.
///
/// A token starts where no ASCII letter, digit or underscore is before it, and has at least 20 characters after
/// its prefix. AWS access keys have exactly 16, npm tokens 36 and those of Hugging Face 30 or more letters and digits. An AWS
/// secret key has no prefix: it is found behind its name, such as `aws_secret_access_key =`. A private key reaches from its first
/// to its last line, or as far as its lines go where the last one is missing.
///
/// ```
/// use preface_core::lint::secret::scan;
/// assert!(scan("task sk-1: try sk-learn and sk-learn-contrib-imbalanced-learn").is_empty());
/// ```
#[must_use]
pub fn scan(text: &str) -> Vec<Secret> {
    let starts = PATTERNS
        .iter()
        .flat_map(|pattern @ (_, starts, _)| starts.iter().map(move |start| (pattern, *start)));
    let mut found: Vec<Secret> = starts.flat_map(|(pattern, start)| matches(text, pattern, start)).collect();
    // The sort is stable, so the pattern that is listed first keeps a range that two patterns claim. What reaches
    // beyond a token that began earlier keeps its rest.
    found.sort_by_key(|secret| secret.range.start);
    let mut end = 0;
    found.retain_mut(|secret| {
        secret.range.start = secret.range.start.max(end);
        end = end.max(secret.range.end);
        !secret.range.is_empty()
    });
    found
}

/// Replaces each token that looks like a credential by `[REDACTED]`. The rest of the text stays.
///
/// ```
/// use preface_core::lint::secret::redact;
/// let text = format!("curl -H 'x-api-key: sk-ant-{}' host", "abcde".repeat(5));
/// assert_eq!(redact(&text), "curl -H 'x-api-key: [REDACTED]' host");
/// assert_eq!(redact("pip install sk-learn"), "pip install sk-learn");
/// ```
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    replace(text, |clean, _| clean.push_str(REDACTED))
}

/// Masks each token that looks like a credential for people: its first bytes stay, the rest is asterisks.
///
/// ```
/// use preface_core::lint::secret::mask;
/// let text = format!("npx x --token ghp_{}", "abcde".repeat(5));
/// assert_eq!(mask(&text), format!("npx x --token ghp_{}", "*".repeat(25)));
/// assert_eq!(mask("pip install sk-learn"), "pip install sk-learn");
/// ```
#[must_use]
pub fn mask(text: &str) -> Cow<'_, str> {
    replace(text, |clean, token| {
        clean.extend(token.char_indices().map(|(at, c)| if at < SHOWN { c } else { '*' }));
    })
}

/// Writes each token that looks like a credential with `write`, and the rest of the text as it is.
fn replace(text: &str, write: fn(clean: &mut String, token: &str)) -> Cow<'_, str> {
    let found = scan(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for Secret { range, .. } in found {
        clean.push_str(&text[at..range.start]);
        write(&mut clean, &text[range.clone()]);
        at = range.end;
    }
    clean.push_str(&text[at..]);
    Cow::Owned(clean)
}

/// Replaces each occurrence of a known secret by `[REDACTED]`. Longer ones go first; empty ones are skipped.
///
/// ```
/// use preface_core::lint::secret::redact_known;
/// assert_eq!(redact_known("pw=hunter22, hunter2", &["hunter2", "", "hunter22"]), "pw=[REDACTED], [REDACTED]");
/// ```
#[must_use]
pub fn redact_known<'t>(text: &'t str, secrets: &[&str]) -> Cow<'t, str> {
    let mut secrets: Vec<&str> = secrets.iter().copied().filter(|secret| !secret.is_empty()).collect();
    secrets.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    secrets.into_iter().fold(Cow::Borrowed(text), |text, secret| {
        if memmem::find(text.as_bytes(), secret.as_bytes()).is_some() {
            Cow::Owned(text.replace(secret, REDACTED))
        } else {
            text
        }
    })
}

fn matches(text: &str, (what, _, end_of): &Pattern, prefix: &str) -> Vec<Secret> {
    let finder = memmem::Finder::new(prefix);
    let is_word = prefix.starts_with(|c: char| c.is_ascii_alphanumeric());
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = finder.find(&text.as_bytes()[at..]) {
        let start = at + next;
        if is_word && !starts_word(text, start) {
            at = start + 1;
            continue;
        }
        let range = match end_of(text, start, start + prefix.len()) {
            PrefixMatch::Token(end) => start..end,
            PrefixMatch::Value(range) => range,
            PrefixMatch::Nothing(end) => {
                at = end;
                continue;
            }
        };
        at = range.end;
        found.push(Secret { range, what });
    }
    found
}

/// Returns true if a word can start at `at`. The letter of an escape such as `\n` does not count as part of a word.
fn starts_word(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    match bytes[..at] {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., before] => !is_word(before),
        [] => true,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_dashed(byte: u8) -> bool {
    is_word(byte) || byte == b'-'
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Counts the bytes from `at` on that `belongs` accepts.
fn run(text: &str, at: usize, belongs: fn(u8) -> bool) -> usize {
    text.as_bytes()[at..].iter().take_while(|byte| belongs(**byte)).count()
}

fn token(text: &str, after: usize, belongs: fn(u8) -> bool) -> PrefixMatch {
    let end = after + run(text, after, belongs);
    if end - after >= SHORTEST { PrefixMatch::Token(end) } else { PrefixMatch::Nothing(end) }
}

fn dashed_token(text: &str, _start: usize, after: usize) -> PrefixMatch {
    token(text, after, is_dashed)
}

fn word_token(text: &str, _start: usize, after: usize) -> PrefixMatch {
    token(text, after, is_word)
}

/// Takes letters and digits alone, so many of them. Names such as `npm_config_registry` have underscores.
fn plain_token(text: &str, after: usize, length: RangeInclusive<usize>) -> PrefixMatch {
    let end = after + run(text, after, is_dashed);
    let is_token =
        length.contains(&(end - after)) && text[after..end].bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_token { PrefixMatch::Token(end) } else { PrefixMatch::Nothing(end) }
}

/// The characters of an AWS secret key.
const AWS_SECRET: usize = 40;

/// Takes the value that is assigned to the name before `at`: 40 characters of base64, with letters of both cases and a digit, which
/// digests and placeholders lack.
fn aws_secret(text: &str, _start: usize, at: usize) -> PrefixMatch {
    let bytes = text.as_bytes();
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'\\' | b'`');
    let sign = at + run(text, at, is_blank);
    let signs = run(text, sign, |byte| matches!(byte, b'=' | b':' | b'>'));
    let start = sign + signs + run(text, sign + signs, is_blank);
    let end = start + run(text, start, is_base64);
    let key = &bytes[start..end];
    let has = |class: fn(&u8) -> bool| key.iter().any(class);
    let is_key = (1..=2).contains(&signs)
        && key.len() == AWS_SECRET
        && !key.contains(&b'=')
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit);
    if is_key { PrefixMatch::Value(start..end) } else { PrefixMatch::Nothing(at) }
}

/// Takes `sk-` and what follows for a key, unless it is a chain of short lower-case words.
fn secret_key(text: &str, _start: usize, after: usize) -> PrefixMatch {
    match token(text, after, is_dashed) {
        PrefixMatch::Token(end) => {
            let is_name =
                |word: &str| word.len() < SHORTEST && word.bytes().all(|byte| byte.is_ascii_lowercase());
            let key = &text[after..end];
            if key.split('-').all(is_name) { PrefixMatch::Nothing(end) } else { PrefixMatch::Token(end) }
        }
        nothing => nothing,
    }
}

fn aws(text: &str, start: usize, _after: usize) -> PrefixMatch {
    let end = start + run(text, start, is_word);
    let key = &text.as_bytes()[start..end];
    let upper = key.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    if key.len() == SHORTEST && upper { PrefixMatch::Token(end) } else { PrefixMatch::Nothing(end) }
}

/// Reads a PEM block, from its first dash to its last.
fn private_key(text: &str, start: usize, _after: usize) -> PrefixMatch {
    let Some(body) = pem_line(text, start, "-----BEGIN ") else { return PrefixMatch::Nothing(start + 5) };
    let bytes = text.as_bytes();
    if let Some(dashes) = memmem::find(&bytes[body..], b"-----") {
        let last = body + dashes + run(text, body + dashes, |byte| byte == b'-') - 5;
        if let Some(end) = pem_line(text, last, "-----END ") {
            let key_line =
                bytes[body..last].split(|byte| !is_base64(*byte)).any(|line| line.len() >= SHORTEST);
            return if key_line { PrefixMatch::Token(end) } else { PrefixMatch::Nothing(end) };
        }
    }
    // The last line is missing: take lines as long as they look like those of a key.
    let (mut at, mut end) = (body, None);
    loop {
        at += run(text, at, |byte| byte.is_ascii_whitespace());
        while text[at..].starts_with("\\n") || text[at..].starts_with("\\r") {
            at += 2;
        }
        let line = run(text, at, is_base64);
        if line == 0 || (end.is_none() && line < SHORTEST) {
            break;
        }
        at += line;
        end = Some(at);
        if line < SHORTEST {
            break;
        }
    }
    end.map_or(PrefixMatch::Nothing(body), PrefixMatch::Token)
}

/// Returns where a `-----BEGIN … PRIVATE KEY…-----` or `-----END …` ends.
fn pem_line(text: &str, start: usize, opening: &str) -> Option<usize> {
    let label = text[start..].strip_prefix(opening)?;
    let length =
        label.bytes().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b' ').count();
    let (label, rest) = label.split_at(length);
    let private = label.ends_with("PRIVATE KEY") || label.ends_with("PRIVATE KEY BLOCK");
    (private && rest.starts_with("-----")).then_some(start + opening.len() + length + 5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_prefix_is_there_once() {
        let mut all: Vec<_> = PATTERNS.iter().flat_map(|(_, starts, _)| *starts).collect();
        all.sort();
        assert!(all.is_sorted_by(|a, b| a < b), "PATTERNS must stay without duplicates");
    }

    #[test]
    fn a_message_never_quotes_the_token() {
        let token = "Zq7".repeat(12);
        for start in PATTERNS.iter().flat_map(|(_, starts, _)| *starts) {
            for secret in scan(&format!("{start}{token}")) {
                assert!(!secret.message().contains("Zq7") && !format!("{secret:?}").contains("Zq7"));
            }
        }
    }

    #[test]
    fn a_key_block_behind_a_token_does_not_slip_through() {
        let body = "MIIBVgIBADANBgkqhkiG9w0BAQEF".repeat(3);
        let block = format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----");
        for token in [format!("sk-ant-{body}"), format!("ghp_{body}"), "word".to_owned()] {
            assert!(!redact(&format!("{token}{block}")).contains("MIIB"), "{token}");
        }
    }

    #[test]
    fn near_misses_are_none() {
        let cases = [
            ("sk- ", 0),
            ("sk-a ", 0),
            ("ghp_ ", 0),
            ("AKIA ", 0),
            ("-----BEGIN ", 0),
            ("-----BEGIN PRIVATE KEY-----", 0),
            ("-----BEGIN PRIVATE KEY-----\nA", 0),
            ("ghp_01234567890123456789 ", 2_000),
            ("aws_secret_key = ", 0),
            ("_SECRET_ACCESS_KEY=\"", 0),
        ];
        for (text, found) in cases {
            assert_eq!(scan(&text.repeat(2_000)).len(), found, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn redacting_twice_changes_nothing(
            text in "(sk-|sk-ant-|ghp_|AKIA[A-Z0-9]{16}|[A-Za-z0-9]{1,30}|[ \n=é-]|\
                -----BEGIN PRIVATE KEY-----[a-z]{30}-----END PRIVATE KEY-----){0,30}"
        ) {
            let once = redact(&text).into_owned();
            prop_assert_eq!(redact(&once), once.as_str());
        }

        #[test]
        fn any_long_token_is_found(
            before in "( |\"|=|/|é|\n)?", token in "[A-Za-z0-9]{20,60}", after in "( |\"|,|\n)?"
        ) {
            for start in
                ["sk-ant-", "sk-", "sk_live_", "ghp_", "github_pat_", "gho_", "glpat-", "xoxb-", "xapp-", "AIza", "pypi-AgE"]
            {
                let text = format!("{before}{start}{token}{after}");
                prop_assert_eq!(redact(&text), format!("{before}[REDACTED]{after}"));
            }
        }
    }
}
