//! Pages tile their list: nothing twice, nothing left out.

use super::{
    Nodes,
    conversations::{create, replace},
    samples::{actor, at, first, first_at, id, new_version, next, template},
    templates::put,
};
use preface_store::{Filter, Page, PageRequest, PromptSummary, Store, StoreError, TemplateUsed};
use std::collections::BTreeSet;

/// Reads all pages of a list.
async fn read_all<T>(limit: usize, read: impl AsyncFn(PageRequest) -> Result<Page<T>, StoreError>) -> Vec<T> {
    let mut all = Vec::new();
    let mut request = PageRequest::first(limit);
    loop {
        let page = read(request.clone()).await.expect("it answers");
        assert!(page.items.len() <= limit, "no more than wanted");
        assert!(page.next.is_none() || page.items.len() == limit, "a page that is not the last is full");
        all.extend(page.items);
        match page.next {
            Some(next) => request.after = Some(next),
            None => return all,
        }
    }
}

async fn names(store: &dyn Store, filter: &Filter, limit: usize) -> Vec<String> {
    let heads: Vec<PromptSummary> =
        read_all(limit, async |request| store.conversations(filter, &request).await).await;
    assert!(heads.iter().all(|head| head.text.is_empty()), "lists leave texts out");
    heads.into_iter().map(|head| head.id.to_string()).collect()
}

/// Conversations come the last begun first, those of one instant by id, for every limit. A new prompt moves none.
pub async fn pages_tile_the_conversations(nodes: &Nodes) {
    let mut wanted = Vec::new();
    for number in 0..17_i64 {
        // Several share an instant, ids hold what places are separated by.
        let (name, when) =
            (format!("{}/{number}", "c".repeat(usize::try_from(number).unwrap() % 3)), number / 4);
        create(nodes.first(), &first_at(&name, "x", when)).await;
        wanted.push((-when, name));
    }
    let old = first_at(&wanted[3].1, "x", 0);
    replace(nodes.first(), &next(&old, "newer")).await;
    wanted.sort();
    let wanted: Vec<String> = wanted.into_iter().map(|(_, name)| name).collect();
    for limit in 1..=18 {
        assert_eq!(names(nodes.other(), &Filter::default(), limit).await, wanted, "limit {limit}");
    }
}

/// Checks the same of the lists of audit entries, of templates, of versions, and of a conversation's history.
pub async fn pages_tile_audit_templates_and_past(nodes: &Nodes) {
    let store = nodes.first();
    let mut prompt = first("c", "0");
    create(store, &prompt).await;
    create(store, &first("d", "0")).await;
    for number in 1..=7_u64 {
        put(store, new_version("main", &number.to_string())).await;
        put(store, new_version(&format!("t{}", 8 - number), "x")).await;
        prompt = next(&prompt, &number.to_string());
        replace(store, &prompt).await;
    }
    let (other, main, c) = (nodes.other(), template("main"), id("c"));
    for limit in 1..=9 {
        let templates = read_all(limit, async |request| other.templates(&request).await).await;
        let found: Vec<&str> = templates.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(found, ["main", "t1", "t2", "t3", "t4", "t5", "t6", "t7"], "limit {limit}");
        let versions = read_all(limit, async |request| other.versions(&main, &request).await).await;
        let found: Vec<u64> = versions.iter().map(|one| one.version).collect();
        assert_eq!(found, [7, 6, 5, 4, 3, 2, 1], "limit {limit}");
        let history = read_all(limit, async |request| other.history(&c, &request).await).await;
        let found: Vec<&str> = history.iter().map(|one| &*one.was.head.text).collect();
        assert_eq!(found, ["6", "5", "4", "3", "2", "1", "0"], "limit {limit}");
        let audit = read_all(limit, async |request| other.audit(&request).await).await;
        assert_eq!(audit.len(), 23, "limit {limit}");
        assert!(audit.is_sorted_by(|a, b| a.id > b.id), "limit {limit}");
    }
}

