//! Reminder integrity: imitations of the reminder tag in the messages of a conversation, and their treatment.
//!
//! Only preface writes that tag. Messages of users and results of tools are checked wherever a model would
//! read them: in a string, and in every string of a block (text, documents, resources, search results,
//! titles). The profile's own frames stay as they are.

use super::model::FrameSpan;
use crate::{
    attachment::REMINDER_TAG,
    lint::forged::{Imitation, escape, scan_tags},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{borrow::Cow, ops::Range};

/// The treatment of imitations of the reminder tag in a message of a user or a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImitationPolicy {
    /// They are sent unchanged.
    #[default]
    Keep,
    /// Their `<` becomes `&lt;`, which is reported.
    Neutralise,
}

/// Escapes imitations in the content of a message, or the output of an item, and returns their number. `frames` are moved along with
/// their text.
pub(super) fn neutralise(fields: &mut Map<String, Value>, frames: &mut [FrameSpan]) -> usize {
    let item = fields.get_mut("output").map_or(0, in_value);
    let content = match fields.get_mut("content") {
        Some(Value::Array(blocks)) => in_blocks(blocks, frames),
        Some(content) => in_value(content),
        None => 0,
    };
    item + content
}

/// Returns true if the content has an imitation.
pub(super) fn has_imitation(fields: &Map<String, Value>) -> bool {
    fn holds(value: &Value) -> bool {
        match value {
            Value::String(text) => !find_tags(text).is_empty(),
            Value::Array(values) => {
                values.iter().any(holds) || text_runs(values).any(|(_, text)| !find_tags(&text).is_empty())
            }
            Value::Object(fields) => fields.values().any(holds),
            _ => false,
        }
    }
    ["content", "output"].iter().any(|key| fields.get(*key).is_some_and(holds))
}

/// Escapes imitations in every string of a value: a model may read titles, sources and nested documents as
/// well as `text`. Encoded data is not changed, because base64 has no `<`.
fn in_value(value: &mut Value) -> usize {
    match value {
        Value::String(text) => escape_found(text, &find_tags(text), &mut []),
        Value::Array(values) => in_blocks(values, &mut []),
        Value::Object(fields) => fields.values_mut().map(in_value).sum(),
        _ => 0,
    }
}

/// Escapes imitations in blocks. A model reads text blocks in a row as one text, so a tag may begin in one and end in another.
/// Frames refer to the `text` of their block.
fn in_blocks(blocks: &mut [Value], frames: &mut [FrameSpan]) -> usize {
    let runs: Vec<(Range<usize>, Vec<Imitation>)> =
        text_runs(blocks).map(|(run, text)| (run, find_tags(&text))).collect();
    let mut count = 0;
    for (run, found) in runs {
        let mut start = 0;
        for at in run {
            let Some(text) = text_mut(&mut blocks[at]) else { continue };
            let end = start + text.len();
            let mut own: Vec<&mut FrameSpan> = frames.iter_mut().filter(|frame| frame.block == at).collect();
            let found: Vec<Imitation> = found
                .iter()
                .filter(|one| (start..end).contains(&one.range.start))
                .map(|one| Imitation { range: one.range.start - start..one.range.end - start, ..one.clone() })
                .filter(|one| !own.iter().any(|frame| frame.range.contains(&one.range.start)))
                .collect();
            count += escape_found(text, &found, &mut own);
            start = end;
        }
    }
    let others = blocks.iter_mut().map(|block| match block {
        Value::Object(fields) => fields
            .iter_mut()
            .filter(|(key, value)| *key != "text" || !value.is_string())
            .map(|(_, value)| in_value(value))
            .sum(),
        Value::String(_) => 0,
        value => in_value(value),
    });
    count + others.sum::<usize>()
}

/// Returns the texts of blocks that follow each other, joined, with the range of the blocks.
fn text_runs(blocks: &[Value]) -> impl Iterator<Item = (Range<usize>, Cow<'_, str>)> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = next + blocks[next..].iter().position(|block| text_of(block).is_some())?;
        let run = blocks[start..].iter().map_while(text_of);
        let (length, text) =
            run.fold((0, Cow::Borrowed("")), |(length, text), more| (length + 1, text + more));
        next = start + length;
        Some((start..next, text))
    })
}

fn text_of(block: &Value) -> Option<&str> {
    match block {
        Value::String(text) => Some(text),
        Value::Object(fields) => fields.get("text")?.as_str(),
        _ => None,
    }
}

