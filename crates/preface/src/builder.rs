//! The inputs of one prompt.

use crate::{Conversation, Error, Preface, Prompt, Store, Tool, stored_template::StoredTemplate};
use preface_core::{declaration::VariableValue, variable::VariableKey};
use preface_engine::{BuildOptions, Engine, TemplateInput, ToolChoice, ToolOption, TrustChoice, setting};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The handling of text from the project, which may come from strangers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trust {
    /// Includes what the user has recorded as trusted. The rest is left out, with a diagnostic, without questions.
    #[default]
    Recorded,
    /// As `Recorded`, and the build fails with [`ErrorKind::Untrusted`](crate::ErrorKind::Untrusted) where text is left out.
    Require,
    /// Includes all text of the project in this one build. Nothing is recorded.
    Once,
    /// Includes no text of the project.
    Deny,
}

/// Collects the inputs of one prompt; [`build`](Self::build) makes it.
///
/// Each setter replaces what an earlier call of it set, but for those that add one of several: `variable`, `setting`,
/// `reminder`. Values that are not valid are reported by `build`.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let preface = preface::Preface::with_home(dir.path());
/// use preface::Trust;
/// let prompt = preface
///     .prompt(dir.path())
///     .preset("default")
///     .model("claude-opus-5-5")
///     .tools(["read", "bash"])
///     .variable("app:name", "Tea")
///     .trust(Trust::Deny)
///     .build()?;
/// assert!(prompt.text().contains("bash"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct PromptBuilder {
    preface: Preface,
    request: BuildOptions,
    /// The stored template, as the caller wrote it; empty for none.
    template: String,
    error: Option<Error>,
}

impl PromptBuilder {
    pub(crate) fn new(preface: Preface, directory: &Path) -> Self {
        PromptBuilder {
            preface,
            request: BuildOptions::in_dir(directory),
            template: String::new(),
            error: None,
        }
    }

