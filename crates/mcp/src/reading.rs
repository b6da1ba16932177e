//! Reads what a server lists, item by item: a bad item is left out with a note and does not cost the others.

use crate::{story::Story, words};
use preface_core::mcp_servers::{DescribedArgument, DescribedPrompt, DescribedResource, DescribedTool, Want};
use serde_json::Value;
use std::collections::BTreeSet;

/// The longest name of a tool or a prompt, in bytes. Vendors stop at 64 or 128.
const NAME: usize = 256;

/// The longest address of a resource, in bytes.
const URI: usize = 4 << 10;

/// The longest description and the longest instructions, in bytes. A prompt takes less.
const TEXT: usize = 64 << 10;

const REMEDY: &str = "tell whoever makes the server";

/// A name that is only shown: short, without anything hidden.
pub(crate) fn bounded_name(name: &str) -> String {
    words::shown(name.as_bytes(), NAME / 2)
}

/// Reads the instructions.
pub(crate) fn instructions(text: Option<&str>, story: &mut Story) -> Option<String> {
    let text = text.filter(|text| !text.trim().is_empty())?;
    Some(whole(text, "its instructions are", story))
}

/// Reads the tools.
pub(crate) fn tools(items: Vec<Value>, story: &mut Story) -> Vec<DescribedTool> {
    let mut names = BTreeSet::new();
    let mut read = |mut item: Value| {
        let name = fresh("tool", &item, "name", NAME, &mut names, story)?;
        let input_schema = match item.get_mut("inputSchema").map(Value::take) {
            None | Some(Value::Null) => None,
            Some(schema @ Value::Object(_)) => Some(schema),
            Some(_) => {
                let what = format!("the tool `{}` is left out: its schema is no object", shown(&name));
                story.note("mcp/item", what, REMEDY);
                return None;
            }
        };
        let description = described("tool", &name, &item, story);
        Some(DescribedTool { name, description, input_schema })
    };
    items.into_iter().filter_map(&mut read).collect()
}

/// Reads the prompts.
pub(crate) fn prompts(items: Vec<Value>, story: &mut Story) -> Vec<DescribedPrompt> {
    let mut names = BTreeSet::new();
    let mut read = |item: Value| {
        let name = fresh("prompt", &item, "name", NAME, &mut names, story)?;
        let description = described("prompt", &name, &item, story);
        let mut taken = BTreeSet::new();
        let arguments = item.get("arguments").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let arguments = arguments
            .iter()
            .filter_map(|argument| {
                let what = format!("argument of the prompt `{}`", shown(&name));
                let name = fresh(&what, argument, "name", NAME, &mut taken, story)?;
                let description = described(&what, &name, argument, story);
                let required = argument.get("required").and_then(Value::as_bool).unwrap_or(false);
                Some(DescribedArgument { name, description, required })
            })
            .collect();
        Some(DescribedPrompt { name, description, arguments })
    };
    items.into_iter().filter_map(&mut read).collect()
}

/// Reads the resources.
pub(crate) fn resources(items: Vec<Value>, story: &mut Story) -> Vec<DescribedResource> {
    let mut uris = BTreeSet::new();
    let mut read = |item: Value| {
        let uri = fresh("resource", &item, "uri", URI, &mut uris, story)?;
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        let name = text("name").unwrap_or_default();
        let name = if name.len() > NAME { bounded_name(name) } else { name.to_owned() };
        let mime_type = text("mimeType").filter(|it| it.len() <= NAME).map(str::to_owned);
        let description = described("resource", &uri, &item, story);
        Some(DescribedResource { uri, name, description, mime_type })
    };
    items.into_iter().filter_map(&mut read).collect()
}

/// Reads what was answered to a want: its texts. `None` where the answer is of another shape.
pub(crate) fn texts(want: &Want, answer: &Value, at_most: usize, story: &mut Story) -> Option<Vec<String>> {
    let (list, part): (&str, fn(&Value) -> Option<&str>) = match want {
        Want::Prompt { .. } => ("messages", of_message),
        Want::Resource { .. } => ("contents", |part| part.get("text")?.as_str()),
    };
    let Some(parts) = answer.get(list).and_then(Value::as_array) else {
        story.note("mcp/item", format!("{want} is answered without {list}"), REMEDY);
        return None;
    };
    let mut texts = Vec::new();
    let (mut taken, mut other) = (0, 0);
    for each in parts {
        let Some(text) = part(each) else {
            other += 1;
            continue;
        };
        taken += text.len();
        if taken > at_most {
            let what = format!("{want} is longer than {at_most} bytes; it is left out");
            story.note("mcp/too-long", what, "ask the server for less");
            return None;
        }
        texts.push(text.to_owned());
    }
    if other > 0 {
        let what = format!("{want} has {other} parts that are no text; they are left out");
        story.note("mcp/not-text", what, "only text can stand in a prompt");
    }
    Some(texts)
}

/// The text of a message of a prompt, whose content is one part, or a resource that is a text.
fn of_message(message: &Value) -> Option<&str> {
    let content = message.get("content")?;
    content.get("text").or_else(|| content.get("resource")?.get("text"))?.as_str()
}

/// Reads the name of an item. `None`, and a note, where it has none, an absurd one, or one that was there before.
fn fresh(
    what: &str,
    item: &Value,
    key: &str,
    longest: usize,
    seen: &mut BTreeSet<String>,
    story: &mut Story,
) -> Option<String> {
    let wrong = match item.get(key) {
        Some(Value::String(name)) if name.trim().is_empty() => format!("its {key} is empty"),
        Some(Value::String(name)) if name.len() > longest => {
            format!("its {key} has {} bytes: `{}`", name.len(), shown(name))
        }
        Some(Value::String(name)) if name.chars().any(char::is_control) => {
            format!("its {key} holds control characters: `{}`", shown(name))
        }
        Some(Value::String(name)) if !seen.insert(name.clone()) => {
            let what = format!("the {what} `{}` comes twice; the first is kept", shown(name));
            story.note("mcp/duplicate", what, REMEDY);
            return None;
        }
        Some(Value::String(name)) => return Some(name.clone()),
        Some(_) => format!("its {key} is no text"),
        None => format!("it has no {key}"),
    };
    story.note("mcp/item", format!("a {what} is left out: {wrong}"), REMEDY);
    None
}

fn described(what: &str, name: &str, item: &Value, story: &mut Story) -> Option<String> {
    let text = item.get("description")?.as_str()?;
    Some(whole(text, &format!("the description of the {what} `{}` is", shown(name)), story))
}

/// Keeps a text whole up to a length that no honest one has.
fn whole(text: &str, what_is: &str, story: &mut Story) -> String {
    if text.len() <= TEXT {
        return text.to_owned();
    }
    let mut end = TEXT;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let what = format!("{what_is} {} bytes long; {end} are kept", text.len());
    story.note("mcp/too-long", what, REMEDY);
    text[..end].to_owned()
}

fn shown(name: &str) -> String {
    words::shown(name.as_bytes(), 80)
}
