//! The cache plan: where a request names the end of a prefix that a service keeps, and what that saves.

use super::{RequestContent, report::Report};
use crate::{
    diagnostic::{DiagnosticCode, Diagnostics},
    model::{CacheMarks, Model},
    turn::Tool,
    variable::Stability,
};
use serde::Serialize;

/// The cache plan of a request, in the order in which services read it: tools, then the blocks of the prompt.
///
/// ```
/// use preface_core::{format::{CachePlan, RequestContent, RequestTarget}, prompt::Prompt};
/// let prompt = Prompt { text: "Be brief.".into(), ..Prompt::default() };
/// let target = RequestTarget { model: Some("claude-opus-5-5"), ..RequestTarget::default() };
/// let plan = CachePlan::of(&RequestContent { target, ..RequestContent::from(&prompt) });
/// assert_eq!((plan.minimum, plan.known), (512, true));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CachePlan {
    /// The name of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// False if no row has the name, and the values are the cautious ones.
    pub known: bool,
    /// The tokens that a prefix needs before it is cached.
    pub minimum: usize,
    /// The lifetime of a cached prefix, where the service names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
    /// The tools and the blocks of the prompt, in the order of the request.
    pub tiers: Vec<CacheTier>,
    /// The tokens of all tiers.
    pub tokens: usize,
    /// The price of the tiers when nothing is cached, in input tokens: what is written to the cache costs more.
    pub cold: f64,
    /// The price of the tiers in a later turn of the conversation, in input tokens.
    pub warm: f64,
    /// The price of a million input tokens in US dollars, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// The date of the facts about the model.
    pub as_of: String,
}

/// One tier of a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CacheTier {
    /// `tools`, or the stability of a block of the prompt.
    pub name: &'static str,
    /// Its tokens.
    pub tokens: usize,
    /// The tokens up to its end.
    pub prefix_tokens: usize,
    /// The mark at its end.
    pub mark: CacheMark,
}

/// The mark at the end of a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CacheMark {
    /// The request names the end of the prefix.
    Placed,
    /// The service finds the prefix itself.
    Automatic,
    /// The prefix is too small to be cached.
    BelowMinimum,
    /// None: it changes with each turn, or the tier behind it has the mark.
    None,
}

impl CachePlan {
    /// Plans a request.
    #[must_use]
    pub fn of(content: &RequestContent<'_>) -> Self {
        let found = content.target.row();
        let model = found.model;
        let counter = content.target.counter;
        let mut prefix_tokens = content.tools.iter().map(|tool| counter.count(&definition(tool))).sum();
        let mut tiers = Vec::new();
        if !content.tools.is_empty() {
            tiers.push(CacheTier {
                name: "tools",
                tokens: prefix_tokens,
                prefix_tokens,
                mark: CacheMark::None,
            });
        }
        for block in content.prompt.blocks() {
            let tokens = counter.count(&content.prompt.text[block.range.clone()]);
            prefix_tokens += tokens;
            let mark = mark(model, block.stability, prefix_tokens);
            tiers.push(CacheTier { name: block.stability.as_str(), tokens, prefix_tokens, mark });
        }
        let ttl = model.cache_ttl.first();
        // The automatic mark of a conversation is behind its messages: in a later turn everything in front of it is read.
        let cached = if prefix_tokens >= model.cache_minimum { prefix_tokens } else { 0 };
        let write = ttl.map_or(1.0, |ttl| ttl.write);
        CachePlan {
            model: content.target.model.map(str::to_owned),
            known: found.known,
            minimum: model.cache_minimum,
            ttl: ttl.map(|ttl| ttl.ttl.clone()),
            tiers,
            tokens: prefix_tokens,
            cold: price(cached, write) + price(prefix_tokens - cached, 1.0),
            warm: price(cached, model.cache_read) + price(prefix_tokens - cached, 1.0),
            price: model.price,
            as_of: model.as_of.clone(),
        }
    }

    /// Returns the mark at the end of a block of the prompt.
    pub(super) fn mark(&self, block: usize) -> CacheMark {
        let tools = self.tiers.iter().filter(|tier| tier.name == "tools").count();
        self.tiers.get(tools + block).map_or(CacheMark::None, |tier| tier.mark)
    }

    /// Returns diagnostics about a model that no row has, and about what is too small to be cached.
    #[must_use]
    pub fn diagnostics(&self) -> Diagnostics {
        let mut report = Report::default();
        self.report(&mut report);
        report.finish()
    }

    /// Reports a model that no row has, and what is too small to be cached.
    pub(super) fn report(&self, report: &mut Report) {
        match &self.model {
            None => report.add(DiagnosticCode::RequestNoModel, None, "no model is named"),
            Some(model) if !self.known => {
                let model = crate::settings::shown(model);
                let what = format!("nothing is known about the model `{model}`; cautious values are used");
                report.add(DiagnosticCode::RequestModelUnknown, None, what);
            }
            Some(_) => {}
        }
        let last = self.tiers.iter().rfind(|tier| tier.mark == CacheMark::BelowMinimum);
        if let (Some(tier), true) = (last, self.known) {
            let what = format!(
                "the prefix up to `{}` has about {} tokens, and {} are the fewest that are cached",
                tier.name, tier.prefix_tokens, self.minimum
            );
            report.add(DiagnosticCode::CacheBelowMinimum, None, what);
        }
    }
}

fn mark(model: &Model, stability: Stability, prefix_tokens: usize) -> CacheMark {
    if stability == Stability::Turn {
        return CacheMark::None;
    }
    match model.cache_marks {
        _ if prefix_tokens < model.cache_minimum => CacheMark::BelowMinimum,
        CacheMarks::None if model.cache_ttl.is_empty() => CacheMark::None,
        CacheMarks::None => CacheMark::Automatic,
        CacheMarks::Breakpoint | CacheMarks::CacheControl => CacheMark::Placed,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a price, not a count")]
fn price(tokens: usize, factor: f64) -> f64 {
    tokens as f64 * factor
}

/// Returns the text of a definition, for an estimate.
fn definition(tool: &Tool) -> String {
    let description = tool.description.as_deref().unwrap_or_default();
    let schema = tool.input_schema.as_deref().map(ToString::to_string).unwrap_or_default();
    format!("{}\n{description}\n{schema}", tool.name)
}
