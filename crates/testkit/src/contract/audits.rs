//! An audit entry is written together with its change, and never holds a text.

use super::{
    Nodes,
    conversations::{create, replace},
    samples::{actor, at, first, first_at, id, new_version, next, template},
    templates::put,
};
use preface_store::{
    Actor, AuditAction, AuditEntry, ExpectedVersion, NewVersion, PageRequest, Store, TokenRecord, TokenRole,
};
use serde_json::{Value, json};

async fn entries(store: &dyn Store) -> Vec<AuditEntry> {
    store.audit(&PageRequest::first(500)).await.expect("it answers").items
}

fn reader(name: &str) -> TokenRecord {
    let (role, digest) = (TokenRole::Read, TokenRecord::digest(name));
    TokenRecord { name: name.to_owned(), role, digest, created_at: at(0), expires_at: None }
}

/// Each change has one entry with actor, time, action, subject and detail.
pub async fn each_change_has_an_entry_with_its_detail(nodes: &Nodes) {
    let (store, somebody) = (nodes.first(), Actor::at("some \"body\"", at(9)));
    let noted = NewVersion { note: "why".to_owned(), ..new_version("main", "\u{e4}") };
    store.put_template(noted, ExpectedVersion::Any, &somebody).await.unwrap();
    store.put_template(NewVersion::reset(template("main")), ExpectedVersion::Any, &somebody).await.unwrap();
    store.label(&template("main"), "live", Some(1), &somebody).await.unwrap();
    store.label(&template("main"), "live", None, &somebody).await.unwrap();
    let one = first("c/1", "one");
    let two = next(&one, "two");
    store.create(one.clone(), &somebody).await.unwrap();
    store.replace(two.clone(), one.head.revision, &somebody).await.unwrap();
    store.delete(&id("c/1"), None, &somebody).await.unwrap();
    store.create(first("d", "one"), &somebody).await.unwrap();
    store.create(first("e", "one"), &somebody).await.unwrap();
    store.purge(at(1), 10, &somebody).await.unwrap();
    store.add_access(reader("phone"), &somebody).await.unwrap();
    store.remove_access("phone", &somebody).await.unwrap();

    let print = one.head.fingerprint.as_str();
    let wanted: Vec<(AuditAction, &str, Value)> = vec![
        (AuditAction::TemplatePut, "main", json!({"version": 1, "bytes": 2, "reset": false, "note": "why"})),
        (AuditAction::TemplatePut, "main", json!({"version": 2, "bytes": 0, "reset": true, "note": ""})),
        (AuditAction::TemplateLabel, "main", json!({"label": "live", "version": 1})),
        (AuditAction::TemplateLabel, "main", json!({"label": "live", "version": null})),
        (
            AuditAction::ConversationCreate,
            "c/1",
            json!({"revision": 1, "fingerprint": print, "reason": "first-turn"}),
        ),
        (
            AuditAction::ConversationReplace,
            "c/1",
            json!({"revision": 2, "fingerprint": two.head.fingerprint, "reason": "compaction"}),
        ),
        (AuditAction::ConversationDelete, "c/1", json!({})),
        (
            AuditAction::ConversationCreate,
            "d",
            json!({"revision": 1, "fingerprint": print, "reason": "first-turn"}),
        ),
        (
            AuditAction::ConversationCreate,
            "e",
            json!({"revision": 1, "fingerprint": print, "reason": "first-turn"}),
        ),
        (AuditAction::ConversationPurge, "2026-05-28T20:26:40.001Z", json!({"count": 2})),
        (AuditAction::TokenCreate, "phone", json!({"role": "read"})),
        (AuditAction::TokenRevoke, "phone", json!({})),
    ];
    let mut found = entries(nodes.other()).await;
    assert!(found.is_sorted_by(|a, b| a.id > b.id), "ids count upwards, the newest is the first");
    found.reverse();
    let actual: Vec<(AuditAction, &str, Value)> =
        found.iter().map(|entry| (entry.action, entry.subject.as_str(), entry.detail.clone())).collect();
    assert_eq!(actual, wanted);
    assert!(found.iter().all(|entry| entry.actor == somebody.name && entry.at == somebody.at));
}

