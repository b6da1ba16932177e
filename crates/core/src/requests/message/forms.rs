//! The texts around a converted message. They are data of a profile (`[messages]`).

use super::guard::ImitationPolicy;
use crate::attachment::AttachmentRole;
use serde::{Deserialize, Serialize};

/// The texts before and after a text of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MessageFrame {
    /// The text before it.
    pub before: String,
    /// The text after it.
    pub after: String,
}

impl MessageFrame {
    /// Builds a frame.
    #[must_use]
    pub fn new(before: &str, after: &str) -> Self {
        MessageFrame { before: before.to_owned(), after: after.to_owned() }
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
    pub compaction: MessageFrame,
    /// Around the summary of a branch.
    pub branch: MessageFrame,
    /// Around an extension's text. `{type}` is replaced by the type of the extension's message.
    pub custom: MessageFrame,
    /// The texts of a shell command.
    pub shell: ShellForms,
    /// The treatment of instructions between the messages.
    pub system: SystemMessages,
    /// The treatment of texts of users and tools that imitate the reminder tag.
    pub guard: ImitationPolicy,
    /// The role of reminders and placed sections, where the model accepts it.
    pub attachments: AttachmentRole,
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
            compaction: MessageFrame::new(
                "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
                "\n</summary>",
            ),
            branch: MessageFrame::new(
                "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
                "</summary>",
            ),
            custom: MessageFrame::default(),
            shell: ShellForms::default(),
            system: SystemMessages::Drop,
            guard: ImitationPolicy::Keep,
            attachments: AttachmentRole::System,
        }
    }
}

/// The texts of a shell command that the user ran, in the order in which they appear.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ShellForms {
    /// Around the command.
    pub command: MessageFrame,
    /// Around the output.
    pub output: MessageFrame,
    /// In place of a missing output.
    pub no_output: String,
    /// After a command that was canceled.
    pub cancelled: String,
    /// Around the exit code of a command that failed.
    pub exit_code: MessageFrame,
    /// Around the path of the complete output, if it was truncated.
    pub truncated: MessageFrame,
}

impl Default for ShellForms {
    fn default() -> Self {
        ShellForms {
            command: MessageFrame::new("Ran `", "`\n"),
            output: MessageFrame::new("```\n", "\n```"),
            no_output: "(no output)".to_owned(),
            cancelled: "\n\n(command cancelled)".to_owned(),
            exit_code: MessageFrame::new("\n\nCommand exited with code ", ""),
            truncated: MessageFrame::new("\n\n[Output truncated. Full output: ", "]"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile;

    #[test]
    fn a_profile_may_set_a_part_and_keeps_the_rest() {
        let text = "messages.system = 'keep'\nmessages.compaction.before = 'Before: '\n\
            [messages.shell]\noutput = { before = '<out>', after = '</out>' }\n";
        let raw = profile::read("t", "t.toml", text).unwrap();
        let forms = profile::build(&[raw], &[], &mut |_, path| Err(path.to_owned())).unwrap().messages;
        assert_eq!(forms.system, SystemMessages::Keep);
        assert_eq!(forms.compaction, MessageFrame::new("Before: ", "\n</summary>"));
        assert_eq!(forms.shell.output, MessageFrame::new("<out>", "</out>"));
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
    fn forms_are_in_a_saved_snapshot() {
        let forms = MessageForms { custom: MessageFrame::new("[{type}] ", ""), ..MessageForms::default() };
        let json = serde_json::to_string(&forms).unwrap();
        assert_eq!(serde_json::from_str::<MessageForms>(&json).unwrap(), forms);
    }
}
