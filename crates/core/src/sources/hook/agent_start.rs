//! The chain at the start of a run: each hook gets the prompt as the previous one left it, and may change it,
//! switch tools and add messages.

use super::{HookEvent, HookFailure, HookReply, HookSource};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    pipeline::draft::Absent,
    prompt::Prompt,
    revise::SectionRemoval,
    section::SectionId,
    settings::shown,
};
use serde_json::Value;
use std::collections::BTreeSet;

const EVENT: HookEvent = HookEvent::BeforeAgentStart;

/// The prompt of one run while hooks change it, one after the other.
///
/// It starts from the stored base and belongs to the run: a base that is rebuilt elsewhere in between changes
/// nothing here, and nothing here changes the stored base.
///
/// ```
/// use preface_core::{hook::{AgentStart, HookReply}, prompt::Prompt};
/// let mut start = AgentStart::new(Prompt::default());
/// let reply = |text: &str| Ok(HookReply { system_prompt: Some(text.to_owned()), ..HookReply::default() });
/// let no_tools = |_: &[String]| unreachable!("no hook switches tools");
/// assert!(start.apply_reply("tone".into(), reply("Be brief."), no_tools).is_empty());
/// let diagnostics = start.apply_reply("shy".into(), reply(""), no_tools);
/// assert_eq!(diagnostics[0].code.as_str(), "hook/empty-prompt");
/// assert_eq!(start.prompt().text, "Be brief.");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AgentStart {
    prompt: Prompt,
    base: Prompt,
    messages: Vec<Value>,
    active_tools: Option<Vec<String>>,
    set_by: Option<String>,
}

impl AgentStart {
    /// Starts from the stored base.
    #[must_use]
    pub fn new(base: Prompt) -> Self {
        AgentStart { prompt: base.clone(), base, messages: Vec::new(), active_tools: None, set_by: None }
    }

    /// Returns the current prompt: the input of the next hook, and finally the prompt that is sent.
    #[must_use]
    pub fn prompt(&self) -> &Prompt {
        &self.prompt
    }

    /// Returns the base of the prompt: the stored one, or the one that was rebuilt for other tools.
    #[must_use]
    pub fn base(&self) -> &Prompt {
        &self.base
    }

    /// Returns the messages of all hooks, in order. They follow the user's message and the next-turn
    /// messages.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        &self.messages
    }

    /// Returns the tools that a hook activated, as it named them.
    #[must_use]
    pub fn active_tools(&self) -> Option<&[String]> {
        self.active_tools.as_deref()
    }

    /// Returns the last hook that set the prompt. Such a prompt stays in force for the whole run.
    #[must_use]
    pub fn set_by(&self) -> Option<&str> {
        self.set_by.as_deref()
    }

    /// Applies the reply of a hook. `rebuild` builds the base for other tools; it is called if the hook
    /// switches them, before the hook's prompt is used, and handles its own diagnostics.
    ///
    /// A failed hook changes nothing. Diagnostics: `hook/error`, `hook/empty-prompt`,
    /// `hook/stale-override`, `hook/removed`.
    pub fn apply_reply(
        &mut self,
        hook: HookSource<'_>,
        reply: Result<HookReply, HookFailure>,
        rebuild: impl FnOnce(&[String]) -> Prompt,
    ) -> Diagnostics {
        let mut diagnostics = Vec::new();
        let Some(reply) = hook.accept(EVENT, reply, &mut diagnostics) else { return diagnostics };
        let mut stale = false;
        let mut seen = None;
        if let Some(tools) = reply.active_tools {
            let rebuilt = rebuild(&tools);
            let given = self.prompt.clone();
            match rebased(&given, &self.base, &rebuilt) {
                Some(prompt) => self.prompt = prompt,
                None => stale = true,
            }
            seen = Some(given);
            self.base = rebuilt;
            self.active_tools = Some(tools);
        }
        let text = match reply.system_prompt {
            _ if reply.replace_with_empty => Some(String::new()),
            Some(text) if text.is_empty() => {
                diagnostics.push(hook.note(empty_prompt_diagnostic(hook.name)));
                None
            }
            other => other,
        };
        if let Some(mut text) = text {
            if let Some(seen) = seen {
                match text.strip_prefix(seen.text.as_str()) {
                    Some(more) => text = format!("{}{more}", self.prompt.text),
                    None => {
                        // An empty prompt is set on purpose and overrides nothing by accident.
                        stale |= !text.is_empty();
                        self.prompt = seen;
                    }
                }
            }
            let removed = self.prompt.revise(&text, hook.name, EVENT);
            diagnostics.extend(
                SectionRemoval::note(&removed, hook.name, EVENT).map(|diagnostic| hook.note(diagnostic)),
            );
            self.set_by = Some(hook.name.to_owned());
        }
        if stale {
            diagnostics.push(hook.note(stale_override_diagnostic(hook.name)));
        }
        self.messages.extend(reply.message);
        diagnostics
    }
}