/// Old entries go, the oldest first; ids go on counting, and the trimming is an entry.
pub async fn old_entries_are_trimmed(nodes: &Nodes) {
    let store = nodes.first();
    for number in 0..5 {
        let somebody = Actor::at("a", at(number));
        store.create(first(&format!("c{number}"), "x"), &somebody).await.unwrap();
    }
    let last = entries(store).await[0].id;
    let trim =
        async |before: i64, most: u64| store.trim_audit(at(before), most, &Actor::at("b", at(9))).await;
    assert_eq!(trim(0, 10).await, Ok(0), "at an instant is not before it");
    assert_eq!(trim(9, 0).await, Ok(0));
    assert_eq!(entries(nodes.other()).await.len(), 5, "nothing was trimmed, and no entry records it");
    assert_eq!(trim(3, 2).await, Ok(2));
    assert_eq!(trim(3, u64::MAX).await, Ok(1));
    let left: Vec<(AuditAction, String, Value)> = entries(nodes.other())
        .await
        .into_iter()
        .rev()
        .map(|entry| (entry.action, entry.subject, entry.detail))
        .filter(|(action, ..)| *action == AuditAction::AuditTrim)
        .collect();
    let trimmed = |count: u64| (AuditAction::AuditTrim, at(3).to_string(), json!({"count": count}));
    assert_eq!(left, [trimmed(2), trimmed(1)]);
    let all = entries(nodes.other()).await;
    let created: Vec<&str> = all
        .iter()
        .filter(|entry| entry.action == AuditAction::ConversationCreate)
        .map(|entry| entry.subject.as_str())
        .collect();
    assert_eq!(created, ["c4", "c3"]);
    assert!(all[0].id > last && all.is_sorted_by(|a, b| a.id > b.id));
    assert_eq!(trim(1 << 40, u64::MAX).await, Ok(4));
    store.create(first("later", "x"), &actor()).await.unwrap();
    let after = entries(nodes.other()).await;
    assert_eq!(after.len(), 2, "the entry of the trimming, and the new one");
    assert!(after[0].id > all[0].id, "ids are not given twice");
}

/// Checks that calls without an effect have no audit entry.
pub async fn calls_without_effect_have_no_entry(nodes: &Nodes) {
    let (store, somebody) = (nodes.first(), actor());
    put(store, new_version("main", "one")).await;
    let (one, other) = (first("c", "one"), first("c", "other"));
    create(store, &one).await;
    store.add_access(reader("phone"), &somebody).await.unwrap();
    let before = entries(store).await;
    assert_eq!(before.len(), 3);

    store.put_template(new_version("main", "one"), ExpectedVersion::Any, &somebody).await.unwrap();
    store.put_template(new_version("main", "two"), ExpectedVersion::Version(7), &somebody).await.unwrap();
    store.label(&template("main"), "live", Some(7), &somebody).await.unwrap();
    store.label(&template("nobody"), "live", None, &somebody).await.unwrap();
    store.create(other.clone(), &somebody).await.unwrap();
    let (two, nobody) = (next(&one, ""), first("nobody", ""));
    store.replace(next(&two, ""), two.head.revision, &somebody).await.unwrap();
    store.replace(next(&other, ""), other.head.revision, &somebody).await.unwrap();
    store.replace(next(&nobody, ""), nobody.head.revision, &somebody).await.unwrap();
    store.delete(&id("c"), Some(other.head.revision), &somebody).await.unwrap();
    store.delete(&id("nobody"), None, &somebody).await.unwrap();
    store.purge(at(-1), 10, &somebody).await.unwrap();
    store.purge(at(100), 0, &somebody).await.unwrap();
    store.add_access(reader("phone"), &somebody).await.unwrap();
    store.remove_access("nobody", &somebody).await.unwrap();
    assert_eq!(entries(nodes.other()).await, before);
}

/// No entry holds a text of a template or a prompt, or what a token is known by.
pub async fn entries_never_hold_a_text(nodes: &Nodes) {
    let (store, secret) = (nodes.first(), "the text that nobody may log");
    put(store, new_version("main", secret)).await;
    let mut one = first_at("c", secret, 0);
    one.record = format!("{{\"text\":\"{secret}\"}}").into();
    create(store, &one).await;
    replace(store, &next(&one, &format!("{secret} again"))).await;
    store.delete(&id("c"), None, &actor()).await.unwrap();
    create(store, &one).await;
    store.purge(at(10), 10, &actor()).await.unwrap();
    store.add_access(reader("phone"), &actor()).await.unwrap();
    let all = format!("{:?}", entries(nodes.other()).await);
    assert!(!all.contains("nobody may log"), "{all}");
    assert!(!all.contains(&TokenRecord::digest("phone")), "{all}");
}
