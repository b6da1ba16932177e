//! Parses the bytes of one settings file to a layer's settings, with diagnostics.

use super::{
    key_path::KeyPath,
    keys::SystemPromptFileSettings,
    merge::SetBy,
    node::{SettingsNode, SettingsSource, SettingsTable, SettingsTree, read_number},
    schema::ValueShape,
};
use crate::{
    condition::Condition,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Severity},
    lint::character::excerpt,
    scope::Scope,
    suggestion::{did_you_mean, quoted},
};
use jsonc_parser::{
    CollectOptions, ParseOptions, Scanner, ScannerOptions, ast::Value as Ast, common::Ranged,
    errors::ParseError, parse_to_ast, tokens::Token,
};
use std::{ops::Range, sync::Arc};

/// The settings of one layer: only those that the schema has, each value with its location.
///
/// Permissions of the layer and the fields of built-in extensions are not validated yet; `merge` does both.
#[derive(Clone, Debug)]
pub struct LayerSettings {
    pub(super) source: Arc<SettingsSource>,
    pub(super) root: SettingsNode,
    /// The values of another program's file that are no settings.
    pub(super) foreign: SettingsTable,
}

/// Compares without the values of another program, which are no part of a snapshot.
impl PartialEq for LayerSettings {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source && self.root == other.root
    }
}

impl LayerSettings {
    /// Returns the source of the settings.
    #[must_use]
    pub fn by(&self) -> SetBy {
        self.source.by
    }

    /// Returns the path for display.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.source.path
    }

    /// Returns the settings as one object.
    #[must_use]
    pub fn root(&self) -> &SettingsNode {
        &self.root
    }

    /// Returns the layer with only the value at these keys; `None` if it has none.
    #[must_use]
    pub fn only(&self, keys: &[&str]) -> Option<Self> {
        fn keep(node: &mut SettingsNode, keys: &[&str]) -> Option<()> {
            let [key, below @ ..] = keys else { return Some(()) };
            let SettingsTree::Table(table) = &mut node.tree else { return None };
            let (key, mut value) = std::mem::take(table).into_iter().find(|(known, _)| known == key)?;
            keep(&mut value, below)?;
            table.insert(key, value);
            Some(())
        }
        let mut layer = self.clone();
        keep(&mut layer.root, keys)?;
        Some(layer)
    }
}

/// The deepest nesting of objects and arrays; deeper files are refused before any recursion.
pub(super) const DEEPEST: usize = 64;

/// Reads the bytes of a `settings.json`: JSON with comments and trailing commas, a BOM accepted.
///
/// A file that is not a JSON object is one error and no layer. Unknown keys and values of a wrong type are
/// dropped, each with an error; the rest of the layer is used.
///
/// ```
/// use preface_core::{scope::Scope, settings::parse};
/// let (layer, diagnostics) = parse(Scope::Global, "~/.stud/settings.json", br#"{"budget": {"tokns": 5}, /* ok */}"#);
/// assert!(layer.is_some());
/// assert_eq!(diagnostics[0].message, "unknown setting `budget.tokns`");
/// assert_eq!(diagnostics[0].help.as_deref(), Some("did you mean `tokens`?"));
/// ```
#[must_use]
pub fn parse(scope: Scope, path_for_people: &str, bytes: &[u8]) -> (Option<LayerSettings>, Diagnostics) {
    parse_file(SetBy::from(scope), path_for_people, bytes, &[])
}

