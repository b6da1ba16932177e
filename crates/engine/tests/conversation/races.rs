//! Of several first turns, and of several compactions, one decides; the others get what it decided.

use crate::bench::{at, id, machine, memory, turn_options};
use preface_engine::{
    BuildOptions,
    conversation::{ConversationError, ConversationService, Offload, Refresh, Work, WorkFuture},
    store::{Actor, ExpectedVersion, NewVersion, PageRequest, Store, TemplateName},
};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::sync::Barrier;

/// Builds nothing before all are here to build: nobody sees what another has kept.
#[derive(Debug)]
struct Together {
    all: Arc<Barrier>,
    done: Arc<AtomicUsize>,
}

impl Offload for Together {
    fn run(&self, work: Work) -> WorkFuture {
        let (all, done) = (self.all.clone(), self.done.clone());
        Box::pin(async move {
            tokio::task::spawn_blocking(work).await.expect("the work ends");
            done.fetch_add(1, Ordering::Relaxed);
            all.wait().await;
            Ok(())
        })
    }
}

/// Two keepers of one store, as two nodes are.
fn nodes(store: &Arc<dyn Store>, racers: usize) -> (Vec<ConversationService>, Arc<AtomicUsize>) {
    let all = Arc::new(Barrier::new(racers));
    let done = Arc::new(AtomicUsize::new(0));
    let node = |_| {
        let offload = Arc::new(Together { all: all.clone(), done: done.clone() });
        ConversationService::new(Arc::new(machine()), store.clone(), offload)
    };
    ((0..2).map(node).collect(), done)
}

async fn put(store: &Arc<dyn Store>, text: &str) {
    let new = NewVersion::of(TemplateName::main(), text);
    store.put_template(new, ExpectedVersion::Any, &at(0)).await.expect("the store answers");
}

