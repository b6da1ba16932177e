//! The other chains: what one more hook does to the person's words, to the messages of a request, and to the list of
//! places with skills.
//!
//! In all of them a failing hook is told and skipped, and the chain goes on with what the hooks before it left.

use super::{HookEvent, HookFailure, HookReply, HookSource};
use crate::diagnostic::Diagnostics;
use serde_json::Value;
use std::{collections::BTreeSet, ops::ControlFlow};

/// Takes over what a hook answered at `input`: it may change the words, and it may break the chain, because it took care
/// of them. Then nothing else happens.
///
/// ```
/// use preface_core::hook::{HookReply, hear_input};
/// let mut words = "hi".to_owned();
/// let shout = HookReply { prompt: Some("HI".to_owned()), ..HookReply::default() };
/// assert!(hear_input(&mut words, "shout".into(), Ok(shout), &mut Vec::new()).is_continue());
/// assert_eq!(words, "HI");
/// ```
pub fn hear_input(
    words: &mut String,
    hook: HookSource<'_>,
    reply: Result<HookReply, HookFailure>,
    notes: &mut Diagnostics,
) -> ControlFlow<()> {
    let Some(reply) = hook.said(HookEvent::Input, reply, notes) else { return ControlFlow::Continue(()) };
    if reply.handled {
        return ControlFlow::Break(());
    }
    if let Some(prompt) = reply.prompt {
        *words = prompt;
    }
    ControlFlow::Continue(())
}

/// Takes over what a hook answered at `context`: a list takes the place of the messages. What a handler changed in place is
/// in `messages` already, and stays even where it failed.
pub fn hear_context(
    messages: &mut Vec<Value>,
    hook: HookSource<'_>,
    reply: Result<HookReply, HookFailure>,
    notes: &mut Diagnostics,
) {
    if let Some(list) = hook.said(HookEvent::Context, reply, notes).and_then(|reply| reply.messages) {
        *messages = list;
    }
}

/// A place with skills that a hook named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillPath {
    /// As the hook wrote it.
    pub path: String,
    /// The hook.
    pub hook: String,
}

/// Takes over what a hook answered at `resources_discover`: its paths follow those of the hooks before it. A path that is
/// there already stays where it is.
pub fn hear_resources(
    paths: &mut Vec<SkillPath>,
    hook: HookSource<'_>,
    reply: Result<HookReply, HookFailure>,
    notes: &mut Diagnostics,
) {
    let Some(reply) = hook.said(HookEvent::ResourcesDiscover, reply, notes) else { return };
    let mut known: BTreeSet<String> = paths.iter().map(|one| one.path.clone()).collect();
    let new = reply.skill_paths.into_iter().filter(|path| known.insert(path.clone()));
    paths.extend(new.map(|path| SkillPath { path, hook: hook.name.to_owned() }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn boom() -> Result<HookReply, HookFailure> {
        Err(HookFailure::failed("boom"))
    }

    #[test]
    fn words_are_changed_one_after_the_other_until_one_takes_care_of_them() {
        let none = HookReply::default;
        let prompt = |text: &str| HookReply { prompt: Some(text.to_owned()), ..none() };
        let handled = HookReply { handled: true, ..prompt("lost") };
        for (replies, words, done, told) in [
            (vec![Ok(none())], "hi", false, 0),
            (vec![Ok(prompt("a")), boom(), Ok(prompt("b"))], "b", false, 1),
            (vec![Ok(prompt("a")), Ok(none())], "a", false, 0),
            (vec![Ok(prompt(""))], "", false, 0),
            (vec![Ok(prompt("a")), Ok(handled), Ok(prompt("b"))], "a", true, 0),
        ] {
            let (mut text, mut notes) = ("hi".to_owned(), Vec::new());
            let flow = replies
                .into_iter()
                .try_for_each(|reply| hear_input(&mut text, "h".into(), reply, &mut notes));
            assert_eq!((text.as_str(), flow.is_break(), notes.len()), (words, done, told));
        }
    }

    #[test]
    fn messages_are_replaced_and_what_was_done_in_place_stays() {
        let (mut messages, mut notes) = (vec![json!({"role": "user"})], Vec::new());
        hear_context(&mut messages, "quiet".into(), Ok(HookReply::default()), &mut notes);
        messages.push(json!({"role": "custom"}));
        hear_context(&mut messages, "broken".into(), boom(), &mut notes);
        assert_eq!(messages, [json!({"role": "user"}), json!({"role": "custom"})]);
        assert_eq!(
            notes.iter().map(|note| note.message.as_str()).collect::<Vec<_>>(),
            ["hook `broken` failed at context and was skipped: boom"]
        );
        let empty = HookReply { messages: Some(vec![]), ..HookReply::default() };
        hear_context(&mut messages, "empty".into(), Ok(empty), &mut notes);
        assert_eq!(messages, Vec::<Value>::new(), "an empty list is a list");
    }

    #[test]
    fn paths_are_united_in_order() {
        let (mut paths, mut notes) = (Vec::new(), Vec::new());
        let reply = |list: &[&str]| {
            Ok(HookReply {
                skill_paths: list.iter().map(|path| (*path).to_owned()).collect(),
                ..HookReply::default()
            })
        };
        hear_resources(&mut paths, "a".into(), reply(&["x", "y"]), &mut notes);
        hear_resources(&mut paths, "b".into(), boom(), &mut notes);
        hear_resources(&mut paths, "c".into(), reply(&["z", "x"]), &mut notes);
        let named: Vec<_> = paths.iter().map(|one| (one.path.as_str(), one.hook.as_str())).collect();
        assert_eq!(named, [("x", "a"), ("y", "a"), ("z", "c")]);
        assert_eq!(notes.len(), 1);
    }
}
