//! The life of a store, and its access tokens.

use super::{
    Nodes,
    samples::{actor, at, first, id, new_version, next, template},
};
use preface_store::{
    ExpectedVersion, Filter, InsertOutcome, NewVersion, PageRequest, StoreError, TokenRecord, TokenRole,
    VersionChoice,
};
use serde_json::json;

/// A store that was opened answers.
pub async fn a_store_is_well(nodes: &Nodes) {
    assert_eq!(nodes.first().check().await, Ok(()));
    assert_eq!(nodes.other().check().await, Ok(()));
    assert_eq!(nodes.first().kind(), nodes.other().kind());
    assert!(["memory", "sqlite", "postgres"].contains(&nodes.first().kind()));
}

/// A probe is a write that nobody reads: it is refused where writes are, and changes nothing that is stored.
pub async fn a_probe_changes_nothing(nodes: &Nodes) {
    let (store, other) = (nodes.first(), nodes.other());
    let one = first("c", "one");
    assert_eq!(store.create(one.clone(), &actor()).await, Ok(InsertOutcome::New));
    let audit = other.audit(&PageRequest::default()).await;
    for _ in 0..2 {
        assert_eq!(store.probe().await, Ok(()));
        assert_eq!(other.probe().await, Ok(()));
    }
    let filter = Filter::default();
    let listed = other.conversations(&filter, &PageRequest::default()).await.unwrap().items;
    assert_eq!(listed.len(), 1, "a probe begins no conversation");
    assert_eq!(other.conversation(&id("c")).await, Ok(Some(one)));
    assert_eq!(other.audit(&PageRequest::default()).await, audit);
    assert_eq!(other.check().await, Ok(()));
}

/// A name lets one in at a time; it may be given again once its owner is shut out.
pub async fn access_names_are_unique(nodes: &Nodes) {
    let (store, other) = (nodes.first(), nodes.other());
    let access = |name: &str, role, token: &str, when| TokenRecord {
        name: name.to_owned(),
        role,
        digest: TokenRecord::digest(token),
        created_at: at(when),
        expires_at: None,
    };
    let phone = access("phone", TokenRole::Converse, "one", 1);
    let desk = access("Phone", TokenRole::Write, "two", 2);
    let taken = access("phone", TokenRole::Write, "three", 3);
    assert_eq!(store.add_access(phone.clone(), &actor()).await, Ok(true));
    assert_eq!(store.add_access(desk.clone(), &actor()).await, Ok(true), "names are compared by their bytes");
    assert_eq!(other.add_access(taken.clone(), &actor()).await, Ok(false));
    assert_eq!(other.accesses().await, Ok(vec![desk.clone(), phone]));
    assert_eq!(other.remove_access("phone", &actor()).await, Ok(true));
    assert_eq!(store.remove_access("phone", &actor()).await, Ok(false));
    assert_eq!(store.add_access(taken.clone(), &actor()).await, Ok(true));
    assert_eq!(other.accesses().await, Ok(vec![desk, taken]));
}

/// A token comes back with its role and its expiry, whichever they are.
pub async fn a_token_keeps_its_role_and_expiry(nodes: &Nodes) {
    let mut added = Vec::new();
    for (number, role) in TokenRole::ALL.into_iter().enumerate() {
        let access = TokenRecord {
            name: format!("{number}"),
            role,
            digest: TokenRecord::digest(role.as_str()),
            created_at: at(1),
            expires_at: (number % 2 == 0).then(|| at(1000 + number as i64)),
        };
        assert_eq!(nodes.first().add_access(access.clone(), &actor()).await, Ok(true));
        added.push(access);
    }
    assert_eq!(nodes.other().accesses().await, Ok(added));
    let audit = nodes.other().audit(&PageRequest::default()).await.unwrap().items;
    let detail =
        |name: &str| &audit.iter().find(|entry| entry.subject == name).expect("it is recorded").detail;
    assert_eq!(*detail("0"), json!({"role": "metrics", "expires_at": at(1000).to_string()}));
    assert_eq!(*detail("1"), json!({"role": "read"}));
}

