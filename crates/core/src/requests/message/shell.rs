//! The text for a model of a shell command that the user ran.

use super::{forms::ShellForms, framed::FramedText, types::Message};

/// Writes the command, its output, its result, and the path of the complete output. The output is neither
/// trimmed nor escaped.
pub(super) fn frame_command(message: &Message, forms: &ShellForms) -> FramedText {
    let mut framed = FramedText::default();
    framed.form(&forms.command.before).own(message.string("command")).form(&forms.command.after);
    match message.string("output") {
        "" => framed.form(&forms.no_output),
        output => framed.form(&forms.output.before).own(output).form(&forms.output.after),
    };
    if message.flag("cancelled") {
        framed.form(&forms.cancelled);
    } else if let Some(code) = message.exit_code().filter(|code| *code != 0) {
        framed.form(&forms.exit_code.before).own(&code.to_string()).form(&forms.exit_code.after);
    }
    let path = message.string("fullOutputPath");
    if message.flag("truncated") && !path.is_empty() {
        framed.form(&forms.truncated.before).own(path).form(&forms.truncated.after);
    }
    framed
}
