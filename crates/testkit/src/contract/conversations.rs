//! Conversations: the first prompt stays until somebody who knows it replaces it.

use super::{
    Nodes,
    samples::{actor, at, first, first_at, id, new_version, next, template},
};
use jiff::SignedDuration;
use preface_store::{
    Actor, ConstructReason, ExpectedVersion, Filter, InsertOutcome, NewVersion, PageRequest, PromptSummary,
    PutOutcome, ReplaceOutcome, Revision, Store, StoredPrompt, TemplateUsed, TokenRecord, TokenRole,
    VersionChoice,
};

/// Keeps a first prompt that must be kept.
pub(super) async fn create(store: &dyn Store, conversation: &StoredPrompt) {
    let created = store.create(conversation.clone(), &actor()).await;
    assert_eq!(created, Ok(InsertOutcome::New), "{}", conversation.head.id);
}

/// Replaces the prompt that is there by one that must take its place.
pub(super) async fn replace(store: &dyn Store, conversation: &StoredPrompt) {
    let expected = store.revision(&conversation.head.id).await.expect("it answers").expect("it is there");
    let replaced = store.replace(conversation.clone(), expected, &actor()).await;
    assert_eq!(replaced, Ok(ReplaceOutcome::Done), "{}", conversation.head.id);
}

/// Checks that each way to read this conversation returns it.
pub(super) async fn assert_stored(store: &dyn Store, wanted: &StoredPrompt) {
    let id = &wanted.head.id;
    assert_eq!(store.revision(id).await, Ok(Some(wanted.head.revision)));
    assert_eq!(store.head(id).await, Ok(Some(wanted.head.clone())));
    assert_eq!(store.conversation(id).await, Ok(Some(wanted.clone())));
}

/// Checks that calls for an unknown conversation return nothing and change nothing.
pub async fn unknown_ids_return_nothing(nodes: &Nodes) {
    let (store, nobody) = (nodes.first(), id("nobody"));
    assert_eq!(store.revision(&nobody).await, Ok(None));
    assert_eq!(store.head(&nobody).await, Ok(None));
    assert_eq!(store.conversation(&nobody).await, Ok(None));
    assert_eq!(store.delete(&nobody, None, &actor()).await, Ok(false));
    let never = first("nobody", "one");
    assert_eq!(
        store.replace(next(&never, "two"), never.head.revision, &actor()).await,
        Ok(ReplaceOutcome::Missing)
    );
    assert_eq!(store.head(&nobody).await, Ok(None));
    let history = store.history(&nobody, &PageRequest::default()).await.unwrap();
    assert!(history.items.is_empty() && history.next.is_none());
    assert_eq!(store.purge(at(0), 10, &actor()).await, Ok(0));
    let all = store.conversations(&Filter::default(), &PageRequest::default()).await.unwrap();
    assert!(all.items.is_empty() && all.next.is_none());
    assert_eq!(store.accesses().await, Ok(Vec::new()));
    assert_eq!(store.remove_access("nobody", &actor()).await, Ok(false));
}

/// Each field comes back as it was given, present or absent.
pub async fn every_field_comes_back(nodes: &Nodes) {
    let full = first("full", "text");
    let mut bare = first("bare", "");
    bare.head.model = None;
    bare.head.template = None;
    bare.head.reason = ConstructReason::Refresh;
    bare.head.revision.stamp = 0;
    bare.record = "".into();
    let mut most = first("most", "x");
    most.head.revision.stamp = i64::MAX;
    most.head.model = Some(String::new());
    most.head.reason = ConstructReason::Compaction;
    most.head.created_at = at(-1);
    most.head.template =
        Some(TemplateUsed { chosen: "other".to_owned(), name: template("other"), version: None });
    for conversation in [&full, &bare, &most] {
        create(nodes.first(), conversation).await;
    }
    for conversation in [&full, &bare, &most] {
        assert_stored(nodes.other(), conversation).await;
    }
    let listed = nodes.other().conversations(&Filter::default(), &PageRequest::default()).await.unwrap();
    let wanted = [&bare, &full, &most].map(|one| PromptSummary { text: "".into(), ..one.head.clone() });
    assert_eq!(listed.items, wanted, "without texts, those of one instant by id");
}

