//! What a server says of itself, as it is recorded. All of it is somebody else's text.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, fmt};

/// What a server says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Described {
    /// How to use the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Its tools, as `tools/list` answers.
    #[serde(default)]
    pub tools: Vec<DescribedTool>,
    /// Its prompts, as `prompts/list` answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<DescribedPrompt>,
    /// Its resources, as `resources/list` answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<DescribedResource>,
    /// The prompts and resources that a profile names, with what they said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fetched: Vec<Fetched>,
}

/// A tool of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DescribedTool {
    /// Its name.
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    #[serde(default, rename = "inputSchema", skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
}

/// A prompt of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DescribedPrompt {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<DescribedArgument>,
}

/// An argument of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DescribedArgument {
    /// Its name.
    pub name: String,
    /// What it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// True where the prompt cannot do without.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// A resource of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DescribedResource {
    /// Its address.
    pub uri: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its media type.
    #[serde(default, rename = "mimeType", skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
}

/// What somebody wants of a server beside its lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Want {
    /// The messages of a prompt.
    Prompt {
        /// Which.
        name: String,
        /// What it is given.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        arguments: BTreeMap<String, String>,
    },
    /// The text of a resource.
    Resource {
        /// Which.
        uri: String,
    },
}

impl fmt::Display for Want {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Want::Prompt { name, .. } => write!(f, "prompt `{name}`"),
            Want::Resource { uri } => write!(f, "resource `{uri}`"),
        }
    }
}

/// What a server answered to a [`Want`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fetched {
    /// What was wanted.
    pub want: Want,
    /// The texts: the messages of a prompt, or the contents of a resource.
    pub texts: Vec<String>,
}

impl Described {
    /// Sorts every list by name and drops what comes twice, so that the order in which a server answers changes no byte of
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

    /// Returns what was answered to a want.
    #[must_use]
    pub fn fetched(&self, want: &Want) -> Option<&Fetched> {
        self.fetched.iter().find(|fetched| &fetched.want == want)
    }
}
