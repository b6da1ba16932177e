//! Templates: versions count up and never change, labels move.

use super::{
    Nodes,
    samples::{actor, at, new_version, template},
};
use preface_core::declaration::Declarations;
use preface_store::{
    Actor, ExpectedVersion, NewVersion, PageRequest, PutOutcome, Store, TemplateVersion, VersionChoice,
};

/// Puts a version that must be stored.
pub(super) async fn put(store: &dyn Store, new: NewVersion) -> TemplateVersion {
    match store.put_template(new, ExpectedVersion::Any, &actor()).await.expect("it answers") {
        PutOutcome::Stored(version) => version,
        other => panic!("not stored: {other:?}"),
    }
}

async fn get(store: &dyn Store, name: &str, which: VersionChoice) -> Option<TemplateVersion> {
    store.template(&template(name), &which).await.expect("it answers")
}

async fn numbers(store: &dyn Store, name: &str) -> Vec<u64> {
    let page = store.versions(&template(name), &PageRequest::first(500)).await.expect("it answers");
    page.items.iter().map(|version| version.version).collect()
}

/// The first version is 1, the next one more; each template counts for itself, and each version stays what it was.
pub async fn versions_count_from_one(nodes: &Nodes) {
    let store = nodes.first();
    assert_eq!(get(store, "main", VersionChoice::Current).await, None);
    let first = put(store, new_version("main", "one")).await;
    let second = put(store, new_version("main", "two")).await;
    let foreign = put(store, new_version("other", "else")).await;
    assert_eq!([first.version, second.version, foreign.version], [1, 2, 1]);
    assert_eq!((first.text.as_deref(), first.bytes, first.reset), (Some("one"), 3, false));
    assert_eq!((first.author.as_str(), first.at, first.note.as_str()), ("somebody", at(0), ""));

    let other = nodes.other();
    assert_eq!(get(other, "main", VersionChoice::Version(1)).await, Some(first));
    assert_eq!(get(other, "main", VersionChoice::Version(2)).await, Some(second.clone()));
    assert_eq!(get(other, "main", VersionChoice::Current).await, Some(second));
    for absent in [
        VersionChoice::Version(0),
        VersionChoice::Version(3),
        VersionChoice::Version(u64::MAX),
        VersionChoice::Label("1".into()),
    ] {
        assert_eq!(get(other, "main", absent).await, None);
    }
    assert_eq!(get(other, "nobody", VersionChoice::Current).await, None);
    assert_eq!(numbers(other, "main").await, [2, 1]);
    assert_eq!(numbers(other, "nobody").await, [0_u64; 0]);
}

/// The text that is current adds nothing; one that was current before does.
pub async fn unchanged_text_adds_none(nodes: &Nodes) {
    let store = nodes.first();
    let first = put(store, new_version("main", "one")).await;
    let again = store.put_template(new_version("main", "one"), ExpectedVersion::Any, &actor()).await;
    assert_eq!(again, Ok(PutOutcome::Unchanged(first.clone())));
    let again = store.put_template(new_version("main", "one"), ExpectedVersion::Version(1), &actor()).await;
    assert_eq!(again, Ok(PutOutcome::Unchanged(first)));
    put(store, new_version("main", "two")).await;
    assert_eq!(put(store, new_version("main", "one")).await.version, 3);
    put(store, new_version("empty", "")).await;
    assert_eq!(
        put(store, NewVersion::reset(template("empty"))).await.version,
        2,
        "no text is not an empty text"
    );
}

