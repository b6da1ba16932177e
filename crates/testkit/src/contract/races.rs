//! Several who want the same at once: one gets it, and all get the same result.

use super::{
    Nodes,
    conversations::{assert_stored, create},
    samples::{actor, at, first, first_at, id, new_version, next, template},
    templates::put,
};
use preface_store::{
    AuditAction, ExpectedVersion, Filter, InsertOutcome, PageRequest, PutOutcome, ReplaceOutcome,
    TokenRecord, TokenRole, VersionChoice,
};
use std::collections::BTreeSet;

/// The number of writers in a race.
const RACERS: usize = 32;

/// Of 32 first prompts for one conversation one is kept, and all get it.
pub async fn first_prompts_race(nodes: &Nodes) {
    let results = nodes
        .at_once(RACERS, |number, store| async move {
            let mine = first("c", &format!("prompt {number}"));
            match store.create(mine.clone(), &actor()).await.expect("it answers") {
                InsertOutcome::New => (true, mine.head),
                InsertOutcome::Existing(head) => (false, *head),
            }
        })
        .await;
    let winners: Vec<_> = results.iter().filter(|(new, _)| *new).collect();
    assert_eq!(winners.len(), 1, "one is new");
    assert!(results.iter().all(|(_, head)| *head == winners[0].1), "all get it");
    assert_eq!(nodes.other().head(&id("c")).await, Ok(Some(winners[0].1.clone())));
    assert_eq!(nodes.other().audit(&PageRequest::default()).await.unwrap().items.len(), 1);
}

/// The same, of several conversations side by side: nobody gets the prompt of another.
pub async fn first_prompts_of_many_conversations_race(nodes: &Nodes) {
    let results = nodes
        .at_once(RACERS * 4, |number, store| async move {
            let name = format!("c{}", number % RACERS);
            let mine = first(&name, &format!("{name}: prompt {number}"));
            let head = match store.create(mine.clone(), &actor()).await.expect("it answers") {
                InsertOutcome::New => mine.head,
                InsertOutcome::Existing(head) => *head,
            };
            assert!(head.text.starts_with(&format!("{name}: ")), "{name} got {}", head.text);
            head.text
        })
        .await;
    assert_eq!(results.into_iter().collect::<BTreeSet<_>>().len(), RACERS, "one text for each");
    let all = nodes.first().conversations(&Filter::default(), &PageRequest::first(500)).await.unwrap();
    assert_eq!(all.items.len(), RACERS);
}

/// Of several that replace one revision one does; the others get its prompt or a later one.
pub async fn replacements_race(nodes: &Nodes) {
    let one = first("c", "one");
    create(nodes.first(), &one).await;
    let (before, revision) = (one.clone(), one.head.revision);
    let results = nodes
        .at_once(RACERS, |number, store| {
            let mine = next(&before, &format!("prompt {number}"));
            async move { (mine.clone(), store.replace(mine, revision, &actor()).await.expect("it answers")) }
        })
        .await;
    let winners: Vec<_> = results.iter().filter(|(_, result)| *result == ReplaceOutcome::Done).collect();
    assert_eq!(winners.len(), 1, "one did");
    let winner = &winners[0].0;
    for (_, result) in &results {
        match result {
            ReplaceOutcome::Done => {}
            ReplaceOutcome::Stale(head) => assert_eq!(**head, winner.head),
            ReplaceOutcome::Missing => panic!("it is there"),
        }
    }
    assert_stored(nodes.other(), winner).await;
    let history = nodes.other().history(&id("c"), &PageRequest::default()).await.unwrap();
    assert_eq!(history.items.into_iter().map(|history| history.was).collect::<Vec<_>>(), [one]);
}

/// Of several that delete, one does.
pub async fn deletes_race(nodes: &Nodes) {
    let one = first("c", "one");
    create(nodes.first(), &one).await;
    let revision = one.head.revision;
    let results = nodes
        .at_once(RACERS, |number, store| async move {
            let expected = (number % 2 == 0).then_some(revision);
            store.delete(&id("c"), expected, &actor()).await.expect("it answers")
        })
        .await;
    assert_eq!(results.into_iter().filter(|done| *done).count(), 1);
    let audit = nodes.other().audit(&PageRequest::default()).await.unwrap();
    assert_eq!(audit.items.iter().filter(|entry| entry.action == AuditAction::ConversationDelete).count(), 1);
}

