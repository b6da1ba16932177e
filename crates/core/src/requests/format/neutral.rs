//! The whole call as one JSON object that belongs to no vendor: `system`, `messages`, `tools`.

use super::{FormattedRequest, RequestContent, place::place};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    message::ModelRole,
    settings::shown,
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// The neutral format: prompt, messages and tools as JSON with two blanks for each level, a final newline, and keys always in
/// the same order.
///
/// An [`Attachment`](crate::attachment::Attachment) is in a message of the user, between tags.
/// `system` is `null` where the prompt is empty. A message keeps all its fields but the `details` of a tool's result, which
/// are for the agent's interface. A tool without a schema takes any object, which is reported.
pub(super) fn format(content: RequestContent<'_>) -> FormattedRequest {
    let mut diagnostics = Diagnostics::new();
    let placement = place(&content, &mut diagnostics);
    let attachments = placement.new_ones();
    // The details of a result are for the agent's interface.
    let messages = placement.messages(content.messages).into_iter().map(|(role, mut fields)| {
        if role == ModelRole::ToolResult && fields.contains_key("details") {
            fields.to_mut().shift_remove("details");
        }
        fields
    });
    let any = json!({ "type": "object" });
    let tools = content.tools.iter().map(|tool| NeutralTool {
        name: &tool.name,
        description: tool.description.as_deref().unwrap_or_default(),
        input_schema: tool.input_schema.as_deref().unwrap_or(&any),
    });
    let body = NeutralBody {
        system: Some(&*content.prompt.text).filter(|text| !text.is_empty()),
        messages: messages.collect(),
        tools: tools.collect(),
    };
    // Strings, numbers and maps with string keys are always JSON.
    let mut body = serde_json::to_string_pretty(&body).unwrap_or_default();
    body.push('\n');
    let bare = content.tools.iter().filter(|tool| tool.input_schema.is_none());
    diagnostics.extend(bare.map(|tool| no_schema(&tool.name)));
    FormattedRequest {
        media_type: "application/json",
        body,
        attachments,
        diagnostics,
        ..FormattedRequest::default()
    }
}

fn no_schema(name: &str) -> Diagnostic {
    let message =
        format!("the tool `{}` has no schema; it is sent as one that takes any object", shown(name));
    Diagnostic::info(DiagnosticCode::ToolNoSchema, message).help("its manifest may give `inputSchema`")
}

#[derive(Serialize)]
struct NeutralBody<'c> {
    system: Option<&'c str>,
    messages: Vec<Cow<'c, Map<String, Value>>>,
    tools: Vec<NeutralTool<'c>>,
}

#[derive(Serialize)]
struct NeutralTool<'c> {
    name: &'c str,
    description: &'c str,
    input_schema: &'c Value,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        message::{Message, MessageForms, convert},
        prompt::Prompt,
        turn::Tool,
    };

    #[test]
    fn an_empty_request_is_written() {
        let body = format(RequestContent::from(&Prompt::default())).body;
        assert_eq!(body, "{\n  \"system\": null,\n  \"messages\": [],\n  \"tools\": []\n}\n");
    }

    #[test]
    fn order_and_unknown_fields_stay_and_details_go() {
        let history: Vec<Message> = serde_json::from_str(
            r#"[{"zeta":1,"role":"user","content":"hi","details":"kept"},
                {"role":"toolResult","toolCallId":"c","content":[],"details":{"lines":1},"isError":false}]"#,
        )
        .unwrap();
        let messages = convert(&history, &MessageForms::default()).messages;
        let schema = json!({"type": "object", "required": ["path"], "additionalProperties": false});
        let tools = [
            Tool { name: "write".into(), description: Some("Writes.".into()), ..Tool::default() },
            Tool { name: "read".into(), input_schema: Some(schema.into()), ..Tool::default() },
        ];
        let prompt = Prompt { text: "Be \"brief\".\n".into(), ..Prompt::default() };
        let request =
            format(RequestContent { messages: &messages, tools: &tools, ..RequestContent::from(&prompt) });
        assert_eq!(
            request.body,
            r#"{
  "system": "Be \"brief\".\n",
  "messages": [
    {
      "zeta": 1,
      "role": "user",
      "content": "hi",
      "details": "kept"
    },
    {
      "role": "toolResult",
      "toolCallId": "c",
      "content": [],
      "isError": false
    }
  ],
  "tools": [
    {
      "name": "write",
      "description": "Writes.",
      "input_schema": {
        "type": "object"
      }
    },
    {
      "name": "read",
      "description": "",
      "input_schema": {
        "type": "object",
        "required": [
          "path"
        ],
        "additionalProperties": false
      }
    }
  ]
}
"#
        );
        let codes: Vec<&str> =
            request.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        assert_eq!(codes, ["the tool `write` has no schema; it is sent as one that takes any object"]);
    }
}