/// The second of two first prompts gets the first.
pub async fn a_first_prompt_stays(nodes: &Nodes) {
    let (one, two) = (first("c", "one"), first_at("c", "two", 5));
    create(nodes.first(), &one).await;
    let created = nodes.other().create(two, &actor()).await;
    assert_eq!(created, Ok(InsertOutcome::Existing(Box::new(one.head.clone()))));
    assert_stored(nodes.first(), &one).await;
    assert_stored(nodes.other(), &one).await;
}

/// A prompt is built many times, a conversation begins once.
pub async fn replace_keeps_when_it_began(nodes: &Nodes) {
    let one = first("c", "one");
    let mut two = next(&one, "two");
    two.head.created_at = at(777);
    create(nodes.first(), &one).await;
    replace(nodes.other(), &two).await;
    two.head.created_at = at(0);
    assert_stored(nodes.first(), &two).await;
    assert_stored(nodes.other(), &two).await;
}

/// Checks that a replace with an older revision than the last changes nothing and returns the last.
pub async fn a_stale_replace_changes_nothing(nodes: &Nodes) {
    let one = first("c", "one");
    let two = next(&one, "two");
    create(nodes.first(), &one).await;
    replace(nodes.first(), &two).await;
    let three = next(&two, "");
    let wrong_stamp = Revision { revision: 2, stamp: two.head.revision.stamp ^ 1 };
    let wrong_revision = Revision { revision: 3, ..two.head.revision };
    for (late, expected) in [
        (next(&one, "late"), one.head.revision),
        (next(&three, "early"), three.head.revision),
        (next(&two, "of somebody else"), wrong_stamp),
        (next(&three, "of another revision"), wrong_revision),
        (next(&two, "of none"), Revision { revision: u64::MAX, stamp: -1 }),
    ] {
        let answer = nodes.other().replace(late, expected, &actor()).await;
        assert_eq!(answer, Ok(ReplaceOutcome::Stale(Box::new(two.head.clone()))));
    }
    assert_stored(nodes.other(), &two).await;
    let history = nodes.other().history(&id("c"), &PageRequest::default()).await.unwrap();
    assert_eq!(history.items.len(), 1);
}

/// Checks that a delete of one state does not delete another.
pub async fn a_stale_delete_changes_nothing(nodes: &Nodes) {
    let one = first("c", "one");
    let two = next(&one, "two");
    create(nodes.first(), &one).await;
    replace(nodes.first(), &two).await;
    let wrong_stamp = Revision { revision: 2, stamp: two.head.revision.stamp ^ 1 };
    for stale in [one.head.revision, wrong_stamp] {
        assert_eq!(nodes.other().delete(&id("c"), Some(stale), &actor()).await, Ok(false));
    }
    assert_stored(nodes.first(), &two).await;
    assert_eq!(nodes.first().history(&id("c"), &PageRequest::default()).await.unwrap().items.len(), 1);
    assert_eq!(nodes.other().delete(&id("c"), Some(two.head.revision), &actor()).await, Ok(true));
    assert_eq!(nodes.first().head(&id("c")).await, Ok(None));
    assert_eq!(nodes.first().revision(&id("c")).await, Ok(None));
}

/// Checks that a conversation that was deleted and created again differs from the first.
pub async fn a_conversation_that_began_again_has_another_seal(nodes: &Nodes) {
    let (before, after) = (first("c", "one"), first("c", "one"));
    create(nodes.first(), &before).await;
    assert_eq!(nodes.first().delete(&id("c"), None, &actor()).await, Ok(true));
    create(nodes.other(), &after).await;
    assert_ne!(before.head.revision, after.head.revision);
    assert_eq!(nodes.first().revision(&id("c")).await, Ok(Some(after.head.revision)));
    assert_eq!(nodes.first().delete(&id("c"), Some(before.head.revision), &actor()).await, Ok(false));
}