/// Declarations belong to a version; a text without any keeps those of the version before, and a reset has none.
pub async fn declarations_belong_to_a_version(nodes: &Nodes) {
    let store = nodes.first();
    let declared: Declarations =
        serde_json::from_str(r#"{"app:plan": {"values": ["free", "pro"]}}"#).unwrap();
    let first = put(store, NewVersion { variables: Some(declared.clone()), ..new_version("a", "one") }).await;
    assert_eq!(first.variables, declared);
    let again = store.put_template(new_version("a", "one"), ExpectedVersion::Any, &actor()).await;
    assert_eq!(again, Ok(PutOutcome::Unchanged(first)));
    assert_eq!(put(store, new_version("a", "two")).await.variables, declared);
    let none = NewVersion { variables: Some(Declarations::default()), ..new_version("a", "two") };
    let third = put(store, none).await;
    assert_eq!((third.version, third.variables.is_empty()), (3, true));
    assert_eq!(get(nodes.other(), "a", VersionChoice::Version(2)).await.unwrap().variables, declared);
    let versions = nodes.other().versions(&template("a"), &PageRequest::default()).await.unwrap();
    assert_eq!(versions.items[1].variables, declared);
}

/// The same text with a note is a version.
pub async fn a_note_makes_a_version(nodes: &Nodes) {
    let store = nodes.first();
    put(store, new_version("main", "one")).await;
    let noted = NewVersion { note: "why".to_owned(), ..new_version("main", "one") };
    let version = put(store, noted).await;
    assert_eq!((version.version, version.note.as_str()), (2, "why"));
    assert_eq!(get(nodes.other(), "main", VersionChoice::Current).await, Some(version));
}

/// A writer that believes in another version changes nothing and gets the current one.
pub async fn a_stale_writer_changes_nothing(nodes: &Nodes) {
    let store = nodes.first();
    let write = async |text: &str, version: u64| {
        store
            .put_template(new_version("main", text), ExpectedVersion::Version(version), &actor())
            .await
            .unwrap()
    };
    assert_eq!(write("one", 1).await, PutOutcome::Stale(None));
    assert_eq!(get(store, "main", VersionChoice::Current).await, None);
    assert!(matches!(write("one", 0).await, PutOutcome::Stored(version) if version.version == 1));
    let current = get(store, "main", VersionChoice::Current).await;
    assert_eq!(write("two", 0).await, PutOutcome::Stale(current.clone()));
    assert_eq!(
        write("one", 2).await,
        PutOutcome::Stale(current.clone()),
        "also with the text that is current"
    );
    assert_eq!(get(nodes.other(), "main", VersionChoice::Current).await, current);
    assert!(matches!(write("two", 1).await, PutOutcome::Stored(version) if version.version == 2));
    assert_eq!(numbers(nodes.other(), "main").await, [2, 1]);
}

/// Going back to the default is a version without a text, also as the first one.
pub async fn a_reset_is_a_version(nodes: &Nodes) {
    let store = nodes.first();
    let reset = put(store, NewVersion::reset(template("main"))).await;
    assert_eq!((reset.version, reset.text.as_deref(), reset.bytes, reset.reset), (1, None, 0, true));
    assert_eq!(get(nodes.other(), "main", VersionChoice::Current).await, Some(reset.clone()));
    let again = store.put_template(NewVersion::reset(template("main")), ExpectedVersion::Any, &actor()).await;
    assert_eq!(again, Ok(PutOutcome::Unchanged(reset)));
    assert_eq!(put(store, new_version("main", "")).await.version, 2, "an empty text is not no text");
    let listed = nodes.other().versions(&template("main"), &PageRequest::default()).await.unwrap();
    let resets: Vec<(u64, bool)> = listed.items.iter().map(|one| (one.version, one.reset)).collect();
    assert_eq!(resets, [(2, false), (1, true)]);
}

/// An import keeps who wrote a version and when; the audit has who imported it.
pub async fn an_import_keeps_author_and_time(nodes: &Nodes) {
    let store = nodes.first();
    let written = Some(("earlier".to_owned(), at(-5000)));
    let version = put(store, NewVersion { written, ..new_version("main", "one") }).await;
    assert_eq!((version.author.as_str(), version.at), ("earlier", at(-5000)));
    assert_eq!(get(nodes.other(), "main", VersionChoice::Current).await, Some(version));
    let audit = nodes.other().audit(&PageRequest::default()).await.unwrap();
    assert_eq!((audit.items[0].actor.as_str(), audit.items[0].at), ("somebody", at(0)));
}

/// Lists have everything but the texts.
pub async fn lists_leave_texts_out(nodes: &Nodes) {
    let store = nodes.first();
    let first = put(store, new_version("b", "one")).await;
    let second = put(store, NewVersion { note: "why".to_owned(), ..new_version("b", "\u{e4}") }).await;
    put(store, new_version("a", "x")).await;
    assert!(store.label(&template("b"), "live", Some(2), &actor()).await.unwrap());
    let listed = |version: &TemplateVersion, labels: &[&str]| TemplateVersion {
        text: None,
        labels: labels.iter().map(|&label| label.to_owned()).collect(),
        ..version.clone()
    };
    let versions = nodes.other().versions(&template("b"), &PageRequest::default()).await.unwrap();
    assert_eq!(versions.items, [listed(&second, &["live"]), listed(&first, &[])]);
    assert_eq!(versions.next, None);
    let templates = nodes.other().templates(&PageRequest::default()).await.unwrap();
    let names: Vec<&str> = templates.items.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(templates.items[1], listed(&second, &["live"]));
}

/// A label is on one version of a template at a time; it moves, and it can be taken away.
pub async fn a_label_is_on_one_version(nodes: &Nodes) {
    let (store, other) = (nodes.first(), nodes.other());
    for text in ["one", "two", "three"] {
        put(store, new_version("main", text)).await;
    }
    put(store, new_version("other", "else")).await;
    let label = async |name: &str, label: &str, version: Option<u64>| {
        store.label(&template(name), label, version, &Actor::at("labels", at(1))).await.unwrap()
    };
    let found = async |name: &str, label: &str| {
        get(other, name, VersionChoice::Label(label.to_owned())).await.map(|version| version.version)
    };
    assert!(!label("main", "live", Some(4)).await, "there is no such version");
    assert!(!label("main", "live", Some(0)).await);
    assert!(!label("nobody", "live", Some(1)).await);
    assert!(!label("nobody", "live", None).await);
    assert_eq!(found("main", "live").await, None);

    assert!(label("main", "live", Some(1)).await);
    assert!(label("main", "beta", Some(1)).await);
    assert!(label("other", "live", Some(1)).await);
    assert_eq!(
        get(other, "main", VersionChoice::Version(1)).await.unwrap().labels,
        ["beta", "live"],
        "sorted"
    );
    assert_eq!(
        get(other, "main", VersionChoice::Label("beta".into())).await.unwrap().text.as_deref(),
        Some("one")
    );

    assert!(label("main", "live", Some(3)).await);
    assert_eq!(found("main", "live").await, Some(3));
    assert_eq!(found("other", "live").await, Some(1));
    assert_eq!(get(other, "main", VersionChoice::Version(1)).await.unwrap().labels, ["beta"]);
    assert_eq!(get(other, "main", VersionChoice::Current).await.unwrap().labels, ["live"]);

    assert!(label("main", "live", None).await);
    assert_eq!(found("main", "live").await, None);
    assert_eq!(found("main", "beta").await, Some(1));
    assert_eq!(found("main", "BETA").await, None, "labels are compared by their bytes");
    put(store, new_version("main", "four")).await;
    assert_eq!(found("main", "beta").await, Some(1), "a new version leaves labels where they are");
}