/// Reads the values under `keys` of a `settings.json` that belongs to another program. A setting of preface under another key
/// is not used, which is one warning.
///
/// ```
/// use preface_core::{scope::Scope, settings::parse_foreign};
/// let json = br#"{"theme": "dark", "outputStyle": "Concise", "budget": {"tokens": 5}}"#;
/// let keys = ["outputStyle".to_owned()];
/// let (layer, diagnostics) = parse_foreign(Scope::Global, "~/.claude/settings.json", json, &keys);
/// assert_eq!(layer.unwrap().root().to_value().to_string(), r#"{"outputStyle":"Concise"}"#);
/// assert_eq!(diagnostics[0].message, "settings of preface are ignored in ~/.claude/settings.json: `budget`");
/// ```
#[must_use]
pub fn parse_foreign(
    scope: Scope,
    path_for_people: &str,
    bytes: &[u8],
    keys: &[String],
) -> (Option<LayerSettings>, Diagnostics) {
    let by = SetBy::from(scope);
    let (root, _) = match read_root(by, path_for_people, bytes) {
        Ok(read) => read,
        Err(diagnostics) => return (None, diagnostics),
    };
    // All else of the file becomes blanks: it is no part of a snapshot.
    let blank = |byte: &u8| if matches!(byte, b'\n' | b'\r') { *byte } else { b' ' };
    let mut text: Vec<u8> = bytes.iter().map(blank).collect();
    text[root.span.start] = b'{';
    let mut misplaced: Vec<(&String, &SettingsNode)> = Vec::new();
    for (key, node) in root.as_table().into_iter().flatten() {
        if keys.contains(key) {
            let member = node.key_span.start..node.span.end;
            text[member.clone()].copy_from_slice(&bytes[member]);
            text[node.span.end] = b',';
        } else if ValueShape::root().under(key).is_some() && !FOREIGN.contains(&key.as_str()) {
            misplaced.push((key, node));
        }
    }
    text[root.span.end - 1] = b'}';
    let (layer, mut diagnostics) = parse_file(by, path_for_people, &text, keys);
    if let Some((_, first)) = misplaced.first() {
        let names = quoted(misplaced.iter().map(|(key, _)| key.as_str()));
        let message = format!("settings of preface are ignored in {path_for_people}: {names}");
        let diagnostic = Diagnostic::warning(DiagnosticCode::SettingsShared, message).at(first.key_place());
        diagnostics.push(diagnostic.help("move them to `preface.json` in the same directory"));
    }
    (layer, diagnostics)
}

/// The settings that other programs have under the same keys, with a meaning of their own.
const FOREIGN: [&str; 2] = ["env", "hooks"];

/// Reads the bytes of a settings file. Values under `foreign` keys that are no settings are kept apart.
pub(super) fn parse_file(
    by: SetBy,
    path: &str,
    bytes: &[u8],
    foreign: &[String],
) -> (Option<LayerSettings>, Diagnostics) {
    let (mut root, mut diagnostics) = match read_root(by, path, bytes) {
        Ok(read) => read,
        Err(diagnostics) => return (None, diagnostics),
    };
    let source = root.source.clone();
    let mut kept_apart = SettingsTable::default();
    if let SettingsTree::Table(table) = &mut root.tree {
        let is_foreign =
            |(key, _): &(String, _)| foreign.contains(key) && ValueShape::root().under(key).is_none();
        (kept_apart, *table) = std::mem::take(table).into_iter().partition(is_foreign);
    }
    let root = keep_valid(root, ValueShape::root(), &mut KeyPath::default(), &mut diagnostics);
    note_literal_env(root.as_ref(), &mut diagnostics);
    let diagnostics = diagnostics.finish(|| Place::file(by.scope(), &source.path));
    (root.map(|root| LayerSettings { source, root, foreign: kept_apart }), diagnostics)
}

/// Reads the bytes of a settings file as an object.
fn read_root(by: SetBy, path: &str, bytes: &[u8]) -> Result<(SettingsNode, FileDiagnostics), Diagnostics> {
    let read = read_file(by, path, bytes, SHAPE_INVALID, Privacy::Open);
    let read = read.and_then(|(root, diagnostics)| match root.as_table() {
        Some(_) => Ok((root, diagnostics)),
        None => {
            Err(Box::new(Diagnostic::error(SHAPE_INVALID, "settings must be a JSON object").at(root.place())))
        }
    });
    read.map_err(|diagnostic| {
        let message = format!("{}; this file is left out", diagnostic.message);
        vec![Diagnostic { message, ..*diagnostic }]
    })
}

/// Parses one JSON value of a `--set` argument; `start` is its offset in the argument.
pub(super) fn parse_value(
    json: &str,
    start: usize,
    source: &Arc<SettingsSource>,
) -> Result<SettingsNode, String> {
    let ast = read(json).map_err(|bad| bad.message)?.ok_or("there is no value")?;
    let mut diagnostics = FileDiagnostics::default();
    let node = convert(ast, 0..0, start, source, &mut KeyPath::default(), &mut diagnostics);
    match (node, diagnostics.finish(Place::default).into_iter().next()) {
        (Some(node), None) => Ok(node),
        (_, diagnostic) => Err(diagnostic.map_or_else(String::new, |diagnostic| diagnostic.message)),
    }
}