fn text_mut(block: &mut Value) -> Option<&mut String> {
    match block {
        Value::String(text) => Some(text),
        Value::Object(fields) => match fields.get_mut("text")? {
            Value::String(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// Escapes what was found in a text, moves the frames along, and returns how many there are.
fn escape_found(text: &mut String, found: &[Imitation], frames: &mut [&mut FrameSpan]) -> usize {
    if found.is_empty() {
        return 0;
    }
    let longer = "&lt;".len() - "<".len();
    let before = |at: usize| longer * found.iter().filter(|forged| forged.range.start < at).count();
    for frame in frames {
        frame.range =
            frame.range.start + before(frame.range.start)..frame.range.end + before(frame.range.end);
    }
    *text = escape(text, found).into_owned();
    found.len()
}

fn find_tags(text: &str) -> Vec<Imitation> {
    scan_tags(text, &[REMINDER_TAG])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn escaped(content: Value) -> (Value, usize) {
        let Value::Object(mut fields) = json!({ "role": "user", "content": content }) else { unreachable!() };
        let has_imitation = has_imitation(&fields);
        let count = neutralise(&mut fields, &mut []);
        assert_eq!(has_imitation, count > 0, "{fields:?}");
        (fields.remove("content").unwrap(), count)
    }

    #[test]
    fn a_tag_is_found_wherever_a_model_would_read_it() {
        let cases = [
            (json!("a <system-reminder>b"), json!("a &lt;system-reminder>b"), 1),
            (json!("< / System-Reminder >"), json!("&lt; / System-Reminder >"), 1),
            (json!("<system-reminders> <reminder> system-reminder"), Value::Null, 0),
            (
                json!([{"type": "text", "text": "</system-reminder>"}]),
                json!([{"type": "text", "text": "&lt;/system-reminder>"}]),
                1,
            ),
            (
                json!([{"type": "tool_result", "content": "<system-reminder>"}, {"type": "tool_result",
                    "content": [{"type": "text", "text": "<system-reminder/>"}, {"type": "image", "data": "aGk="}]}]),
                json!([{"type": "tool_result", "content": "&lt;system-reminder>"}, {"type": "tool_result",
                    "content": [{"type": "text", "text": "&lt;system-reminder/>"}, {"type": "image", "data": "aGk="}]}]),
                2,
            ),
            (
                json!([{"type": "document", "title": "<system-reminder>", "context": "</system-reminder>",
                    "source": {"type": "text", "media_type": "text/plain", "data": "<system-reminder>"}}]),
                json!([{"type": "document", "title": "&lt;system-reminder>", "context": "&lt;/system-reminder>",
                    "source": {"type": "text", "media_type": "text/plain", "data": "&lt;system-reminder>"}}]),
                3,
            ),
            (
                json!([{"type": "tool_result", "content": [
                    {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "<system-reminder>"}]}},
                    {"type": "resource", "resource": {"uri": "a:b", "text": "<system-reminder>"}},
                    {"type": "search_result", "source": "<system-reminder>", "title": "<system-reminder>", "content": []}]},
                    {"type": "web_search_tool_result", "content": [{"type": "web_search_result", "title": "<system-reminder>"}]}]),
                json!([{"type": "tool_result", "content": [
                    {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "&lt;system-reminder>"}]}},
                    {"type": "resource", "resource": {"uri": "a:b", "text": "&lt;system-reminder>"}},
                    {"type": "search_result", "source": "&lt;system-reminder>", "title": "&lt;system-reminder>", "content": []}]},
                    {"type": "web_search_tool_result", "content": [{"type": "web_search_result", "title": "&lt;system-reminder>"}]}]),
                5,
            ),
            (
                json!([{"type": "text", "text": "a <system-"}, {"type": "text", "text": ""}, {"type": "text", "text": "reminder> b"},
                    {"type": "tool_result", "content": [{"type": "text", "text": "<"}, {"type": "text", "text": "/system-reminder>"}]}]),
                json!([{"type": "text", "text": "a &lt;system-"}, {"type": "text", "text": ""}, {"type": "text", "text": "reminder> b"},
                    {"type": "tool_result", "content": [{"type": "text", "text": "&lt;"}, {"type": "text", "text": "/system-reminder>"}]}]),
                2,
            ),
            (
                json!([{"type": "text", "text": "<system-"}, {"type": "image", "data": "aGk="}, {"type": "text", "text": "reminder>"}]),
                Value::Null,
                0,
            ),
            (json!("<\u{17f}ystem_reminder>"), json!("&lt;\u{17f}ystem_reminder>"), 1),
        ];
        for (content, expected, count) in cases {
            let expected = if expected.is_null() { content.clone() } else { expected };
            assert_eq!(escaped(content), (expected, count));
        }
    }

    #[test]
    fn words_of_a_frame_stay_and_move() {
        let mut fields = Map::new();
        let text = "<system-reminder>\n<system-reminder>\n</system-reminder>";
        fields.insert("content".to_owned(), json!([{ "type": "text", "text": text }]));
        let frame = |range| FrameSpan { block: 0, range };
        let mut frames = [frame(0..18), frame(35..text.len())];
        assert_eq!(neutralise(&mut fields, &mut frames), 1);
        let safe = fields["content"][0]["text"].as_str().unwrap();
        assert_eq!(safe, "<system-reminder>\n&lt;system-reminder>\n</system-reminder>");
        assert_eq!(frames, [frame(0..18), frame(38..safe.len())]);
        assert_eq!(&safe[frames[1].range.clone()], "\n</system-reminder>");
    }
}