fn of_model(number: usize) -> BuildOptions {
    BuildOptions { model: Some(format!("m-{number}")), ..turn_options() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_first_turns_on_two_nodes_one_decides() {
    const RACERS: usize = 32;
    let store = memory().await;
    put(&store, "[prompt:conversation_id] of [prompt:model]").await;
    let (nodes, done) = nodes(&store, RACERS);
    let turns: Vec<_> = (0..RACERS)
        .map(|number| {
            let node = nodes[number % 2].clone();
            tokio::spawn(async move {
                (number, node.turn(&id("c"), &of_model(number), &at(1)).await.expect("a turn"))
            })
        })
        .collect();
    let mut texts = BTreeSet::new();
    let mut winners = Vec::new();
    for turn in turns {
        let (number, turned) = turn.await.expect("it ends");
        texts.insert(turned.head.text.to_string());
        if turned.constructed {
            winners.push(number);
        } else {
            assert_eq!(
                turned
                    .diagnostics
                    .iter()
                    .filter(|diagnostic| diagnostic.code.as_str() == "conversation/options")
                    .count(),
                1
            );
        }
    }
    assert_eq!(done.load(Ordering::Relaxed), RACERS, "each of them built its own");
    assert_eq!(winners.len(), 1);
    assert_eq!(texts, BTreeSet::from([format!("c of m-{}", winners[0])]));
    assert_eq!(store.head(&id("c")).await.unwrap().unwrap().revision.revision, 1);
}

/// A conversation that began, and two nodes that build together.
async fn begun() -> (Arc<dyn Store>, Vec<ConversationService>) {
    let store = memory().await;
    put(&store, "[prompt:model]").await;
    let alone = ConversationService::new(
        Arc::new(machine()),
        store.clone(),
        Arc::new(preface_engine::conversation::InlineOffload),
    );
    alone.turn(&id("c"), &of_model(0), &at(1)).await.expect("a first turn");
    (store.clone(), nodes(&store, 2).0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_compactions_at_once_are_one_revision() {
    let (store, nodes) = begun().await;
    let (id, two, three, at) = (id("c"), of_model(2), of_model(3), at(2));
    let (one, other) =
        tokio::join!(nodes[0].compact(&id, &two, None, &at), nodes[1].compact(&id, &three, None, &at));
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_ne!(one.constructed, other.constructed, "one of them built it");
    assert_eq!(one.head, other.head);
    assert_eq!(one.system_prompt(), other.system_prompt());
    assert_eq!(store.head(&id).await.unwrap().unwrap().revision.revision, 2);
    assert_eq!(store.history(&id, &PageRequest::first(9)).await.unwrap().items.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_compaction_that_insists_is_told_that_it_was_late() {
    let (store, nodes) = begun().await;
    let (id, over, at) = (id("c"), of_model(2), at(2));
    let revision = store.revision(&id).await.unwrap();
    let (one, other) = tokio::join!(
        nodes[0].compact(&id, &over, revision, &at),
        nodes[1].compact(&id, &over, revision, &at)
    );
    let (kept, refused) = match (one, other) {
        (Ok(kept), Err(refused)) | (Err(refused), Ok(kept)) => (kept, refused),
        both => panic!("one is late: {both:?}"),
    };
    assert!(kept.constructed);
    assert_eq!(refused, ConversationError::Stale(Box::new(kept.head)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refresh_and_a_compaction_at_once_are_one_revision() {
    let (store, nodes) = begun().await;
    let (id, two, three, at) = (id("c"), of_model(2), of_model(3), at(2));
    let (one, other) = tokio::join!(
        nodes[0].compact(&id, &two, None, &at),
        nodes[1].refresh(&id, &three, Refresh::Keep, None, &at)
    );
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_ne!(one.constructed, other.constructed);
    assert_eq!(one.head, other.head);
    assert_eq!(store.head(&id).await.unwrap().unwrap(), one.head);
}

/// Does something to the store while a prompt is being built.
#[derive(Debug)]
struct Meanwhile {
    store: Arc<dyn Store>,
    then: Then,
}

#[derive(Clone, Copy, Debug)]
enum Then {
    Forget,
}

impl Offload for Meanwhile {
    fn run(&self, work: Work) -> WorkFuture {
        let (store, then) = (self.store.clone(), self.then);
        Box::pin(async move {
            work();
            match then {
                Then::Forget => {
                    store.delete(&id("c"), None, &Actor::new("other")).await.expect("the store answers");
                }
            }
            Ok(())
        })
    }
}

#[tokio::test]
async fn what_was_forgotten_meanwhile_is_not_brought_back() {
    let (store, _) = begun().await;
    let offload = Arc::new(Meanwhile { store: store.clone(), then: Then::Forget });
    let service = ConversationService::new(Arc::new(machine()), store.clone(), offload);
    let refused = service.compact(&id("c"), &BuildOptions::default(), None, &at(2)).await.unwrap_err();
    assert_eq!(refused, ConversationError::Unknown(id("c")));
    assert_eq!(store.head(&id("c")).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_that_began_again_keeps_its_prompt_from_a_compaction_of_its_former_life() {
    for insists in [false, true] {
        let store = memory().await;
        put(&store, "[prompt:model]").await;
        let alone = ConversationService::new(
            Arc::new(machine()),
            store.clone(),
            Arc::new(preface_engine::conversation::InlineOffload),
        );
        let (id, old, new, late) = (id("c"), of_model(0), of_model(1), of_model(2));
        let revision = alone.turn(&id, &old, &at(1)).await.expect("a first turn").head.revision;

        let (all, done) = (Arc::new(Barrier::new(2)), Arc::new(AtomicUsize::new(0)));
        let offload = Arc::new(Together { all: all.clone(), done: done.clone() });
        let slow = ConversationService::new(Arc::new(machine()), store.clone(), offload);
        let (compacts, begins) = (at(2), at(3));
        let compaction = slow.compact(&id, &late, insists.then_some(revision), &compacts);
        // Between the build and its keeping, the conversation is forgotten and begins again, at the same revision.
        let another_life = async {
            while done.load(Ordering::Relaxed) == 0 {
                tokio::task::yield_now().await;
            }
            assert!(store.delete(&id, None, &begins).await.expect("the store answers"));
            let head = alone.turn(&id, &new, &begins).await.expect("a first turn").head;
            all.wait().await;
            head
        };
        let (compacted, head) = tokio::join!(compaction, another_life);
        assert_eq!((&*head.text, head.revision.revision), ("m-1", revision.revision));
        match compacted {
            Ok(compacted) if !insists => {
                assert_eq!((&compacted.head, compacted.constructed), (&head, false));
            }
            Err(refused) if insists => assert_eq!(refused, ConversationError::Stale(Box::new(head.clone()))),
            other => panic!("insists: {insists}, and got {other:?}"),
        }
        assert_eq!(store.head(&id).await.unwrap(), Some(head));
        assert!(store.history(&id, &PageRequest::first(9)).await.unwrap().items.is_empty());
    }
}