/// A fault of a text, with its location.
pub(super) struct JsonFault {
    span: Range<usize>,
    message: String,
}

impl From<ParseError> for JsonFault {
    fn from(error: ParseError) -> Self {
        let range = error.range();
        let text = error.kind().to_string();
        if text == "Expected string for object property" {
            let message = "a key must be a text in double quotes".to_owned();
            return JsonFault { span: range.start..range.end.max(range.start), message };
        }
        let mut letters = text.chars();
        let message = letters.next().map_or_else(String::new, |first| {
            let mut message: String = first.to_lowercase().collect();
            message.push_str(letters.as_str());
            message
        });
        JsonFault { span: range.start..range.end.max(range.start), message }
    }
}

/// Reads a JSON file of a layer other than its settings, with the location of each value.
///
/// # Errors
/// The fault of the file, with its location: it is no JSON, has a key twice or a number that is too large.
pub(crate) fn parse_document(
    by: SetBy,
    path: &str,
    bytes: &[u8],
    code: DiagnosticCode,
) -> Result<SettingsNode, Box<Diagnostic>> {
    let (node, diagnostics) = read_file(by, path, bytes, code, Privacy::Named)?;
    match diagnostics.finish(Place::default).into_iter().next() {
        Some(diagnostic) => {
            let message = diagnostic.message.replace("; the last one counts", "");
            Err(Box::new(Diagnostic { code, message, ..diagnostic }))
        }
        None => Ok(node),
    }
}

/// Reads the bytes of a JSON file, without looking at its values.
fn read_file(
    by: SetBy,
    path: &str,
    bytes: &[u8],
    code: DiagnosticCode,
    privacy: Privacy,
) -> Result<(SettingsNode, FileDiagnostics), Box<Diagnostic>> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let at = good.len()..good.len();
        let place = Place { excerpt: None, ..Place::within(by.scope(), path, &good, at) };
        Box::new(Diagnostic::error(code, "it is not UTF-8").at(place))
    })?;
    let mut source = SettingsSource { by, path: path.to_owned(), text: text.to_owned(), secrets: Vec::new() };
    let refused = |source: &SettingsSource, span: Range<usize>, message: &str| {
        Err(Box::new(Diagnostic::error(code, message).at(source.place(span))))
    };
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let ast = match read(&text[start..]) {
        Ok(Some(ast)) => ast,
        Ok(None) => return refused(&source, start..start, "it is empty"),
        Err(bad) => return refused(&source, bad.span.start + start..bad.span.end + start, &bad.message),
    };
    note_secrets(&ast, start, privacy, usize::from(privacy == Privacy::Named), &mut source.secrets);
    let source = Arc::new(source);
    let mut diagnostics = FileDiagnostics::default();
    match convert(ast, 0..0, start, &source, &mut KeyPath::default(), &mut diagnostics) {
        Some(node) => Ok((node, diagnostics)),
        None => refused(&source, 0..0, "it holds a number that is too large"),
    }
}

/// Reads JSON with comments and trailing commas.
pub(super) fn read(json: &str) -> Result<Option<Ast<'_>>, JsonFault> {
    scan_ahead(json)?;
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    Ok(parse_to_ast(json, &CollectOptions::default(), &options)?.value)
}

/// Returns the tokens of a JSON text with comments.
pub(crate) fn scanner(json: &str) -> Scanner<'_> {
    let options = ScannerOptions {
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    Scanner::new(json, &options)
}

/// Refuses, without recursion, deep nesting and control characters that JSON requires to be escaped.
fn scan_ahead(json: &str) -> Result<(), JsonFault> {
    let mut scanner = scanner(json);
    let mut depth = 0_usize;
    while let Some(token) = scanner.scan()? {
        let span = scanner.token_start()..scanner.token_end();
        match token {
            Token::OpenBrace | Token::OpenBracket => depth += 1,
            Token::CloseBrace | Token::CloseBracket => depth = depth.saturating_sub(1),
            Token::String(_) => {
                if let Some(at) = json.as_bytes()[span.clone()].iter().position(|byte| *byte < b' ') {
                    let span = span.start + at..span.start + at + 1;
                    let message = "a control character in a string must be escaped, such as `\\n`".to_owned();
                    return Err(JsonFault { span, message });
                }
            }
            _ => {}
        }
        if depth > DEEPEST {
            return Err(JsonFault {
                span,
                message: format!("objects and arrays must not nest deeper than {DEEPEST} levels"),
            });
        }
    }
    Ok(())
}

