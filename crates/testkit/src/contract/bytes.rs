//! Written text comes back byte for byte, and nothing that is written is ever read as something else.

use super::{
    Nodes,
    conversations::{assert_stored, create},
    samples::{actor, at, first, id, new_version, next, template, texts},
    templates::put,
};
use preface_core::prompt::fingerprint;
use preface_store::{
    Actor, ExpectedVersion, Filter, InsertOutcome, NewVersion, PageRequest, PutOutcome, ReplaceOutcome,
    TemplateUsed, TokenRecord, TokenRole, VersionChoice,
};

/// Any text of a template comes back, NUL and all.
pub async fn any_text_of_a_template_comes_back(nodes: &Nodes) {
    for (number, text) in texts().iter().enumerate() {
        let version = put(nodes.first(), new_version("main", text)).await;
        assert_eq!((version.text.as_deref(), version.bytes), (Some(text.as_str()), text.len() as u64));
        let found = nodes.other().template(&template("main"), &VersionChoice::Current).await.unwrap();
        assert!(found.as_ref() == Some(&version), "text {number}: {:?}", text.get(..40));
        let again = nodes
            .other()
            .put_template(new_version("main", text), ExpectedVersion::Any, &actor())
            .await
            .unwrap();
        assert!(matches!(again, PutOutcome::Unchanged(_)), "text {number} is known again");
    }
}

/// Any text of a prompt and any record comes back, NUL and all.
pub async fn any_text_of_a_prompt_comes_back(nodes: &Nodes) {
    for (number, text) in texts().iter().enumerate() {
        let mut one = first(&format!("c{number}"), text);
        one.record = text.as_str().into();
        create(nodes.first(), &one).await;
        assert_stored(nodes.other(), &one).await;
        let found = nodes.other().conversation(&one.head.id).await.unwrap().unwrap();
        assert!(found.is_whole(), "text {number}");
        let mut two = next(&one, text);
        two.record = text.as_str().into();
        assert_eq!(
            nodes.other().replace(two.clone(), one.head.revision, &actor()).await,
            Ok(ReplaceOutcome::Done)
        );
        assert_stored(nodes.first(), &two).await;
        let history = nodes.first().history(&one.head.id, &PageRequest::default()).await.unwrap();
        assert_eq!(history.items[0].was, one);
    }
}

/// An id is any text without control characters: it is data and nothing else, and only the same bytes are the same id.
pub async fn ids_are_data(nodes: &Nodes) {
    let long = "\u{e4}".repeat(127) + "x";
    let ids = [
        "a",
        "A",
        " a",
        "a ",
        ".",
        "..",
        "../../etc/passwd",
        "/a/b/",
        "a/1780000000000/b",
        "%",
        "_",
        "\\",
        "'",
        "\"",
        "';--",
        "$1",
        "?1",
        "{}",
        "0",
        "00",
        "1e3",
        "NULL",
        "e\u{301}",
        "\u{e9}",
        "\u{feff}a",
        "\u{202e}a",
        "\u{1f9ea}",
        "\u{10ffff}",
        &long,
    ];
    for name in ids {
        create(nodes.first(), &first(name, name)).await;
    }
    for name in ids {
        assert_eq!(nodes.other().head(&id(name)).await.unwrap().unwrap().text.as_ref(), name);
    }
    let listed = nodes.other().conversations(&Filter::default(), &PageRequest::first(500)).await.unwrap();
    let mut sorted = ids;
    sorted.sort_unstable();
    let found: Vec<&str> = listed.items.iter().map(|head| head.id.as_str()).collect();
    assert_eq!(found, sorted);
    for name in ids {
        assert_eq!(nodes.first().delete(&id(name), None, &actor()).await, Ok(true), "{name}");
    }
}

