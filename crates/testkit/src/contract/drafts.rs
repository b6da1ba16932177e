//! Unsaved texts of the editor.

use super::{Nodes, samples::at};
use jiff::SignedDuration;
use preface_store::{DraftKey, DraftLimits, PageRequest, StoredDraft};

const AMPLE: DraftLimits = DraftLimits { count: 100, bytes: 1 << 20 };

fn key(owner: &str, template: &str, id: &str) -> DraftKey {
    DraftKey {
        owner: owner.into(),
        template: template.parse().expect("a name"),
        id: id.parse().expect("an id"),
    }
}

fn draft(key: &DraftKey, second: i64, text: &str) -> StoredDraft {
    StoredDraft {
        key: key.clone(),
        version: 3,
        etag: Some("\"3-ab\"".into()),
        text: text.into(),
        bytes: text.len() as u64,
        at: at(second),
    }
}

fn without_text(draft: &StoredDraft) -> StoredDraft {
    StoredDraft { text: "".into(), ..draft.clone() }
}

/// A draft comes back as it was written, is replaced as a whole, and is deleted once.
pub async fn a_draft_comes_back(nodes: &Nodes) {
    let key = key("browser:1", "main", "tab.1");
    assert_eq!(nodes.first().draft(&key).await, Ok(None));
    let one = draft(&key, 1, "a\r\nß\u{0}\u{1f600}\n");
    assert_eq!(nodes.first().put_draft(one.clone(), AMPLE).await, Ok(true));
    assert_eq!(nodes.other().draft(&key).await, Ok(Some(one)));
    let new = StoredDraft { version: 0, etag: None, ..draft(&key, 2, "") };
    let exact = StoredDraft { at: new.at + SignedDuration::from_micros(7), ..new.clone() };
    assert_eq!(nodes.other().put_draft(exact, AMPLE).await, Ok(true));
    assert_eq!(nodes.first().draft(&key).await, Ok(Some(new)), "times are to the millisecond");
    assert_eq!(nodes.other().delete_draft(&key).await, Ok(true));
    assert_eq!(nodes.first().delete_draft(&key).await, Ok(false));
    assert_eq!(nodes.first().draft(&key).await, Ok(None));
}

/// Each owner has its own drafts; a list has the last written first, without texts.
pub async fn each_owner_sees_its_own_drafts(nodes: &Nodes) {
    let keys = [key("a", "main", "1"), key("a", "other", "1"), key("a", "main", "2"), key("b", "main", "1")];
    let all: Vec<_> = keys.iter().zip(1..).map(|(key, second)| draft(key, second, "text")).collect();
    for draft in &all {
        assert_eq!(nodes.first().put_draft(draft.clone(), AMPLE).await, Ok(true));
    }
    let own = nodes.other().drafts("a").await.unwrap();
    assert_eq!(own, [without_text(&all[2]), without_text(&all[1]), without_text(&all[0])]);
    assert_eq!(nodes.other().drafts("b").await.unwrap(), [without_text(&all[3])]);
    assert_eq!(nodes.other().drafts("c").await, Ok(Vec::new()));
    assert_eq!(nodes.first().delete_draft(&keys[0]).await, Ok(true));
    assert_eq!(nodes.first().draft(&keys[3]).await, Ok(Some(all[3].clone())));
}

/// The limits hold for what an owner has after the write; a draft that is replaced does not count, nor do those of others.
pub async fn drafts_are_limited(nodes: &Nodes) {
    let limits = DraftLimits { count: 2, bytes: 10 };
    let put = async |owner: &str, id: &str, text: &str| {
        nodes.turn(1).put_draft(draft(&key(owner, "main", id), 1, text), limits).await
    };
    assert_eq!(put("a", "1", "12345678901").await, Ok(false));
    assert_eq!(put("a", "1", "1234567890").await, Ok(true));
    assert_eq!(put("a", "2", "1").await, Ok(false));
    assert_eq!(put("b", "2", "1").await, Ok(true));
    assert_eq!(put("a", "1", "123456789").await, Ok(true));
    assert_eq!(put("a", "2", "1").await, Ok(true));
    assert_eq!(put("a", "3", "").await, Ok(false), "the count");
    assert_eq!(put("a", "2", "12").await, Ok(false));
    assert_eq!(&*nodes.first().draft(&key("a", "main", "2")).await.unwrap().unwrap().text, "1");
}

/// Old drafts are deleted, the oldest first; a write makes a draft new.
pub async fn old_drafts_expire(nodes: &Nodes) {
    for (id, second) in [("1", 1), ("2", 2), ("3", 3), ("4", 4), ("1", 5)] {
        let draft = draft(&key("a", "main", id), second, "text");
        assert_eq!(nodes.first().put_draft(draft, AMPLE).await, Ok(true));
    }
    assert_eq!(nodes.other().expire_drafts(at(4), 1).await, Ok(1));
    let ids = async || -> Vec<String> {
        let all = nodes.first().drafts("a").await.unwrap();
        all.iter().map(|draft| draft.key.id.to_string()).collect()
    };
    assert_eq!(ids().await, ["1", "4", "3"]);
    assert_eq!(nodes.other().expire_drafts(at(4), 10).await, Ok(1));
    assert_eq!(nodes.other().expire_drafts(at(4), 10).await, Ok(0));
    assert_eq!(ids().await, ["1", "4"]);
}

/// A draft writes no audit entry.
pub async fn drafts_are_not_in_the_audit(nodes: &Nodes) {
    let key = key("a", "main", "1");
    assert_eq!(nodes.first().put_draft(draft(&key, 1, "text"), AMPLE).await, Ok(true));
    assert_eq!(nodes.first().delete_draft(&key).await, Ok(true));
    assert_eq!(nodes.other().audit(&PageRequest::default()).await.unwrap().items, []);
}

/// All nodes of a store give the same identity, again and again.
pub async fn a_store_has_one_identity(nodes: &Nodes) {
    let identity = nodes.first().identity().await.unwrap();
    assert_eq!(nodes.first().identity().await, Ok(identity));
    assert_eq!(nodes.other().identity().await, Ok(identity));
}
