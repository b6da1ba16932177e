//! Parsing and rendering a template, beside a well-known engine that does the same.

use crate::{
    Bench, BenchError,
    harness::{closure, interleave},
    table::{Bar, Table},
};
use minijinja::{Environment, Value, syntax::SyntaxConfig};
use preface_core::{
    template::{Output, Template, TemplateOptions, TileKind},
    variable::VariableKey,
};
use std::{collections::BTreeMap, convert::Infallible, ops::Range, sync::Arc};

pub const BENCH: Bench = Bench {
    name: "template",
    about: "parsing and rendering 10 KiB with a span for each range of output, beside minijinja.",
    run,
};

type Values = BTreeMap<VariableKey, String>;

fn run(rounds: Option<usize>) -> Result<Vec<Table>, BenchError> {
    let (text, values) = input(10);
    let theirs = Theirs::of(&text, &values);
    let text: Arc<str> = text.into();
    let parsed = parse(&text);
    let result = render(&parsed, &values);
    if result.text != theirs.render() {
        return Err(BenchError::Failed("preface and minijinja render different texts".into()));
    }
    let compiled = theirs.environment.template_from_str(&theirs.source).expect("it was rendered before");
    let measured = interleave(
        vec![
            closure("parse and render", || render(&parse(&text), &values)),
            closure("minijinja: parse and render", || theirs.render()),
            closure("parse", || parse(&text)),
            closure("render", || render(&parsed, &values)),
            closure("minijinja: render", || compiled.render(&theirs.values).expect("it was rendered before")),
            closure("copying the result", || result.text.clone()),
        ],
        rounds.unwrap_or(301),
    );
    let title =
        format!("{} in, {} out, {} spans", bytes(text.len()), bytes(result.text.len()), result.spans.len());
    let bars = vec![Bar { of: "parse and render", to: "minijinja: parse and render", at_most: 1.0 / 4.0 }];
    Ok(vec![Table::new(title, measured, bars)])
}

/// Builds a template of this many blocks, and the values of its variables. Every second condition is false.
pub fn input(blocks: usize) -> (String, Values) {
    let block = include_str!("../inputs/block.md");
    let text = (0..blocks).map(|n| block.replace("{n}", &n.to_string())).collect();
    let mut values = Values::new();
    for n in 0..blocks {
        let mut set =
            |key: String, value: String| values.insert(key.parse().expect("a type and a name"), value);
        set(format!("project:name{n}"), format!("harbour-{n}"));
        set(format!("project:about{n}"), "a library that reads tide tables and says when to sail".into());
        set(format!("note:last{n}"), "Then stop, and wait for an answer before you go on.".into());
        if n % 2 == 0 {
            set(format!("tool:check{n}"), format!("make check-{n}"));
        }
    }
    (text, values)
}

/// Parses with the default options.
pub fn parse(text: &Arc<str>) -> Template {
    Template::parse(text.clone(), &TemplateOptions::default()).expect("the input is within the limits")
}

/// Renders with spans.
pub fn render(template: &Template, values: &Values) -> Rendered {
    let rendered =
        Rendered { text: String::with_capacity(template.text().len()), spans: Vec::with_capacity(64) };
    let mut recorder = Recorder { template: template.text(), values, rendered };
    let Ok(()) = template.render(&mut recorder);
    recorder.rendered
}

/// A text and, for each range of it, the range of the template that it stands for.
pub struct Rendered {
    /// The output.
    pub text: String,
    /// Ranges of the output and of the template.
    pub spans: Vec<(Range<usize>, Range<usize>)>,
}

/// The output that records a text with its spans.
struct Recorder<'t> {
    template: &'t str,
    values: &'t Values,
    rendered: Rendered,
}

impl Recorder<'_> {
    fn push(&mut self, text: &str, from: Range<usize>) {
        let Rendered { text: out, spans } = &mut self.rendered;
        let start = out.len();
        out.push_str(text);
        spans.push((start..out.len(), from));
    }
}

impl Output for Recorder<'_> {
    type Error = Infallible;

    fn exists(&mut self, key: &VariableKey) -> Result<bool, Infallible> {
        Ok(self.values.contains_key(key))
    }

    fn literal(&mut self, range: Range<usize>) {
        self.push(&self.template[range.clone()], range);
    }

    fn value(&mut self, tag: Range<usize>, key: &VariableKey) -> Result<(), Infallible> {
        if let Some(value) = self.values.get(key) {
            self.push(value, tag);
        }
        Ok(())
    }
}

/// The same template and the same values, as minijinja wants them.
struct Theirs {
    environment: Environment<'static>,
    source: String,
    values: Value,
}

impl Theirs {
    fn of(text: &str, values: &Values) -> Self {
        let name = |key: &VariableKey| key.as_str().replace(':', "_");
        let template =
            Template::parse(text, &TemplateOptions::default()).expect("the input is within the limits");
        let mut source = String::new();
        let mut at = 0;
        for tile in template.tiles().iter().filter(|tile| tile.kind.is_tag() && tile.stray.is_none()) {
            source += &text[at..tile.range.start];
            at = tile.range.end;
            let key = tile.key.map(name).unwrap_or_default();
            source += &match tile.kind {
                TileKind::Variable => format!("{{{{ {key} }}}}"),
                TileKind::If => format!("{{% if {key} is defined %}}"),
                TileKind::IfNot => format!("{{% if {key} is not defined %}}"),
                TileKind::Else => "{% else %}".into(),
                TileKind::Endif => "{% endif %}".into(),
                _ => unreachable!("raw blocks and inputs are off"),
            };
        }
        source += &text[at..];
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder().keep_trailing_newline(true).build();
        environment.set_syntax(syntax.expect("the usual delimiters are good"));
        let values: BTreeMap<String, Value> =
            values.iter().map(|(key, value)| (name(key), Value::from(value.as_str()))).collect();
        Theirs { environment, source, values: Value::from(values) }
    }

    fn render(&self) -> String {
        let template = self.environment.template_from_str(&self.source).expect("the translation is correct");
        template.render(&self.values).expect("every value is there or tested for")
    }
}

/// Writes a size for people.
pub fn bytes(count: usize) -> String {
    format!("{:.1} KiB", count as f64 / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_engines_render_the_same() {
        let (text, values) = input(3);
        let parsed = parse(&text.as_str().into());
        let ours = render(&parsed, &values);
        assert_eq!(ours.text, Theirs::of(&text, &values).render());
        assert!(!ours.text.contains('['), "every tag works");
        let mut at = 0;
        for (range, _) in ours.spans {
            assert_eq!(range.start, at, "the spans tile the output");
            at = range.end;
        }
        assert_eq!(at, ours.text.len());
    }
}
