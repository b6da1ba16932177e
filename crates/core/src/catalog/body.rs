//! The body of an imported text, ready for the pipeline: included prompts are in place, and every name is
//! bound.

use super::{
    binding::{Binding, Bindings},
    evaluate::{EvaluationError, EvaluationScope, constant, evaluate},
    expression::Expression,
    text::{CatalogChunk, CatalogText, UncompiledReason},
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    origin::{Origin, Piece, Source},
    scope::Scope,
    suggestion::quoted,
    variable::VariableKey,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::Arc,
};

/// The deepest nesting of included prompts.
const MOST_NESTED: usize = 8;

/// An imported text that is ready for the pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogBody {
    /// The names of the prompts in it: the outer one, then those that it includes.
    pub prompts: Vec<String>,
    /// The text, in order.
    pub runs: Vec<BodyRun>,
}

/// A run of a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyRun {
    /// Literal text.
    Words(Piece),
    /// An expression.
    Value {
        /// The expression to evaluate.
        expression: Expression,
        /// The source of the expression, which is used if it has no value.
        written: Piece,
    },
}

/// The texts of one catalog that a profile may use.
#[derive(Clone, Debug, Default)]
pub struct CatalogTexts {
    /// The version of the catalog.
    pub version: String,
    /// The texts by the names of their prompts.
    pub texts: BTreeMap<String, CatalogText>,
}

impl CatalogTexts {
    /// Builds the body of a prompt and reports expressions that stay as they are written.
    ///
    /// # Errors
    /// A name without a binding is an error, with its location. The caller then uses the section's own text.
    pub fn body(
        &self,
        prompt: &str,
        bindings: &Bindings,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<CatalogBody, Box<Diagnostic>> {
        let mut body = CatalogBody::default();
        self.add(prompt, bindings, &mut body, diagnostics, 0)?;
        Ok(body)
    }

    /// Returns the prompts that this one includes, directly or not: those that [`CatalogTexts::body`] needs.
    #[must_use]
    pub fn included<'b>(text: &CatalogText, bindings: &'b Bindings) -> BTreeSet<&'b str> {
        let prompt = |name: &str| match bindings.get(name) {
            Some(Binding::Prompt(prompt)) => Some(prompt.as_str()),
            _ => None,
        };
        text.names().into_iter().filter_map(prompt).collect()
    }

    fn add(
        &self,
        prompt: &str,
        bindings: &Bindings,
        body: &mut CatalogBody,
        diagnostics: &mut Vec<Diagnostic>,
        depth: usize,
    ) -> Result<(), Box<Diagnostic>> {
        let Some(text) = self.texts.get(prompt) else {
            let what = format!("catalog {} has no prompt `{prompt}`", self.version);
            return Err(Box::new(Diagnostic::error(DiagnosticCode::CatalogNoPrompt, what)));
        };
        let path = format!("catalog {}/{}", self.version, text.file);
        let source = Arc::new(Source { scope: Scope::Global, path });
        body.prompts.push(prompt.to_owned());
        let mut line = text.first_line;
        for chunk in &text.chunks {
            let at = RunLocation { source: &source, line };
            line += chunk.lines();
            match chunk {
                CatalogChunk::Text { text, span } => {
                    let origin = |range: &Range<usize>| Origin::Source {
                        source: source.clone(),
                        span: span.start + range.start..span.start + range.end,
                        // A decoded escape is shorter than its source.
                        lossy: span.len() != text.len(),
                    };
                    let mut rest = text.as_str();
                    let mut done = 0;
                    while let Some((before, name, behind)) = constant(rest, bindings) {
                        let end = text.len() - behind.len();
                        let value = done + before.len()..end;
                        push(body, before, origin(&(done..value.start)));
                        let written = Piece { text: text[value.clone()].to_owned(), origin: origin(&value) };
                        body.runs
                            .push(BodyRun::Value { expression: Expression::Name(name.to_owned()), written });
                        (rest, done) = (behind, end);
                    }
                    push(body, rest, origin(&(done..text.len())));
                }
                CatalogChunk::Kept { written, span, why } => {
                    let origin = Origin::Source { source: source.clone(), span: span.clone(), lossy: false };
                    diagnostics.push(uncompiled_diagnostic(written, why, at.place(span)));
                    push(body, written, origin);
                }
                CatalogChunk::Value { expression, written, span } => {
                    if let Expression::Name(name) = expression
                        && let Some(Binding::Prompt(other)) = bindings.get(name)
                    {
                        if depth == MOST_NESTED {
                            let what = format!("prompts are nested deeper than {MOST_NESTED}");
                            return Err(Box::new(
                                Diagnostic::error(DiagnosticCode::CatalogNested, what).at(at.place(span)),
                            ));
                        }
                        self.add(other, bindings, body, diagnostics, depth + 1)?;
                        continue;
                    }
                    let mut unbound = BTreeSet::new();
                    look_up(expression, bindings, &mut unbound);
                    if !unbound.is_empty() {
                        let what = format!(
                            "`{prompt}` of catalog {} names what is not bound: {}",
                            self.version,
                            quoted(&unbound)
                        );
                        let diagnostic = Diagnostic::error(DiagnosticCode::CatalogUnbound, what)
                            .help("bind it in the profile under `[catalog.bind]`; until then the profile's own text is used, if it has one");
                        return Err(Box::new(diagnostic.at(at.place(span))));
                    }
                    let origin = Origin::Source { source: source.clone(), span: span.clone(), lossy: true };
                    let written = Piece { text: written.clone(), origin };
                    body.runs.push(BodyRun::Value { expression: expression.clone(), written });
                }
            }
        }
        Ok(())
    }
}

