//! The texts around a converted message. They are data of a profile (`[messages]`).

use super::guard::Guard;
use serde::{Deserialize, Serialize};

/// The texts before and after a text of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Frame {
    /// The text before it.
    pub before: String,
    /// The text after it.
    pub after: String,
}

impl Frame {
    /// Builds a frame.
    #[must_use]
    pub fn new(before: &str, after: &str) -> Self {
        Frame { before: before.to_owned(), after: after.to_owned() }
    }

    /// Returns true if both texts are empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }
}

/// The rules for converting the messages of an agent to those of a model. The table `[messages]` of a
/// profile.
///
/// ```
/// use preface_core::message::MessageForms;
/// let forms: MessageForms = toml::from_str("shell.no-output = '(nothing)'").unwrap();
/// assert_eq!(forms.shell.no_output, "(nothing)");
/// assert_eq!(forms.branch.after, "</summary>");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MessageForms {
    /// Around the summary that replaces the earlier messages.
    #[serde(deserialize_with = "over::compaction")]
    pub compaction: Frame,
    /// Around the summary of a branch.
    #[serde(deserialize_with = "over::branch")]
    pub branch: Frame,
    /// Around an extension's text. `{type}` is replaced by the type of the extension's message.
    pub custom: Frame,
    /// The texts of a shell command.
    pub shell: ShellForms,
    /// The treatment of instructions between the messages.
    pub system: SystemMessages,
    /// The treatment of texts of users and tools that imitate the reminder tag.
    pub guard: Guard,
}

impl MessageForms {
    /// Returns true if the rules are the defaults.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == MessageForms::default()
    }
}

impl Default for MessageForms {
    fn default() -> Self {
        MessageForms {
            compaction: Frame::new(
                "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
                "\n</summary>",
            ),
            branch: Frame::new(
                "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
                "</summary>",
            ),
            custom: Frame::default(),
            shell: ShellForms::default(),
            system: SystemMessages::Drop,
            guard: Guard::Keep,
        }
    }
}

/// The texts of a shell command that the user ran, in the order in which they appear.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ShellForms {
    /// Around the command.
    #[serde(deserialize_with = "over::command")]
    pub command: Frame,
    /// Around the output.
    #[serde(deserialize_with = "over::output")]
    pub output: Frame,
    /// In place of a missing output.
    pub no_output: String,
    /// After a command that was canceled.
    pub cancelled: String,
    /// Around the exit code of a command that failed.
    #[serde(deserialize_with = "over::exit_code")]
    pub exit_code: Frame,
    /// Around the path of the complete output, if it was truncated.
    #[serde(deserialize_with = "over::truncated")]
    pub truncated: Frame,
}

impl Default for ShellForms {
    fn default() -> Self {
        ShellForms {
            command: Frame::new("Ran `", "`\n"),
            output: Frame::new("```\n", "\n```"),
            no_output: "(no output)".to_owned(),
            cancelled: "\n\n(command cancelled)".to_owned(),
            exit_code: Frame::new("\n\nCommand exited with code ", ""),
            truncated: Frame::new("\n\n[Output truncated. Full output: ", "]"),
        }
    }
}

/// The treatment of messages of role `system` in the history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SystemMessages {
    /// The message is left out and listed.
    #[default]
    Drop,
    /// The message is sent unchanged.
    Keep,
}

/// Deserializers for frames: a text that a profile does not set keeps its default.
mod over {
    use super::{Frame, MessageForms, ShellForms};
    use serde::{Deserialize, Deserializer};

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Given {
        before: Option<String>,
        after: Option<String>,
    }

    fn lay<'de, D: Deserializer<'de>>(over: Frame, from: D) -> Result<Frame, D::Error> {
        let Given { before, after } = Given::deserialize(from)?;
        Ok(Frame { before: before.unwrap_or(over.before), after: after.unwrap_or(over.after) })
    }

    macro_rules! over {
        ($($name:ident: $whole:ident),*) => {$(
            pub fn $name<'de, D: Deserializer<'de>>(from: D) -> Result<Frame, D::Error> {
                lay($whole::default().$name, from)
            }
        )*};
    }

    over! {
        branch: MessageForms, compaction: MessageForms,
        command: ShellForms, exit_code: ShellForms, output: ShellForms, truncated: ShellForms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_may_say_a_part_and_keeps_the_rest() {
        let forms: MessageForms = toml::from_str(
            "system = 'keep'\ncompaction.before = 'Before: '\n[shell]\noutput = { before = '<out>', after = '</out>' }\n",
        )
        .unwrap();
        assert_eq!(forms.system, SystemMessages::Keep);
        assert_eq!(forms.compaction, Frame::new("Before: ", "\n</summary>"));
        assert_eq!(forms.shell.output, Frame::new("<out>", "</out>"));
        assert_eq!(forms.shell.command, ShellForms::default().command);
    }

    #[test]
    fn a_key_that_nobody_knows_is_refused() {
        for (text, key) in
            [("shel = {}", "shel"), ("[shell]\nexitcode = ''", "exitcode"), ("branch.befor = ''", "befor")]
        {
            let error = toml::from_str::<MessageForms>(text).unwrap_err().to_string();
            assert!(error.contains(&format!("unknown field `{key}`")), "{text}: {error}");
        }
    }

    #[test]
    fn forms_survive_a_saved_world() {
        let forms = MessageForms { custom: Frame::new("[{type}] ", ""), ..MessageForms::default() };
        let json = serde_json::to_string(&forms).unwrap();
        assert_eq!(serde_json::from_str::<MessageForms>(&json).unwrap(), forms);
    }
}