/// The short texts of a prompt and of a version come back too, whatever they are.
pub async fn short_texts_are_data(nodes: &Nodes) {
    for (number, text) in texts().iter().filter(|text| text.len() < 1000 && !text.contains('\0')).enumerate()
    {
        let actor = Actor::at(text.as_str(), at(0));
        let mut one = first(&format!("c{number}"), "x");
        one.head.cwd.clone_from(text);
        one.head.model = Some(text.clone());
        one.head.preset.clone_from(text);
        one.head.fingerprint = fingerprint(text);
        one.head.template =
            Some(TemplateUsed { chosen: text.clone(), name: template("t"), version: Some(1) });
        assert_eq!(nodes.first().create(one.clone(), &actor).await, Ok(InsertOutcome::New));
        assert_stored(nodes.other(), &one).await;

        let name = format!("t{number}");
        let new = NewVersion { note: text.clone(), ..new_version(&name, "x") };
        let put = nodes.first().put_template(new, ExpectedVersion::Any, &actor).await.unwrap();
        let PutOutcome::Stored(version) = put else { panic!("not stored: {put:?}") };
        assert_eq!((&version.note, &version.author), (text, text));
        let name = template(&name);
        assert_eq!(nodes.other().template(&name, &VersionChoice::Current).await, Ok(Some(version)));
        assert_eq!(nodes.first().label(&name, text, Some(1), &actor).await, Ok(true));
        let labelled = nodes.other().template(&name, &VersionChoice::Label(text.clone())).await.unwrap();
        assert_eq!(labelled.unwrap().labels, [text.as_str()]);

        let audit = nodes.other().audit(&PageRequest::first(3)).await.unwrap();
        assert!(audit.items.iter().all(|entry| entry.actor == *text), "{text:?}: {audit:?}");
        assert_eq!(audit.items[0].detail["label"], text.as_str());
        assert_eq!(audit.items[1].detail["note"], text.as_str());

        let (digest, created_at) = (TokenRecord::digest(text), at(0));
        let access =
            TokenRecord { name: text.clone(), role: TokenRole::Read, digest, created_at, expires_at: None };
        assert_eq!(nodes.first().add_access(access.clone(), &actor).await, Ok(true));
        assert!(nodes.other().accesses().await.unwrap().contains(&access), "{text:?}");
        assert_eq!(nodes.first().remove_access(text, &actor).await, Ok(true));
    }
}

/// Not every backend can hold NUL in a short text. Then it returns an error, keeps nothing, and goes on working.
pub async fn short_texts_with_nul_are_kept_or_refused_as_a_whole(nodes: &Nodes) {
    let (store, other) = (nodes.first(), nodes.other());
    let mut one = first("c", "x");
    one.head.cwd = "a\0b".to_owned();
    match store.create(one.clone(), &actor()).await {
        Ok(created) => {
            assert_eq!(created, InsertOutcome::New);
            assert_stored(other, &one).await;
        }
        Err(_) => assert_eq!(other.head(&id("c")).await, Ok(None)),
    }
    let new = NewVersion { note: "a\0b".to_owned(), ..new_version("main", "x") };
    match store.put_template(new, ExpectedVersion::Any, &actor()).await {
        Ok(PutOutcome::Stored(version)) => {
            assert_eq!(version.note, "a\0b");
            assert_eq!(other.template(&template("main"), &VersionChoice::Current).await, Ok(Some(version)));
        }
        Ok(other) => panic!("neither kept nor refused: {other:?}"),
        Err(_) => assert_eq!(other.template(&template("main"), &VersionChoice::Current).await, Ok(None)),
    }
    put(store, new_version("other", "x")).await;
    let kept = put(store, new_version("label", "x")).await;
    match store.label(&kept.name, "a\0b", Some(1), &actor()).await {
        Ok(there) => assert!(there),
        Err(_) => assert_eq!(other.template(&kept.name, &VersionChoice::Current).await, Ok(Some(kept))),
    }
    // A name that cannot be stored is missing; reading it is not an error of the store.
    let absent = other.template(&template("other"), &VersionChoice::Label("no\0such".to_owned())).await;
    assert!(matches!(absent, Ok(None) | Err(_)), "{absent:?}");
    create(store, &first("after", "x")).await;
}
