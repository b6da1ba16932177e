//! Any sequence of turns, compactions, refreshes, deletions and edits, against a model in ten lines.

use crate::bench::{Bench, at, id, instant, machine, run, turn_options};
use preface_engine::{
    BuildOptions,
    conversation::{ConversationError, Refresh},
};
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Step {
    Turn(u8),
    Compact(u8),
    Refresh(u8, bool),
    Forget(u8),
    Template(Option<u8>),
    Write(u8),
    Wait,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let who = 0u8..3;
    let step = prop_oneof![
        4 => who.clone().prop_map(Step::Turn),
        2 => who.clone().prop_map(Step::Compact),
        2 => (who.clone(), any::<bool>()).prop_map(|(who, keep)| Step::Refresh(who, keep)),
        1 => who.prop_map(Step::Forget),
        2 => prop::option::of(0u8..4).prop_map(Step::Template),
        1 => (0u8..3).prop_map(Step::Write),
        1 => Just(Step::Wait),
    ];
    prop::collection::vec(step, 0..40)
}

/// What the machine and the store say now.
#[derive(Default)]
struct Model {
    template: Option<u8>,
    file: u8,
    day: i64,
    /// The text and the revision of each conversation.
    kept: BTreeMap<u8, (String, u64)>,
}

impl Model {
    /// What a prompt built now says, by hand.
    fn now(&self) -> String {
        let Model { file, day, .. } = self;
        match self.template {
            None => format!(
                "You are a helpful coding assistant.\n\n\nfile {file}\n\n\nThe current working directory is \
                 /work/p."
            ),
            Some(0) => String::new(),
            Some(1) => "fixed".to_owned(),
            Some(2) => format!("<file {file}>"),
            Some(_) => format!("day {}", day + 1),
        }
    }
}

/// The texts of the templates that [`Model::now`] knows.
const TEMPLATES: [&str; 4] = ["", "fixed", "<[file:AGENTS.md]>", "day [day:now]"];

async fn play(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let bench = Bench::on(machine().with_file("/work/p/AGENTS.md", "file 0")).await;
    let mut model = Model::default();
    let day = |model: &Model| BuildOptions {
        variables: [("day:now".parse().unwrap(), Some((model.day + 1).to_string().into()))].into(),
        ..BuildOptions::default()
    };
    for (number, step) in (1..).zip(steps) {
        match step {
            Step::Turn(who) => {
                let options = BuildOptions { variables: day(&model).variables, ..turn_options() };
                let turned = bench.service.turn(&id(&who.to_string()), &options, &at(number)).await.unwrap();
                let fresh = (model.now(), 1);
                prop_assert_eq!(turned.constructed, !model.kept.contains_key(&who));
                let (text, revision) = model.kept.entry(who).or_insert(fresh);
                prop_assert_eq!(&*turned.head.text, &**text);
                prop_assert_eq!(turned.head.revision.revision, *revision);
            }
            Step::Compact(who) => {
                let done = bench.compact_as(&who.to_string(), &day(&model), None).await;
                let now = model.now();
                match model.kept.get_mut(&who) {
                    None => {
                        prop_assert_eq!(done.unwrap_err(), ConversationError::Unknown(id(&who.to_string())));
                    }
                    Some((text, revision)) => {
                        (*text, *revision) = (now.clone(), *revision + 1);
                        let done = done.unwrap();
                        prop_assert_eq!(&*done.head.text, &*now);
                        let behind = format!("{now}\n\n{}", done.instructions);
                        let alone = now.is_empty();
                        let wanted = if alone { done.instructions.clone() } else { behind };
                        prop_assert_eq!(done.system_prompt(), wanted);
                    }
                }
            }
            Step::Refresh(who, keep) => {
                let how = if keep { Refresh::Keep } else { Refresh::Show };
                let (id, over) = (id(&who.to_string()), day(&model));
                let done = bench.service.refresh(&id, &over, how, None, &at(number)).await;
                let now = model.now();
                match model.kept.get_mut(&who) {
                    None => prop_assert_eq!(done.unwrap_err(), ConversationError::Unknown(id)),
                    Some((text, revision)) => {
                        let done = done.unwrap();
                        let same = *text == now;
                        prop_assert_eq!(done.difference.same, same);
                        prop_assert_eq!(done.constructed, keep && !same);
                        if keep && !same {
                            (*text, *revision) = (now, *revision + 1);
                        }
                    }
                }
            }
            Step::Forget(who) => {
                let there = bench.store.delete(&id(&who.to_string()), None, &at(number)).await.unwrap();
                prop_assert_eq!(there, model.kept.remove(&who).is_some());
            }
            Step::Template(None) => {
                bench.reset("main").await;
                model.template = None;
            }
            Step::Template(Some(which)) => {
                bench.template(TEMPLATES[usize::from(which)]).await;
                model.template = Some(which);
            }
            Step::Write(file) => {
                bench.system.put_file("/work/p/AGENTS.md", format!("file {file}"));
                model.file = file;
            }
            Step::Wait => {
                model.day += 1;
                bench.system.set_now(instant(model.day * 86_400));
            }
        }
        for (who, (text, revision)) in &model.kept {
            let kept = bench.kept(&who.to_string()).await;
            prop_assert_eq!(&*kept.head.text, &**text);
            prop_assert_eq!(kept.head.revision.revision, *revision);
            prop_assert_eq!(bench.history(&who.to_string()).await as u64, revision - 1);
            prop_assert!(kept.is_whole());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_prompt_is_what_it_was_when_it_was_last_built(steps in steps()) {
        run(play(steps))?;
    }
}