/// Checks that paging while others write returns every entry that is there from beginning to end, and none
/// twice.
pub async fn pages_tile_while_others_write(nodes: &Nodes) {
    let mut there = BTreeSet::new();
    for number in 0..20 {
        let name = format!("c{number:02}");
        create(nodes.first(), &first_at(&name, "x", number % 5)).await;
        there.insert(name);
    }
    let (mut seen, mut entries) = (Vec::new(), Vec::new());
    let (mut heads, mut audit) = (PageRequest::first(3), PageRequest::first(3));
    for round in 0.. {
        // One before, one amidst and one behind what is being read.
        for when in [10, 2, -10] {
            create(nodes.first(), &first_at(&format!("new {round} {when}"), "x", when)).await;
        }
        let page = nodes.other().conversations(&Filter::default(), &heads).await.unwrap();
        seen.extend(page.items.into_iter().map(|head| head.id.to_string()));
        heads.after = page.next;
        let page = nodes.other().audit(&audit).await.unwrap();
        entries.extend(page.items.into_iter().map(|entry| entry.id));
        audit.after = page.next;
        if heads.after.is_none() || audit.after.is_none() || round == 6 {
            break;
        }
    }
    assert!(entries.is_sorted_by(|a, b| a > b), "nothing twice: {entries:?}");
    // The rest at once: the writers stopped.
    while heads.after.is_some() {
        let page = nodes.other().conversations(&Filter::default(), &heads).await.unwrap();
        seen.extend(page.items.into_iter().map(|head| head.id.to_string()));
        heads.after = page.next;
    }
    let once: BTreeSet<String> = seen.iter().cloned().collect();
    assert_eq!(once.len(), seen.len(), "nothing twice: {seen:?}");
    assert!(there.is_subset(&once), "nothing left out: {seen:?}");
}

/// The entry that a page ended with may be forgotten before the next page is read.
pub async fn a_page_goes_on_behind_what_was_forgotten(nodes: &Nodes) {
    for number in 0..4 {
        create(nodes.first(), &first_at(&format!("c{number}"), "x", -number)).await;
    }
    let page = nodes.first().conversations(&Filter::default(), &PageRequest::first(2)).await.unwrap();
    assert_eq!(page.items[1].id, id("c1"));
    assert_eq!(nodes.first().delete(&id("c1"), None, &actor()).await, Ok(true));
    let request = PageRequest { limit: 2, after: page.next };
    let page = nodes.other().conversations(&Filter::default(), &request).await.unwrap();
    let left: Vec<&str> = page.items.iter().map(|head| head.id.as_str()).collect();
    assert_eq!(left, ["c2", "c3"]);
}

/// A place that no store gives is behind everything.
pub async fn a_place_that_was_never_given_is_empty(nodes: &Nodes) {
    let store = nodes.first();
    put(store, new_version("main", "one")).await;
    let one = first("c", "x");
    create(store, &one).await;
    replace(store, &next(&one, "y")).await;
    for after in ["", "no such place", "/", "x/c", "99999999999999999999/c", "1/\n", "-", "1.5", "\0", "'"] {
        let request = PageRequest { limit: 5, after: Some(after.to_owned()) };
        let empty = |count: usize, next: Option<String>| assert_eq!((count, next), (0, None), "{after:?}");
        let page = store.conversations(&Filter::default(), &request).await.unwrap();
        empty(page.items.len(), page.next);
        let page = store.history(&id("c"), &request).await.unwrap();
        empty(page.items.len(), page.next);
        let page = store.audit(&request).await.unwrap();
        empty(page.items.len(), page.next);
        let page = store.versions(&template("main"), &request).await.unwrap();
        empty(page.items.len(), page.next);
        if after.parse::<preface_store::TemplateName>().is_err() {
            let page = store.templates(&request).await.unwrap();
            empty(page.items.len(), page.next);
        }
    }
}