/// A closed store returns an error for every call.
pub async fn a_closed_store_returns_errors(nodes: &Nodes) {
    fn assert_closed<T: std::fmt::Debug + PartialEq>(result: Result<T, StoreError>, what: &str) {
        assert_eq!(result, Err(StoreError::Closed), "{what}");
    }
    let (store, actor, main, c) = (nodes.first(), actor(), template("main"), id("c"));
    let one = first("c", "one");
    assert_eq!(store.create(one.clone(), &actor).await, Ok(InsertOutcome::New));
    assert_eq!(store.close().await, Ok(()));
    assert_closed(store.check().await, "check");
    assert_closed(store.probe().await, "probe");
    assert_closed(store.template(&main, &VersionChoice::Current).await, "template");
    assert_closed(
        store.put_template(new_version("main", ""), ExpectedVersion::Any, &actor).await,
        "put_template",
    );
    assert_closed(store.templates(&PageRequest::default()).await, "templates");
    assert_closed(store.versions(&main, &PageRequest::default()).await, "versions");
    assert_closed(store.label(&main, "live", None, &actor).await, "label");
    assert_closed(store.revision(&c).await, "seal");
    assert_closed(store.head(&c).await, "head");
    assert_closed(store.conversation(&c).await, "conversation");
    assert_closed(store.create(one.clone(), &actor).await, "create");
    assert_closed(store.replace(next(&one, ""), one.head.revision, &actor).await, "replace");
    assert_closed(store.delete(&c, None, &actor).await, "delete");
    assert_closed(store.conversations(&Filter::default(), &PageRequest::default()).await, "conversations");
    assert_closed(store.history(&c, &PageRequest::default()).await, "past");
    assert_closed(store.purge(at(0), 1, &actor).await, "purge");
    assert_closed(store.audit(&PageRequest::default()).await, "audit");
    assert_closed(store.trim_audit(at(0), 1, &actor).await, "trim_audit");
    assert_closed(store.accesses().await, "accesses");
    assert_closed(store.remove_access("x", &actor).await, "remove_access");
    assert_closed(
        store.put_template(NewVersion::reset(main), ExpectedVersion::Any, &actor).await,
        "put_template",
    );
    assert_closed(store.close().await, "close");
}

/// Checks that writes acknowledged before or while the store was closed are there, and refused ones are not.
pub async fn acknowledged_writes_outlive_a_close(nodes: &Nodes) {
    let store = nodes.turn(0);
    let writes = tokio::spawn({
        let nodes = nodes.clone();
        async move {
            nodes
                .at_once(33, |number, _| {
                    let store = std::sync::Arc::clone(&store);
                    async move {
                        if number == 16 {
                            store.close().await.map(|()| InsertOutcome::New)
                        } else {
                            store.create(first(&format!("c{number}"), "x"), &actor()).await
                        }
                    }
                })
                .await
        }
    });
    let results = writes.await.expect("it ends");
    assert_eq!(results[16], Ok(InsertOutcome::New), "close succeeds");
    for (number, created) in results.into_iter().enumerate().filter(|(number, _)| *number != 16) {
        // A node that was closed with the first (one process, one memory) is closed, too.
        let found = nodes.other().head(&id(&format!("c{number}"))).await;
        match (created, found) {
            (Ok(created), Ok(head)) => {
                assert_eq!(created, InsertOutcome::New);
                assert!(head.is_some(), "c{number} was acknowledged");
            }
            (Err(error), Ok(head)) => {
                assert_eq!(error, StoreError::Closed);
                assert_eq!(head, None, "c{number} was refused");
            }
            (_, Err(error)) => assert_eq!(error, StoreError::Closed),
        }
    }
}

/// All nodes of a store give the same identity, again and again.
pub async fn a_store_has_one_identity(nodes: &Nodes) {
    let identity = nodes.first().identity().await.unwrap();
    assert_eq!(nodes.first().identity().await, Ok(identity));
    assert_eq!(nodes.other().identity().await, Ok(identity));
}
