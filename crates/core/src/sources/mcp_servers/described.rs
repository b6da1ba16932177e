//! The recorded description of a server: its own text, so that of a third party.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, fmt};

/// The description that a server gives of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerDescription {
    /// The server's instructions for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The tools, as `tools/list` returns them.
    #[serde(default)]
    pub tools: Vec<DescribedTool>,
    /// The prompts, as `prompts/list` returns them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<DescribedPrompt>,
    /// The resources, as `resources/list` returns them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<DescribedResource>,
    /// The prompts and resources that a profile uses, with their texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fetched: Vec<FetchedContent>,
}

/// A tool of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DescribedTool {
    /// The name of the tool.
    pub name: String,
    /// The description for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    #[serde(default, rename = "inputSchema", skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
}

/// A prompt of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DescribedPrompt {
    /// The name of the prompt.
    pub name: String,
    /// The purpose of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The arguments that the prompt takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<DescribedArgument>,
}

/// An argument of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DescribedArgument {
    /// The name of the argument.
    pub name: String,
    /// The meaning of the argument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// True if the prompt requires it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// A resource of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DescribedResource {
    /// The address of the resource.
    pub uri: String,
    /// The name of the resource.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The description of the resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The media type of the contents.
    #[serde(default, rename = "mimeType", skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
}

/// A prompt or resource to fetch from a server, besides its lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContentRequest {
    /// The messages of a prompt.
    Prompt {
        /// The name of the prompt.
        name: String,
        /// The values of the prompt's arguments.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        arguments: BTreeMap<String, String>,
    },
    /// The text of a resource.
    Resource {
        /// The address of the resource.
        uri: String,
    },
}

impl fmt::Display for ContentRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContentRequest::Prompt { name, .. } => write!(f, "prompt `{name}`"),
            ContentRequest::Resource { uri } => write!(f, "resource `{uri}`"),
        }
    }
}

/// The reply of a server to a [`ContentRequest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FetchedContent {
    /// The prompt or resource that was fetched.
    pub want: ContentRequest,
    /// The texts: the messages of a prompt, or the contents of a resource.
    pub texts: Vec<String>,
}

impl ServerDescription {
    /// Sorts every list by name and removes duplicates, so that the order of a server's reply does not change
    /// a prompt.
    pub fn settle(&mut self) {
        self.tools.sort_by(|a, b| a.name.cmp(&b.name));
        self.tools.dedup_by(|a, b| a.name == b.name);
        self.prompts.sort_by(|a, b| a.name.cmp(&b.name));
        self.prompts.dedup_by(|a, b| a.name == b.name);
        self.resources.sort_by(|a, b| a.uri.cmp(&b.uri));
        self.resources.dedup_by(|a, b| a.uri == b.uri);
        self.fetched.sort_by(|a, b| a.want.cmp(&b.want));
        self.fetched.dedup_by(|a, b| a.want == b.want);
    }

    /// Returns the reply to a content request.
    #[must_use]
    pub fn fetched(&self, want: &ContentRequest) -> Option<&FetchedContent> {
        self.fetched.iter().find(|fetched| &fetched.want == want)
    }
}