impl CatalogBody {
    /// Returns the first expression that has no value, with the reason, whether or not its variables exist.
    #[must_use]
    pub fn find_error(&self, bindings: &Bindings) -> Option<(&Piece, String)> {
        let source: Arc<str> = "a sample".into();
        let fault = |expression: &Expression, known: Option<&str>| {
            let mut look = |_: &VariableKey| Ok(known.map(|text| (text.to_owned(), source.clone())));
            match evaluate(expression, &EvaluationScope { bindings, tools: &[] }, &mut look) {
                Err(EvaluationError::Fault(why)) => Some(why),
                Ok(_) | Err(EvaluationError::Missing(_)) => None,
            }
        };
        self.runs.iter().find_map(|run| {
            let BodyRun::Value { expression, written } = run else { return None };
            fault(expression, Some("1"))?;
            Some((written, fault(expression, None)?))
        })
    }
}

fn push(body: &mut CatalogBody, text: &str, origin: Origin) {
    if !text.is_empty() {
        body.runs.push(BodyRun::Words(Piece { text: text.to_owned(), origin }));
    }
}

/// Collects the names, and members of bound objects, that an expression uses without a binding.
fn look_up(expression: &Expression, bindings: &Bindings, unbound: &mut BTreeSet<String>) {
    let mut names = BTreeSet::new();
    expression.free_names(&mut Vec::new(), &mut names);
    unbound.extend(names.into_iter().filter(|name| bindings.get(name).is_none()).map(str::to_owned));
    expression.walk(&mut |part| {
        if let Expression::Member { of, name, .. } = part
            && let Some((path, Binding::Object(members))) = path_of(of, bindings)
            && !members.contains_key(name)
        {
            unbound.insert(format!("{path}.{name}"));
        }
    });
}

/// Returns the binding of `A.b.c`.
fn path_of<'b>(expression: &Expression, bindings: &'b Bindings) -> Option<(String, &'b Binding)> {
    match expression {
        Expression::Name(name) => {
            let binding = bindings.get(name)?;
            let binding = if let Binding::Given(_, then) = binding { then } else { binding };
            Some((name.clone(), binding))
        }
        Expression::Member { of, name, .. } => match path_of(of, bindings)? {
            (path, Binding::Object(members)) => Some((format!("{path}.{name}"), members.get(name)?)),
            _ => None,
        },
        _ => None,
    }
}

fn uncompiled_diagnostic(written: &str, why: &UncompiledReason, place: Place) -> Diagnostic {
    let shown: String = written.chars().take(60).collect();
    let why = match why {
        UncompiledReason::Unparsed(why) => format!("it is no expression ({why})"),
        UncompiledReason::Unsupported(what) => format!("it has {what}, which is not worked out here"),
        UncompiledReason::Undeclared(name) => format!("its file does not declare `{name}`"),
    };
    Diagnostic::info(DiagnosticCode::CatalogKept, format!("`{shown}` cannot be worked out: {why}")).at(place)
}

/// The location of a run. The file itself is not available here, so there is no excerpt.
struct RunLocation<'a> {
    source: &'a Source,
    line: usize,
}

impl RunLocation<'_> {
    fn place(&self, span: &Range<usize>) -> Place {
        let mut place = Place::file(Some(self.source.scope), self.source.path.clone());
        place.span = Some(span.clone());
        place.line = Some(self.line).filter(|line| *line > 0);
        place
    }
}