/// A prompt that was built for a conversation before it was forgotten does not replace one that was built since, at
/// whatever revision.
pub async fn a_seal_of_a_former_life_replaces_nothing(nodes: &Nodes) {
    let (mut before, mut after) = (first("c", "one"), first("c", "again"));
    let two = next(&before, "two");
    create(nodes.first(), &before).await;
    replace(nodes.first(), &two).await;
    assert_eq!(nodes.first().delete(&id("c"), None, &actor()).await, Ok(true));
    create(nodes.other(), &after).await;
    for revision in [1, 2] {
        assert_eq!((before.head.revision.revision, after.head.revision.revision), (revision, revision));
        let audit = nodes.first().audit(&PageRequest::default()).await;
        for node in [nodes.first(), nodes.other()] {
            let answer = node.replace(next(&before, "late"), before.head.revision, &actor()).await;
            assert_eq!(
                answer,
                Ok(ReplaceOutcome::Stale(Box::new(after.head.clone()))),
                "revision {revision}"
            );
            assert_stored(node, &after).await;
        }
        let history = nodes.first().history(&id("c"), &PageRequest::default()).await.unwrap();
        assert_eq!(history.items.len() as u64, revision - 1, "its own past and no other");
        assert_eq!(nodes.other().audit(&PageRequest::default()).await, audit, "there is no entry");
        if revision == 1 {
            before = two.clone();
            after = next(&after, "again and newer");
            replace(nodes.first(), &after).await;
        }
    }
}

/// Stores keep milliseconds; what is finer is dropped wherever it comes in.
pub async fn times_are_to_the_millisecond(nodes: &Nodes) {
    let (store, other) = (nodes.first(), nodes.other());
    let fine = at(1) + SignedDuration::from_nanos(999_999);
    let fine_actor = Actor { name: "somebody".to_owned(), at: fine };
    let mut one = first("c", "one");
    (one.head.created_at, one.head.constructed_at) = (fine, fine);
    assert_eq!(store.create(one.clone(), &fine_actor).await, Ok(InsertOutcome::New));
    (one.head.created_at, one.head.constructed_at) = (at(1), at(1));
    assert_stored(other, &one).await;

    let mut two = next(&one, "two");
    two.head.constructed_at = fine;
    assert_eq!(store.replace(two.clone(), one.head.revision, &fine_actor).await, Ok(ReplaceOutcome::Done));
    two.head.constructed_at = at(1);
    assert_stored(other, &two).await;
    assert_eq!(other.history(&id("c"), &PageRequest::default()).await.unwrap().items[0].replaced_at, at(1));
    assert_eq!(store.purge(fine, 10, &actor()).await, Ok(0), "at an instant is not before it");

    let new = NewVersion { written: Some(("earlier".to_owned(), fine)), ..new_version("main", "one") };
    let PutOutcome::Stored(version) =
        store.put_template(new, ExpectedVersion::Any, &fine_actor).await.unwrap()
    else {
        panic!("not stored")
    };
    assert_eq!(version.at, at(1));
    assert_eq!(other.template(&template("main"), &VersionChoice::Current).await, Ok(Some(version)));

    let access = TokenRecord {
        name: "reader".to_owned(),
        role: TokenRole::Read,
        digest: TokenRecord::digest("t"),
        created_at: fine,
        expires_at: Some(fine),
    };
    assert_eq!(store.add_access(access, &fine_actor).await, Ok(true));
    let access = other.accesses().await.unwrap().remove(0);
    assert_eq!((access.created_at, access.expires_at), (at(1), Some(at(1))));
    let audit = other.audit(&PageRequest::default()).await.unwrap();
    assert!(audit.items.iter().all(|entry| entry.at == at(1)), "{audit:?}");
}