/// Converts the parser's tree to nodes. `None`, with a diagnostic, for a number that is too large.
fn convert(
    ast: Ast<'_>,
    key_span: Range<usize>,
    start: usize,
    source: &Arc<SettingsSource>,
    path: &mut KeyPath,
    diagnostics: &mut FileDiagnostics,
) -> Option<SettingsNode> {
    let span = ast.start() + start..ast.end() + start;
    let tree = match ast {
        Ast::NullKeyword(_) => SettingsTree::Null,
        Ast::BooleanLit(flag) => SettingsTree::Flag(flag.value),
        Ast::StringLit(text) => SettingsTree::Text(text.value.into_owned()),
        Ast::NumberLit(number) => match read_number(number.value) {
            Some(number) => SettingsTree::Number(number),
            None => {
                diagnostics.add(Severity::Error, || {
                    let message = format!("the number of `{}` is too large", shown(&path.to_string()));
                    Diagnostic::error(SHAPE_INVALID, message).at(source.place(span))
                });
                return None;
            }
        },
        Ast::Array(list) => {
            let mut items = Vec::with_capacity(list.elements.len());
            for item in list.elements {
                items.extend(convert(item, 0..0, start, source, path, diagnostics));
            }
            SettingsTree::List(items)
        }
        Ast::Object(object) => {
            let mut table = SettingsTable::default();
            for property in object.properties {
                let key_span = property.name.start() + start..property.name.end() + start;
                path.0.push(property.name.into_string());
                let node = convert(property.value, key_span.clone(), start, source, path, diagnostics);
                // Every push has its pop, so the last key is this one.
                let key = path.0.pop().unwrap_or_default();
                let Some(node) = node else { continue };
                let whole = table.get(&key).map(|_| {
                    let around = path.to_string();
                    if around.is_empty() {
                        shown(&key)
                    } else {
                        format!("{}.{}", shown(&around), shown(&key))
                    }
                });
                let earlier = table.insert(key, node);
                if let (Some(whole), Some(earlier)) = (whole, earlier) {
                    diagnostics.add(Severity::Error, || duplicate(&whole, &earlier, source.place(key_span)));
                }
            }
            SettingsTree::Table(table)
        }
    };
    Some(SettingsNode { source: source.clone(), key_span, span, tree })
}

fn duplicate(whole: &str, earlier: &SettingsNode, place: Place) -> Diagnostic {
    let line = earlier.key_place().line.unwrap_or(1);
    Diagnostic::error(SHAPE_INVALID, format!("`{whole}` is set twice in this file; the last one counts"))
        .at(place)
        .help(format!("the earlier one is on line {line}"))
}

/// The strings below a value that are masked in excerpts and saved snapshots.
#[derive(Clone, Copy, PartialEq)]
enum Privacy {
    /// No strings.
    Open,
    /// Strings under keys that name a secret.
    Named,
    /// All strings but `${NAME}`.
    Secret,
}

impl Privacy {
    /// Returns what holds below a key. `depth` is the number of keys above it.
    fn below(self, key: &str, depth: usize) -> Privacy {
        let is_setting = || ValueShape::root().under(key).is_some();
        match self {
            // An extension has variables of its own, and may have this name itself.
            _ if key == "env" && depth != 1 => Privacy::Secret,
            Privacy::Open if depth == 0 && has_addresses(key) => Privacy::Named,
            Privacy::Open if depth == 0 && is_setting() => Privacy::Open,
            Privacy::Open if depth > 0 => Privacy::Open,
            _ if names_secret(key) => Privacy::Secret,
            Privacy::Open => Privacy::Named,
            privacy => privacy,
        }
    }

    /// Returns true for a string that is masked.
    fn hides(self, text: &str) -> bool {
        match self {
            Privacy::Open => false,
            Privacy::Named => holds_login(text),
            Privacy::Secret => !is_reference(text),
        }
    }
}