/// Puts a rebuilt base below the additions of hooks to the old one; `None` if `seen` does not start with that
/// base.
///
/// Additions keep their parts, spans and origins.
#[must_use]
pub fn rebased(seen: &Prompt, base: &Prompt, rebuilt: &Prompt) -> Option<Prompt> {
    if !seen.text.starts_with(&base.text) {
        return None;
    }
    let mut prompt = rebuilt.clone();
    prompt.append_behind(seen, base.text.len());
    // A part of the old base that a hook removed may be there again.
    let restored = prompt.parts.iter().map(|part| &part.section);
    let known: BTreeSet<&SectionId> = base.absent.iter().map(|one| &one.section).chain(restored).collect();
    let lost: Vec<Absent> = seen.absent.iter().filter(|one| !known.contains(&one.section)).cloned().collect();
    prompt.absent.extend(lost);
    Some(prompt)
}

fn empty_prompt_diagnostic(hook: &str) -> Diagnostic {
    let what =
        format!("hook `{}` answered with an empty prompt at {EVENT}; that changes nothing", shown(hook));
    Diagnostic::warning(DiagnosticCode::HookEmptyPrompt, what)
        .help("`\"replace_with_empty\": true` sends an empty prompt")
}

fn stale_override_diagnostic(hook: &str) -> Diagnostic {
    let what = format!(
        "hook `{}` switched tools, but the text of this run was replaced by a hook and does not show it",
        shown(hook)
    );
    Diagnostic::warning(DiagnosticCode::StaleOverride, what)
        .help("a hook that only adds behind the prompt it was given leaves room for the new text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{literal, prompts};
    use proptest::prelude::*;
    use serde_json::json;

    fn base(tools: &str) -> Prompt {
        Prompt::default()
            .with("identity", &[("You help.\n", literal("identity"))])
            .with("tools", &[("Tools: ", literal("tools")), (tools, literal("names"))])
            .with("tail", &[("\nDate: today", literal("date"))])
    }

    fn text(text: &str) -> HookReply {
        HookReply { system_prompt: Some(text.to_owned()), ..HookReply::default() }
    }

    fn tools(names: &str) -> HookReply {
        HookReply { active_tools: Some(vec![names.to_owned()]), ..HookReply::default() }
    }

    fn apply(start: &mut AgentStart, hook: &str, reply: HookReply) -> Vec<&'static str> {
        let diagnostics = start.apply_reply(hook.into(), Ok(reply), |names| base(&names.join(",")));
        start.prompt().check_tiling().expect("parts and spans tile the prompt");
        diagnostics.into_iter().map(|diagnostic| diagnostic.code.as_str()).collect()
    }

    const OLD: &str = "You help.\nTools: all\nDate: today";
    const NEW: &str = "You help.\nTools: read\nDate: today";

    /// Each way through it. P is what `before` made of the base.
    #[test]
    fn tools_that_a_hook_switches_change_the_text_of_this_run() {
        let both =
            |names: &str, prompt: &str| HookReply { active_tools: tools(names).active_tools, ..text(prompt) };
        let nothing = HookReply::default;
        let empty = || HookReply { replace_with_empty: true, ..tools("read") };
        for (before, reply, result, codes) in [
            // P starts with B: B' and the rest of P.
            (nothing(), tools("read"), NEW.to_owned(), &[][..]),
            (text(&format!("{OLD}\n[A]")), tools("read"), format!("{NEW}\n[A]"), &[]),
            // P does not: it stays.
            (text("Mine"), tools("read"), "Mine".to_owned(), &["hook/stale-override"]),
            (text(&format!("# {OLD}")), tools("read"), format!("# {OLD}"), &["hook/stale-override"]),
            // R starts with P: the current text and the rest of R.
            (nothing(), both("read", &format!("{OLD}\n[B]")), format!("{NEW}\n[B]"), &[]),
            (
                text(&format!("{OLD}\n[A]")),
                both("read", &format!("{OLD}\n[A]\n[B]")),
                format!("{NEW}\n[A]\n[B]"),
                &[],
            ),
            (nothing(), both("read", OLD), NEW.to_owned(), &[]),
            (text("Mine"), both("read", "Mine too"), "Mine too".to_owned(), &["hook/stale-override"]),
            // R does not: it is used is.
            (nothing(), both("read", "Mine"), "Mine".to_owned(), &["hook/removed", "hook/stale-override"]),
            (nothing(), both("read", NEW), NEW.to_owned(), &["hook/removed", "hook/stale-override"]),
            // An empty R is none, and an explicitly empty one is meant.
            (nothing(), both("read", ""), NEW.to_owned(), &["hook/empty-prompt"]),
            (nothing(), empty(), String::new(), &["hook/removed"]),
            (nothing(), both("all", "Mine"), "Mine".to_owned(), &["hook/removed", "hook/stale-override"]),
        ] {
            let mut start = AgentStart::new(base("all"));
            apply(&mut start, "a", before);
            let shown = format!("{reply:?}");
            let names = reply.active_tools.clone();
            assert_eq!(apply(&mut start, "b", reply), codes, "{shown}");
            assert_eq!(start.prompt().text, result, "{shown}");
            assert_eq!(start.active_tools(), names.as_deref(), "the request carries the new tools");
        }
    }

    #[test]
    fn later_hooks_build_on_the_rebuilt_base() {
        let mut start = AgentStart::new(base("all"));
        let text_of = |start: &AgentStart| start.prompt().text.clone();
        assert!(apply(&mut start, "a", tools("read")).is_empty());
        let more = format!("{}\n[B]", text_of(&start));
        assert!(apply(&mut start, "b", text(&more)).is_empty());
        assert!(apply(&mut start, "c", tools("bash")).is_empty());
        assert_eq!(text_of(&start), "You help.\nTools: bash\nDate: today\n[B]");
        let sections: Vec<_> = start.prompt().parts.iter().map(|part| part.section.as_str()).collect();
        assert_eq!(sections, ["identity", "tools", "tail", "hooks.b"]);
        let (_, _, origin) = start.prompt().at(text_of(&start).len() - 1).unwrap();
        assert_eq!(origin.to_string(), "hook b (before_agent_start)");
        assert_eq!(start.base().text, "You help.\nTools: bash\nDate: today");
        assert_eq!(start.set_by(), Some("b"));
    }

    #[test]
    fn changes_of_hooks_add_up_and_a_failing_hook_changes_nothing() {
        let mut start = AgentStart::new(base("all"));
        let message = |text: &str| Some(json!({"content": text}));
        let with = |reply: HookReply, words: &str| HookReply { message: message(words), ..reply };
        assert!(apply(&mut start, "A", with(text(&format!("{OLD}\n[A]")), "msg A")).is_empty());
        let before = start.clone();
        let diagnostics = start.apply_reply("T".into(), Err(HookFailure::failed("boom in T")), |_| {
            unreachable!("it switches no tools")
        });
        assert_eq!(start, before);
        assert_eq!(
            diagnostics[0].message,
            "hook `T` failed at before_agent_start and was skipped: boom in T"
        );
        let seen = start.prompt().text.clone();
        assert!(apply(&mut start, "B", with(text(&format!("{seen}\n[B]")), "msg B")).is_empty());
        assert_eq!(start.prompt().text, format!("{OLD}\n[A]\n[B]"));
        assert_eq!(start.messages(), [json!({"content": "msg A"}), json!({"content": "msg B"})]);
        assert_eq!(start.set_by(), Some("B"));
    }

    #[test]
    fn an_empty_prompt_needs_replace_with_empty() {
        let mut start = AgentStart::new(base("all"));
        assert_eq!(apply(&mut start, "a", text("")), ["hook/empty-prompt"]);
        assert_eq!((start.prompt(), start.set_by()), (&base("all"), None), "as if it had no reply");
        assert!(apply(&mut start, "b", text(" ")).contains(&"hook/removed"), "a blank is a text");
        let empty = HookReply { replace_with_empty: true, ..text("") };
        assert_eq!(apply(&mut start, "c", empty), ["hook/removed"]);
        assert_eq!((start.prompt().text.as_str(), start.set_by()), ("", Some("c")));
        assert!(apply(&mut start, "d", text("x")).is_empty(), "one may build on it");
        assert_eq!(start.prompt().text, "x");
    }

    #[test]
    fn sections_that_came_back_are_there() {
        let mut start = AgentStart::new(base("all"));
        apply(&mut start, "a", text("Mine"));
        apply(&mut start, "b", text(&format!("{OLD}+")));
        assert_eq!(start.prompt().absent.len(), 3 + 1, "three of the base, and the text of `a`");
        assert!(apply(&mut start, "c", tools("read")).is_empty(), "what counts is the text");
        assert_eq!(start.prompt().text, format!("{NEW}+"));
        let absent: Vec<_> = start.prompt().absent.iter().map(|one| one.section.as_str()).collect();
        assert_eq!(absent, ["hooks.a"]);
    }

    proptest! {
        #[test]
        fn what_was_added_keeps_its_origins(old in prompts(), new in prompts(), more in "([ab]|\n|é){0,6}") {
            let mut seen = old.clone();
            seen.revise(&format!("{}{more}", old.text), "h", HookEvent::BeforeAgentStart);
            let result = rebased(&seen, &old, &new).expect("it starts with the base");
            prop_assert_eq!(result.check_tiling(), Ok(()));
            prop_assert_eq!(&result.text, &format!("{}{more}", new.text));
            prop_assert_eq!(&result.parts[..new.parts.len()], &new.parts[..]);
            prop_assert_eq!(result.parts.len() - new.parts.len(), usize::from(!more.is_empty()));
            prop_assert_eq!(rebased(&seen, &old, &old).map(|same| same.text), Some(seen.text));
        }
    }
}
