//! Stores of earlier versions.

use super::samples::{actor, at, first, id, new_version, next, template};
use preface_store::{
    DraftKey, DraftLimits, ExpectedVersion, NewVersion, PageRequest, Store, StoredDraft, TokenRecord,
    TokenRole, VersionChoice,
};
use std::sync::Arc;

/// A filled store of version 3 keeps all that it has, and takes drafts. `take_back` returns its tables to those of that version.
///
/// # Panics
/// It does not.
pub async fn version_3_gets_drafts(open: impl AsyncFn() -> Arc<dyn Store>, take_back: impl FnOnce()) {
    let store = open().await;
    for text in ["one", "two\r\n\u{0}\u{1f600}"] {
        store.put_template(new_version("main", text), ExpectedVersion::Any, &actor()).await.unwrap();
    }
    store.put_template(new_version("gone", "text"), ExpectedVersion::Any, &actor()).await.unwrap();
    let reset = NewVersion::reset(template("gone"));
    store.put_template(reset, ExpectedVersion::Any, &actor()).await.unwrap();
    store.label(&template("main"), "live", Some(1), &actor()).await.unwrap();
    let prompt = first("c/1", "a prompt");
    store.create(prompt.clone(), &actor()).await.unwrap();
    store.replace(next(&prompt, "the next"), prompt.head.revision, &actor()).await.unwrap();
    let before = contents(&*store).await;
    store.close().await.unwrap();
    take_back();
    let store = open().await;
    assert_eq!(contents(&*store).await, before);
    let key =
        DraftKey { owner: "browser:1".into(), template: template("main"), id: "tab.1".parse().unwrap() };
    let draft = StoredDraft { key, version: 2, etag: None, text: "unsaved".into(), bytes: 7, at: at(1) };
    assert_eq!(store.put_draft(draft.clone(), DraftLimits { count: 1, bytes: 7 }).await, Ok(true));
    assert_eq!(store.draft(&draft.key).await, Ok(Some(draft)));
}

/// A store of version 4 has the drafts of a token below its name. They belong to that token afterwards. `take_back` sets the version.
///
/// # Panics
/// It does not.
pub async fn version_4_binds_drafts_to_tokens(
    open: impl AsyncFn() -> Arc<dyn Store>,
    take_back: impl FnOnce(),
) {
    let store = open().await;
    let digest = TokenRecord::digest("secret");
    let access = TokenRecord {
        name: "ci".to_owned(),
        role: TokenRole::Write,
        digest: digest.clone(),
        created_at: at(1),
        expires_at: None,
    };
    assert_eq!(store.add_access(access, &actor()).await, Ok(true));
    let key = |owner: &str| DraftKey {
        owner: owner.into(),
        template: template("main"),
        id: "tab.1".parse().unwrap(),
    };
    let draft = |owner: &str| StoredDraft {
        key: key(owner),
        version: 2,
        etag: None,
        text: "unsaved".into(),
        bytes: 7,
        at: at(1),
    };
    for owner in ["token:ci", "token:gone", "browser:ci"] {
        let limits = DraftLimits { count: 1, bytes: 7 };
        assert_eq!(store.put_draft(draft(owner), limits).await, Ok(true));
    }
    store.close().await.unwrap();
    take_back();
    let store = open().await;
    let owner = format!("token:{digest}");
    assert_eq!(store.draft(&key(&owner)).await, Ok(Some(draft(&owner))));
    assert_eq!(store.draft(&key("token:ci")).await, Ok(None));
    for owner in ["token:gone", "browser:ci"] {
        assert_eq!(store.draft(&key(owner)).await, Ok(Some(draft(owner))));
    }
}

/// Returns what a store has of templates and conversations.
async fn contents(store: &dyn Store) -> Vec<String> {
    let page = PageRequest::default();
    let label = VersionChoice::Label("live".to_owned());
    let mut all = vec![
        format!("{:?}", store.templates(&page).await.unwrap()),
        format!("{:?}", store.template(&template("main"), &label).await.unwrap().unwrap()),
        format!("{:?}", store.conversation(&id("c/1")).await.unwrap().unwrap()),
        format!("{:?}", store.history(&id("c/1"), &page).await.unwrap()),
    ];
    for name in ["main", "gone"] {
        all.push(format!("{:?}", store.versions(&template(name), &page).await.unwrap()));
        all.push(format!("{:?}", store.template(&template(name), &VersionChoice::Current).await.unwrap()));
    }
    all
}