fn note_secrets(
    ast: &Ast<'_>,
    start: usize,
    privacy: Privacy,
    depth: usize,
    secrets: &mut Vec<Range<usize>>,
) {
    match ast {
        // The quotes stay, so that the masked text parses.
        Ast::StringLit(text) if privacy.hides(&text.value) => {
            secrets.push(text.range.start + 1 + start..text.range.end - 1 + start);
        }
        Ast::Array(list) => {
            for item in &list.elements {
                note_secrets(item, start, privacy, depth + 1, secrets);
            }
        }
        Ast::Object(object) => {
            for property in &object.properties {
                let below = privacy.below(property.name.as_str(), depth);
                note_secrets(&property.value, start, below, depth + 1, secrets);
            }
        }
        _ => {}
    }
}

/// Finds the secrets in the value of a `--set` argument.
pub(super) fn secrets_of_value(
    path: &KeyPath,
    shape: ValueShape,
    text: &str,
    start: usize,
) -> Vec<Range<usize>> {
    let keys = path.keys().iter().enumerate();
    let privacy = keys.fold(Privacy::Open, |privacy, (depth, key)| privacy.below(key, depth));
    let mut secrets = Vec::new();
    match read(text) {
        Ok(Some(ast)) if !shape.is_text() => {
            note_secrets(&ast, start, privacy, path.keys().len(), &mut secrets);
        }
        _ if privacy.hides(text) => secrets.push(start..start + text.len()),
        _ => {}
    }
    secrets
}

/// Returns true if a key of settings configures extensions with addresses and keys.
fn has_addresses(key: &str) -> bool {
    matches!(key, "providers" | "sessionStores")
}

/// Returns true if a text is an address with a user name or password.
pub(crate) fn holds_login(text: &str) -> bool {
    let (is_url, rest) = text.split_once("://").map_or((false, text), |(_, rest)| (true, rest));
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    host.split_once('@')
        .is_some_and(|(login, _)| !login.contains(char::is_whitespace) && (is_url || login.contains(':')))
}

/// Returns true if a key, or the name of a variable or header, names a secret.
#[must_use]
pub fn names_secret(key: &str) -> bool {
    let key = key.to_lowercase();
    ["key", "token", "secret", "password", "credential", "auth", "cookie"]
        .iter()
        .any(|word| key.contains(word))
}

