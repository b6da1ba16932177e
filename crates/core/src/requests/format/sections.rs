//! The prompt as a list of sections, for agents that compose their prompt of sections themselves.

use super::{FormattedRequest, RequestContent, json::Json, json::object};
use crate::variable::Stability;
use std::collections::BTreeSet;

/// The prompt as a JSON array of `{id, text, scope}`, a section for each part, as the hook `prompt.compose` of Claude Code returns it.
///
/// `scope` is `shared` for the parts up to the first that is not static, and `session` for all others, so that every shared section
/// comes first and the order of the prompt is kept. The texts, one after the other, are the prompt. Messages, tools and
/// attachments are not part of it.
pub(super) fn format(content: RequestContent<'_>) -> FormattedRequest {
    let prompt = content.prompt;
    let mut ids = BTreeSet::new();
    let mut scope = "shared";
    let sections = prompt.parts.iter().filter(|part| !part.range.is_empty()).map(|part| {
        if part.stability != Stability::Static {
            scope = "session";
        }
        let id = unique_id(part.section.as_str(), &ids);
        ids.insert(id.clone());
        object! { "id": id, "text": prompt.text_of(part), "scope": scope }
    });
    FormattedRequest {
        media_type: "application/json",
        body: Json::List(sections.collect()).print(content.target.indented),
        ..FormattedRequest::default()
    }
}

/// Returns an id that is not taken: `id`, else `id-2`, `id-3` and so on.
fn unique_id(id: &str, taken: &BTreeSet<String>) -> String {
    let mut free = id.to_owned();
    let mut number = 2;
    while taken.contains(&free) {
        free = format!("{id}-{number}");
        number += 1;
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        prompt::{Part, Prompt},
        section::SectionId,
    };
    use serde_json::{Value, json};

    fn prompt(parts: &[(&str, &str, Stability)]) -> Prompt {
        let mut prompt = Prompt::default();
        for (id, text, stability) in parts {
            let start = prompt.text.len();
            prompt.text.push_str(text);
            prompt.parts.push(Part {
                section: SectionId::new(*id),
                provider: None,
                range: start..prompt.text.len(),
                stability: *stability,
                priority: 0,
                spans: Vec::new(),
                cuts: Vec::new(),
            });
        }
        prompt
    }

    fn sections(prompt: &Prompt) -> Value {
        serde_json::from_str(&format(RequestContent::from(prompt)).body).unwrap()
    }

    #[test]
    fn static_parts_in_front_are_shared() {
        use Stability::{Conversation, Static, Turn};
        let prompt = prompt(&[
            ("identity", "You help.", Static),
            ("rules", "\n\nUse \"tabs\".", Static),
            ("place", "\n\nIn /a.", Conversation),
            ("late", "\n\nBe brief.", Static),
            ("today", "\n\nFriday.", Turn),
        ]);
        assert_eq!(
            sections(&prompt),
            json!([
                {"id": "identity", "text": "You help.", "scope": "shared"},
                {"id": "rules", "text": "\n\nUse \"tabs\".", "scope": "shared"},
                {"id": "place", "text": "\n\nIn /a.", "scope": "session"},
                {"id": "late", "text": "\n\nBe brief.", "scope": "session"},
                {"id": "today", "text": "\n\nFriday.", "scope": "session"},
            ])
        );
    }

    #[test]
    fn each_id_is_there_once_and_nothing_is_lost() {
        use Stability::Static;
        let prompt = prompt(&[
            ("a", "1", Static),
            ("a-2", "2", Static),
            ("a", "3", Static),
            ("b", "", Static),
            ("a", "4", Static),
        ]);
        let sections = sections(&prompt);
        let field = |key: &str| -> Vec<&str> {
            sections.as_array().unwrap().iter().map(|section| section[key].as_str().unwrap()).collect()
        };
        assert_eq!(field("id"), ["a", "a-2", "a-3", "a-4"]);
        assert_eq!(field("text").concat(), prompt.text);
    }
}