/// Several that purge forget each conversation once.
pub async fn purges_race(nodes: &Nodes) {
    for number in 0..40_u8 {
        create(nodes.first(), &first_at(&format!("c{number}"), "x", i64::from(number))).await;
    }
    let results = nodes
        .at_once(8, |_, store| async move { store.purge(at(30), 5, &actor()).await.expect("it answers") })
        .await;
    let mut count: u64 = results.iter().sum();
    assert!(results.iter().all(|count| *count <= 5), "{results:?}");
    while let more @ 1.. = nodes.first().purge(at(30), 5, &actor()).await.unwrap() {
        count += more;
    }
    assert_eq!(count, 30);
    let left = nodes.other().conversations(&Filter::default(), &PageRequest::first(100)).await.unwrap();
    assert_eq!(left.items.len(), 10);
}

/// Versions that are put at once each get a number of their own, without a gap.
pub async fn versions_race(nodes: &Nodes) {
    let results = nodes
        .at_once(RACERS, |number, store| async move {
            let new = new_version("main", &format!("text {number}"));
            match store.put_template(new, ExpectedVersion::Any, &actor()).await.expect("it answers") {
                PutOutcome::Stored(version) => version,
                other => panic!("not stored: {other:?}"),
            }
        })
        .await;
    let numbers: BTreeSet<u64> = results.iter().map(|version| version.version).collect();
    assert_eq!(numbers, (1..=RACERS as u64).collect());
    for version in results {
        let found = nodes.other().template(&version.name, &VersionChoice::Version(version.version)).await;
        assert_eq!(found, Ok(Some(version)));
    }
}

/// Of several that believe there is no template yet one is right.
pub async fn versions_from_nothing_race(nodes: &Nodes) {
    let results = nodes
        .at_once(RACERS, |number, store| async move {
            let new = new_version("main", &format!("text {number}"));
            store.put_template(new, ExpectedVersion::Version(0), &actor()).await.expect("it answers")
        })
        .await;
    let winners: Vec<_> = results
        .iter()
        .filter_map(|put| if let PutOutcome::Stored(one) = put { Some(one) } else { None })
        .collect();
    assert_eq!(winners.len(), 1);
    for put in &results {
        match put {
            PutOutcome::Stored(_) => {}
            PutOutcome::Stale(current) => assert_eq!(current.as_ref(), Some(winners[0])),
            PutOutcome::Unchanged(_) => panic!("the texts differ"),
        }
    }
}

/// A label that several put on different versions is on one of them in the end.
pub async fn labels_race(nodes: &Nodes) {
    for number in 0..8 {
        put(nodes.first(), new_version("main", &format!("text {number}"))).await;
    }
    nodes
        .at_once(RACERS, |number, store| async move {
            let version = Some(number as u64 % 8 + 1);
            assert!(store.label(&template("main"), "live", version, &actor()).await.expect("it answers"));
        })
        .await;
    let versions = nodes.other().versions(&template("main"), &PageRequest::default()).await.unwrap();
    assert_eq!(versions.items.iter().filter(|one| one.labels == ["live"]).count(), 1, "{versions:?}");
}

/// Of several that add an access under one name one does.
pub async fn accesses_race(nodes: &Nodes) {
    let results = nodes
        .at_once(RACERS, |number, store| async move {
            let digest = TokenRecord::digest(&number.to_string());
            let name = "phone".to_owned();
            let access =
                TokenRecord { name, role: TokenRole::Read, digest, created_at: at(0), expires_at: None };
            store.add_access(access, &actor()).await.expect("it answers").then_some(number)
        })
        .await;
    let winners: Vec<usize> = results.into_iter().flatten().collect();
    assert_eq!(winners.len(), 1);
    let accesses = nodes.other().accesses().await.unwrap();
    assert_eq!(accesses.len(), 1);
    assert_eq!(accesses[0].digest, TokenRecord::digest(&winners[0].to_string()));
}