    /// Sets the options from JSON, in the place of all that was set before. The names are those of the setters, as the service and the
    /// command line have them, too: `preset`, `profile`, `model`, `tools` (names or definitions), `agent`, `variables`, `settings`,
    /// `trust` (`recorded`, `require`, `once`, `deny`), `trust_pins`, `budget`, `tokenizer`, `now`, `time_zone`, `template`,
    /// `template_text`, `events`, and `directory`.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # let preface = preface::Preface::with_home(dir.path());
    /// use serde_json::json;
    /// let options = json!({"tools": ["read"], "variables": {"app:name": "Tea"}, "trust": "deny"});
    /// assert!(preface.prompt(dir.path()).options(options).build()?.text().contains("read"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn options(mut self, options: impl Into<Value>) -> Self {
        match serde_json::from_value::<BuildOptions>(options.into()) {
            Ok(mut options) => {
                self.template = options.template.take().unwrap_or_default();
                options.cwd = options.cwd.or(self.request.cwd);
                self.request = options;
            }
            Err(error) => {
                let help = "a variable is a type, a colon and a name, such as `app:name`; docs/reference/options.md lists all options";
                self.error.get_or_insert(Error::usage(format!("the options are not valid: {error}"), help));
            }
        }
        self
    }

    /// Chooses a preset, or a profile of the user, by name. Without it the user's settings choose, else `default`.
    pub fn preset(mut self, name: impl Into<String>) -> Self {
        self.request.preset = Some(name.into());
        self
    }

    /// Chooses a profile file, before `preset`.
    pub fn profile(mut self, file: impl Into<PathBuf>) -> Self {
        self.request.profile = Some(file.into());
        self
    }

    /// Sets the name of the model, as the service knows it. It is a variable of the prompt, and decides about cache marks.
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.request.model = Some(name.into());
        self
    }

    /// Sets the active tools, by name or with their definitions. Without it they are those of the profile.
    pub fn tools<T: Into<Tool>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        let option = |tool: Tool| match Tool::new(tool.name.as_str()) == tool {
            true => ToolOption::Name(tool.name),
            false => ToolOption::Definition(Box::new(tool)),
        };
        self.request.tools = ToolChoice::of(tools.into_iter().map(|tool| option(tool.into())).collect());
        self
    }

    /// Sets the agent whose prompt it is. Without it the prompt is that of the main conversation.
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.request.agent = Some(name.into());
        self
    }

    /// Sets a variable, `type:name`: a text, a flag or a list, with the type of its declaration.
    pub fn variable(self, name: impl AsRef<str>, value: impl Into<VariableValue>) -> Self {
        self.with_variable(name.as_ref(), Some(value.into()))
    }

    /// Removes a variable, `type:name`: templates and conditions see that it is absent.
    pub fn without_variable(self, name: impl AsRef<str>) -> Self {
        self.with_variable(name.as_ref(), None)
    }

    fn with_variable(mut self, name: &str, value: Option<VariableValue>) -> Self {
        match name.parse::<VariableKey>() {
            Ok(key) => {
                self.request.variables.insert(key, value);
            }
            Err(error) => {
                let help = "a name is a type, a colon and a name, such as `app:name`";
                self.error.get_or_insert(Error::usage(error.to_string(), help));
            }
        }
        self
    }

    /// Sets an option of the profile, or a setting by its path, such as `sections.git.when`.
    pub fn setting(mut self, path: impl AsRef<str>, value: impl Into<Value>) -> Self {
        match setting(path.as_ref(), &value.into()) {
            Ok(set) => self.request.sets.push(set),
            Err(message) => {
                self.error.get_or_insert(Error::usage(message, "a path has keys with dots between them"));
            }
        }
        self
    }

    /// Sets the handling of text from the project.
    pub fn trust(mut self, trust: Trust) -> Self {
        self.request.trust = match trust {
            Trust::Recorded => TrustChoice::Ask,
            Trust::Require => TrustChoice::Require,
            Trust::Once => TrustChoice::Once,
            Trust::Deny => TrustChoice::Deny,
        };
        self
    }

    /// Trusts the files of an export of `preface trust export`, as long as their content is what was exported.
    pub fn trust_pins(mut self, export: impl Into<Vec<u8>>) -> Self {
        self.request.pins = Some(export.into());
        self
    }

    /// Limits the prompt to so many tokens. Sections are cut by their priority, with a diagnostic each.
    pub fn budget(mut self, tokens: usize) -> Self {
        self.request.budget = Some(tokens);
        self
    }

    /// Chooses the tokenizer, such as `estimate:bytes4`, or `o200k` with the feature `exact-counts`.
    pub fn tokenizer(mut self, name: impl Into<String>) -> Self {
        self.request.counter = Some(name.into());
        self
    }

    /// Fixes the instant, RFC 3339, in the place of now.
    pub fn now(mut self, instant: impl Into<String>) -> Self {
        self.request.now = Some(instant.into());
        self
    }

    /// Sets the time zone by name, such as `Europe/Berlin`, in the place of the machine's.
    pub fn time_zone(mut self, name: impl Into<String>) -> Self {
        self.request.zone = Some(name.into());
        self
    }

    /// Chooses a template of the user's store, for a profile that takes one, such as `template`: `NAME`, `NAME@LABEL` or
    /// `NAME@3`. Without it the template `main`, if there is one. It needs the feature `store-sqlite` or `store-postgres`.
    ///
    /// [`conversation`](Self::conversation) takes it from the store of the conversation.
    pub fn template(mut self, name: impl Into<String>) -> Self {
        self.template = name.into();
        self
    }

    /// Gives the text of the template, for a profile that takes one, in place of a stored one.
    pub fn template_text(mut self, text: impl AsRef<str>) -> Self {
        self.request.template_text = Some(TemplateInput::unsaved("main", text.as_ref()));
        self
    }

    /// Adds an event that calls for a reminder: a JSON object with a `type`. Reminders go with the messages of a
    /// [request](Prompt::request), and are no part of the text.
    pub fn reminder(mut self, event: impl Into<Value>) -> Self {
        self.request.events.push(event.into());
        self
    }

    /// Builds the prompt. Files are read, and no model is called; where the profile has them, its loggers are written and its
    /// first files are made.
    ///
    /// # Errors
    /// A value that is not valid, a profile that cannot be read, text that is larger than the budget and must not be cut, or
    /// untrusted text with [`Trust::Require`]. Everything else is a [diagnostic](Prompt::diagnostics).
    pub fn build(self) -> Result<Prompt, Error> {
        let PromptBuilder { preface, request, template, error } = self;
        if let Some(error) = error {
            return Err(error);
        }
        let cwd = request.cwd.clone().unwrap_or_default();
        let cwd = std::path::absolute(&cwd).unwrap_or(cwd);
        let stored = StoredTemplate { system: preface.system().clone(), cwd, name: template };
        let engine = Engine::new(&**preface.system()).with_templates(&stored);
        let built = engine.build(&request).map_err(Error::of_engine)?;
        Ok(Prompt::of(built, &preface))
    }

    /// Opens a conversation in a store: its first call builds the prompt and stores it, later ones read it. With `None` in the place of
    /// a store the conversation holds its prompt itself, and its requests are not recorded. `id` is yours: 1 to 255 bytes without
    /// control characters.
    ///
    /// Reminders that were added here go with the first request. A later call with other inputs gets the stored prompt and
    /// diagnostics about what differs.
    ///
    /// # Errors
    /// As [`build`](Self::build); and an id that is not valid, a store that does not answer, or a stored prompt with text that
    /// is no longer trusted.
    pub fn conversation<'s>(
        self,
        store: impl Into<Option<&'s Store>>,
        id: impl AsRef<str>,
    ) -> Result<Conversation, Error> {
        let PromptBuilder { preface, request, template, error } = self;
        match error {
            Some(error) => Err(error),
            None => Conversation::open(&preface, store.into(), id.as_ref(), request, template),
        }
    }
}