/// A page has one entry at least and 500 at most, whatever limit is given.
pub async fn a_limit_out_of_bounds_is_the_nearest(nodes: &Nodes) {
    for number in 0..3 {
        create(nodes.first(), &first(&format!("c{number}"), "x")).await;
    }
    let none = PageRequest { limit: 0, after: None };
    let page = nodes.first().conversations(&Filter::default(), &none).await.unwrap();
    assert_eq!(page.items.len(), 1);
    assert!(page.next.is_some());
    let all = PageRequest { limit: usize::MAX, after: None };
    assert_eq!(nodes.first().conversations(&Filter::default(), &all).await.unwrap().items.len(), 3);
    assert_eq!(nodes.first().audit(&all).await.unwrap().items.len(), 3);
}

/// Lists by name and id are sorted by bytes, as no language sorts.
pub async fn lists_are_sorted_by_bytes(nodes: &Nodes) {
    for name in ["b", "B", "a-c", "a.c", "a_c", "ab", "A", "a"] {
        put(nodes.first(), new_version(name, "x")).await;
        create(nodes.first(), &first(name, "x")).await;
    }
    let wanted = ["A", "B", "a", "a-c", "a.c", "a_c", "ab", "b"];
    assert_eq!(names(nodes.other(), &Filter::default(), 3).await, wanted);
    let templates = read_all(3, async |request| nodes.other().templates(&request).await).await;
    assert_eq!(templates.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), wanted);
}

/// A prefix means its bytes: what other tools take for a pattern is not one, and letters keep their case.
pub async fn an_id_prefix_is_taken_literally(nodes: &Nodes) {
    let all = [
        "%",
        "%a",
        "A",
        "Ab",
        "[a]",
        "\\",
        "\\%",
        "\\_",
        "_",
        "__",
        "a",
        "a%b",
        "a*",
        "a_b",
        "ab",
        "axb",
        "\u{e9}a",
        "\u{10ffff}",
        "\u{10ffff}a",
        "\u{10ffff}\u{10ffff}",
    ];
    for name in all {
        create(nodes.first(), &first(name, "x")).await;
    }
    let mut prefixes: Vec<&str> = all.to_vec();
    prefixes.extend(["", "a\\", "*", "?", "[", "zz", "\u{e9}", "e", "'", "\u{10fffe}"]);
    for prefix in prefixes {
        let filter = Filter { id_prefix: Some(prefix.to_owned()), template: None };
        let mut wanted: Vec<&str> = all.into_iter().filter(|name| name.starts_with(prefix)).collect();
        wanted.sort_unstable();
        for limit in [1, 2, 50] {
            assert_eq!(names(nodes.other(), &filter, limit).await, wanted, "{prefix:?}, limit {limit}");
        }
    }
}

/// A template takes the conversations that were built from it, whichever version or label they chose.
pub async fn a_template_filter_takes_its_own(nodes: &Nodes) {
    let of = |name: &str, template_name: Option<&str>, version| {
        let mut one = first(name, "x");
        one.head.template = template_name.map(|used| TemplateUsed {
            chosen: format!("{used}@live"),
            name: template(used),
            version,
        });
        one
    };
    let all = [
        of("a1", Some("main"), Some(1)),
        of("a2", Some("main"), None),
        of("a3", Some("Main"), Some(1)),
        of("b1", Some("main"), Some(2)),
        of("b2", None, None),
        of("b3", Some("mai"), None),
    ];
    for one in &all {
        create(nodes.first(), one).await;
    }
    let list = async |prefix: Option<&str>, name: &str| {
        let filter = Filter { id_prefix: prefix.map(str::to_owned), template: Some(template(name)) };
        names(nodes.other(), &filter, 2).await
    };
    assert_eq!(list(None, "main").await, ["a1", "a2", "b1"]);
    assert_eq!(list(None, "Main").await, ["a3"]);
    assert_eq!(list(Some("b"), "main").await, ["b1"]);
    assert_eq!(list(Some(""), "nobody").await, [""; 0]);
    // A prompt that is built anew from another template leaves the first one's list.
    let mut two = next(&all[0], "y");
    two.head.template = Some(TemplateUsed { chosen: "mai".to_owned(), name: template("mai"), version: None });
    two.head.constructed_at = at(0);
    replace(nodes.first(), &two).await;
    assert_eq!(list(None, "main").await, ["a2", "b1"]);
    assert_eq!(list(None, "mai").await, ["a1", "b3"]);
}
