//! Stores of earlier versions.

use super::samples::{actor, at, first, id, new_version, next, template};
use preface_store::{
    DraftKey, DraftLimits, ExpectedVersion, NewVersion, PageRequest, Store, StoredDraft, VersionChoice,
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
