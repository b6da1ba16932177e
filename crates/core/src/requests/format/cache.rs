//! The cache plan: where a request names the end of a prefix that a service keeps, and what that saves.

use super::{RequestContent, report::Report};
use crate::{
    diagnostic::{DiagnosticCode, Diagnostics},
    model::{CacheMarks, CacheTtl, Model},
    settings::shown,
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
    /// The name of a row that is like the name of a model that no row has.
    #[serde(skip)]
    pub near: Option<String>,
    /// The tokens that a prefix needs before it is cached.
    pub minimum: usize,
    /// The lifetime of a cached prefix, where the service names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
    /// The lifetimes that can be chosen.
    #[serde(skip)]
    pub ttls: Vec<CacheTtl>,
    /// A lifetime that was chosen and is none of them.
    #[serde(skip)]
    pub refused_ttl: Option<String>,
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
    /// The tokens of the tier.
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
    /// Plans a request, whatever its format.
    #[must_use]
    pub fn of(content: &RequestContent<'_>) -> Self {
        Self::with_ttls(content, |_| true)
    }

    /// Plans a request in a format that accepts some lifetimes.
    pub(super) fn with_ttls(content: &RequestContent<'_>, accepts: impl Fn(&str) -> bool) -> Self {
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
        let ttls: Vec<CacheTtl> = model.cache_ttl.iter().filter(|one| accepts(&one.ttl)).cloned().collect();
        let chosen = content.target.cache_ttl;
        let found_ttl = ttls.iter().find(|one| chosen.is_some_and(|chosen| one.ttl == chosen));
        let ttl = found_ttl.or(model.cache_ttl.first());
        let mut plan = CachePlan {
            model: content.target.model.map(str::to_owned),
            known: found.known,
            near: content
                .target
                .model
                .filter(|_| !found.known)
                .and_then(|name| content.target.models.near(name)),
            minimum: model.cache_minimum,
            ttl: ttl.map(|ttl| ttl.ttl.clone()),
            refused_ttl: chosen.filter(|_| found_ttl.is_none()).map(str::to_owned),
            tiers,
            tokens: prefix_tokens,
            cold: 0.0,
            warm: 0.0,
            price: model.price,
            as_of: model.as_of.clone(),
            ttls: Vec::new(),
        };
        plan.cold = plan.price_with(ttl.map_or(1.0, |ttl| ttl.write));
        plan.warm = plan.price_with(model.cache_read);
        plan.ttls = ttls;
        plan
    }

    /// Returns true if the request is large enough to be cached.
    ///
    /// The last mark of a conversation is behind its messages: in a later turn everything in front of it is read.
    #[must_use]
    pub fn is_cached(&self) -> bool {
        self.tokens >= self.minimum
    }

    /// Returns the price of the tiers, in input tokens, where a token that is written to the cache or read from it costs so much.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a price, not a count")]
    pub fn price_with(&self, factor: f64) -> f64 {
        self.tokens as f64 * if self.is_cached() { factor } else { 1.0 }
    }

    /// Returns the mark at the end of a block of the prompt.
    pub(super) fn mark(&self, block: usize) -> CacheMark {
        let tools = self.tiers.iter().filter(|tier| tier.name == "tools").count();
        self.tiers.get(tools + block).map_or(CacheMark::None, |tier| tier.mark)
    }

    /// Returns diagnostics about a model that no row has, a lifetime that it has not, and what is too small to be cached.
    #[must_use]
    pub fn diagnostics(&self) -> Diagnostics {
        let mut report = Report::default();
        self.report(&mut report);
        self.report_ttl(&mut report);
        report.finish()
    }

    /// Reports a model that no row has, and what is too small to be cached.
    pub(super) fn report(&self, report: &mut Report) {
        match &self.model {
            None => report.add(DiagnosticCode::RequestModelUnknown, None, "no model is named"),
            Some(model) if !self.known => {
                let model = shown(model);
                let what = format!(
                    "nothing is known about the model `{model}`; cautious values are used, without cache marks"
                );
                report.add(DiagnosticCode::RequestModelUnknown, None, what);
                if let Some(near) = &self.near {
                    report.suggest(near);
                }
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

    /// Reports a lifetime that cannot be chosen.
    pub(super) fn report_ttl(&self, report: &mut Report) {
        let Some(refused) = &self.refused_ttl else { return };
        let model = self.model.as_deref().unwrap_or("the model");
        let ttls: Vec<String> = self.ttls.iter().map(|one| format!("`{}`", one.ttl)).collect();
        let choice = if ttls.is_empty() { "no choice".to_owned() } else { ttls.join(" or ") };
        let what = format!(
            "the lifetime `{}` is not offered for a cache of `{}` here; {choice} is",
            shown(refused),
            shown(model)
        );
        report.add(DiagnosticCode::CacheTtl, None, what);
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

/// Returns the text of a definition, for an estimate.
fn definition(tool: &Tool) -> String {
    let description = tool.description.as_deref().unwrap_or_default();
    let schema = tool.input_schema.as_deref().map(ToString::to_string).unwrap_or_default();
    format!("{}\n{description}\n{schema}", tool.name)
}