/// Returns true if an `env` value is of the form `${NAME}`, which contains no secret.
pub(crate) fn is_reference(text: &str) -> bool {
    text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).is_some_and(|name| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn note_literal_env(root: Option<&SettingsNode>, diagnostics: &mut FileDiagnostics) {
    let Some(env) = root.and_then(|root| root.at(&["env"])).and_then(SettingsNode::as_table) else { return };
    for (name, node) in env.iter() {
        if node.as_text().is_some_and(|text| !is_reference(text)) {
            diagnostics.add(Severity::Warning, || {
                let message = format!("`env.{}` is a literal value", shown(name));
                let help =
                    format!("write `\"${{{}}}\"` so that no secret is stored in the file", shown(name));
                Diagnostic::warning(DiagnosticCode::SettingsLiteralEnvValue, message)
                    .at(node.place())
                    .help(help)
            });
        }
    }
}

/// Validates one value for `--set`: it is valid as a whole, or the first fault is the error.
pub(super) fn keep_valid_alone(
    node: SettingsNode,
    shape: ValueShape,
    path: &KeyPath,
) -> Result<SettingsNode, String> {
    let mut diagnostics = FileDiagnostics::default();
    let kept = keep_valid(node, shape, &mut path.clone(), &mut diagnostics);
    match (kept, diagnostics.finish(Place::default).into_iter().next()) {
        (Some(node), None) => Ok(node),
        (_, diagnostic) => Err(diagnostic.map_or_else(String::new, |diagnostic| diagnostic.message)),
    }
}

/// Returns the byte of a JSON string, quotes included, at which the byte `at` of its text is written.
///
/// ```
/// use preface_core::settings::offset_in_string;
/// let written = r#""a\nb\u00e9c""#;
/// let text: String = serde_json::from_str(written).unwrap();
/// assert_eq!((text.find('c'), offset_in_string(written, 5)), (Some(5), 11));
/// ```
#[must_use]
pub fn offset_in_string(written: &str, at: usize) -> usize {
    let (mut from, mut read) = (1, 0);
    while read < at {
        let Some(letter) = written.get(from..).and_then(|rest| rest.chars().next()) else { break };
        let unit = |from: usize| u32::from_str_radix(written.get(from + 2..from + 6)?, 16).ok();
        let (length, letter) = match (letter, written.as_bytes().get(from + 1)) {
            // The first of two units that are one character together.
            ('\\', Some(b'u')) => match unit(from) {
                Some(0xd800..0xdc00) => (12, '\u{10000}'),
                unit => (6, unit.and_then(char::from_u32).unwrap_or('\u{fffd}')),
            },
            ('\\', _) => (2, ' '),
            (letter, _) => (letter.len_utf8(), letter),
        };
        from += length;
        read += letter.len_utf8();
    }
    from.min(written.len())
}

// Validation of a parsed file: invalid values are dropped with a diagnostic, the rest stays.

pub(super) const SHAPE_INVALID: DiagnosticCode = DiagnosticCode::SettingsShapeInvalid;

/// Returns the value without invalid parts; `None` if the value itself is invalid and no condition.
pub(super) fn keep_valid(
    node: SettingsNode,
    shape: ValueShape,
    path: &mut KeyPath,
    diagnostics: &mut FileDiagnostics,
) -> Option<SettingsNode> {
    let node = match (shape.short(), &node.tree) {
        (Some(key), SettingsTree::Text(_)) => node.under(key),
        _ => node,
    };
    if let Some(fault) = fault(&node, shape) {
        diagnostics.add(Severity::Error, || {
            let message = format!("`{}` {fault}", shown(&path.to_string()));
            Diagnostic::error(SHAPE_INVALID, message).at(node.place())
        });
        return shape.is_condition().then_some(node);
    }
    let SettingsNode { source, key_span, span, tree } = node;
    let tree = match tree {
        SettingsTree::Table(table) => SettingsTree::Table(keep_known(table, shape, path, diagnostics)),
        other => other,
    };
    Some(SettingsNode { source, key_span, span, tree })
}

fn keep_known(
    table: SettingsTable,
    shape: ValueShape,
    path: &mut KeyPath,
    diagnostics: &mut FileDiagnostics,
) -> SettingsTable {
    // Its own fields are checked when layers are merged.
    let later = path.keys() == SystemPromptFileSettings::KEYS;
    let mut kept = SettingsTable::default();
    for (key, node) in table.into_iter() {
        let below = match shape.under(&key) {
            // A directive of the layer about the entry, not a value of the extension.
            Some(below) if !later || key == "disable" => below,
            _ if later => ValueShape::any(),
            _ => {
                diagnostics.add(Severity::Error, || unknown_key(&key, &node, shape, path));
                continue;
            }
        };
        path.0.push(key);
        let valid = keep_valid(node, below, path, diagnostics);
        // Every push has its pop, so the last key is this one.
        let key = path.0.pop().unwrap_or_default();
        if let Some(node) = valid {
            kept.insert(key, node);
        }
    }
    kept
}

fn unknown_key(key: &str, node: &SettingsNode, shape: ValueShape, path: &KeyPath) -> Diagnostic {
    let (code, whole) = if path.0.is_empty() {
        (DiagnosticCode::UnknownTopLevelKey, shown(key))
    } else {
        (SHAPE_INVALID, format!("{}.{}", shown(&path.to_string()), shown(key)))
    };
    let diagnostic = Diagnostic::error(code, format!("unknown setting `{whole}`")).at(node.key_place());
    match (did_you_mean(key, shape.names()), key) {
        (_, "mcp" | "mcpServers") if path.0.is_empty() => {
            diagnostic.help("MCP servers are listed in `mcp.json`")
        }
        (Some(near), _) => diagnostic.help(format!("did you mean `{near}`?")),
        (None, "$schema") if path.0.is_empty() => diagnostic.help("remove it; settings have one schema"),
        (None, _) => diagnostic.help(format!("known here: {}", quoted(shape.names()))),
    }
}

/// Returns the fault of the value itself (not of values below it), as the end of a sentence.
pub(super) fn fault(node: &SettingsNode, shape: ValueShape) -> Option<String> {
    let fits = match &node.tree {
        SettingsTree::Null => true,
        _ if shape.is_any() => true,
        SettingsTree::Table(_) if shape.is_condition() => return condition_fault(node),
        SettingsTree::Text(word) if shape.words().next().is_some() => {
            if shape.words().any(|known| known == word) {
                return None;
            }
            let near = did_you_mean(word, shape.words());
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Some(format!("must be {}, not `{}`{near}", shape.expected(), shown(word)));
        }
        SettingsTree::Text(text) => match shape.longest_path() {
            Some(longest) => return path_fault(text, longest),
            None => shape.takes("string"),
        },
        SettingsTree::Flag(_) => shape.takes("boolean"),
        SettingsTree::Number(_) => {
            let integer = node.as_integer().filter(|_| shape.takes("integer"));
            integer.is_some_and(|integer| shape.least().is_none_or(|least| integer >= least))
        }
        SettingsTree::List(items) if shape.takes("array") => {
            let at = items.iter().position(|item| item.as_text().is_none())?;
            let found = items[at].described();
            return Some(format!("must be an array of strings, but item {at} is {found}"));
        }
        SettingsTree::List(_) => false,
        SettingsTree::Table(_) => shape.takes("object"),
    };
    (!fits).then(|| format!("must be {}, not {}", shape.expected(), node.described()))
}

fn condition_fault(node: &SettingsNode) -> Option<String> {
    let error = serde_json::from_value::<Condition>(node.to_value()).err()?;
    let known = ["all", "any", "none"];
    let unknown = node.as_table()?.keys().find(|key| !known.contains(&key.as_str()));
    Some(match unknown {
        Some(key) => {
            let near = did_you_mean(key, known).map(|near| format!("; did you mean `{near}`?"));
            format!("has the unknown key `{}`{}", shown(key), near.unwrap_or_default())
        }
        None => format!("is no valid condition: {error}"),
    })
}

fn path_fault(path: &str, longest: u64) -> Option<String> {
    if path.trim().is_empty() {
        return Some("must not be blank".to_owned());
    }
    let length = path.chars().count() as u64;
    if length > longest {
        return Some(format!("must be at most {longest} characters long, not {length}"));
    }
    if path.split(['/', '\\']).any(|component| component == "..") {
        return Some("must not contain `..`".to_owned());
    }
    None
}

// Diagnostics about one file, at most a screenful: a hostile file must not cost a diagnostic for each of its
// bytes.

/// The most diagnostics of one file that are reported one by one.
const MOST: usize = 20;

/// The diagnostics about one file.
#[derive(Default)]
pub(super) struct FileDiagnostics {
    written: Diagnostics,
    counted: usize,
    worst: Option<Severity>,
}

impl FileDiagnostics {
    /// Adds a diagnostic; `make` is called only below the limit, because computing a location scans the file.
    pub(super) fn add(&mut self, severity: Severity, make: impl FnOnce() -> Diagnostic) {
        if self.written.len() < MOST {
            self.written.push(make());
        } else {
            self.counted += 1;
            self.worst = self.worst.max(Some(severity));
        }
    }

    /// Returns the diagnostics, and one with the number of those over the limit.
    pub(super) fn finish(mut self, file: impl FnOnce() -> Place) -> Diagnostics {
        if let Some(worst) = self.worst {
            let message = format!("{} more diagnostics about this file are not shown", self.counted);
            self.written.push(Diagnostic::new(worst, DiagnosticCode::SettingsMoreNotes, message).at(file()));
        }
        self.written
    }
}

/// The most characters of a name that a message shows.
const LONGEST: usize = 80;

/// Formats a name from a file for a message.
pub(crate) fn shown(name: &str) -> String {
    excerpt(name, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_are_shown_escaped_and_cut() {
        assert_eq!(shown("my \"tool\""), "my \"tool\"");
        assert_eq!(shown("a\u{202e}b\nc\u{200b}"), "a\\u{202e}b\\u{a}c\\u{200b}");
        assert_eq!(shown(&"x".repeat(1000)).chars().count(), LONGEST + 1);
    }

    #[test]
    fn what_is_not_written_out_is_counted() {
        let mut diagnostics = FileDiagnostics::default();
        for _ in 0..MOST + 7 {
            diagnostics.add(Severity::Error, || Diagnostic::error(DiagnosticCode::SettingsMoreNotes, "c"));
        }
        let diagnostics = diagnostics.finish(Place::default);
        assert_eq!(diagnostics.len(), MOST + 1);
        assert_eq!(diagnostics[MOST].message, "7 more diagnostics about this file are not shown");
        assert_eq!(diagnostics[MOST].severity, Severity::Error);
    }
}
