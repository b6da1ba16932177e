//! Links between pages lead to pages and headings that exist, and `docs/SUMMARY.md` lists every page once.

use crate::markdown::{Page, pages, root};
use std::path::{Component, Path, PathBuf};

/// Returns the path of a link's target from the root of the repository.
fn resolve(page: &str, target: &str) -> String {
    let mut path = PathBuf::new();
    for part in Path::new(page).parent().unwrap_or(Path::new("")).join(target).components() {
        match part {
            Component::ParentDir => assert!(path.pop(), "{page} links out of the repository: {target}"),
            part => path.push(part),
        }
    }
    path.to_str().expect("a plain path").to_owned()
}

#[test]
fn links_between_pages_resolve() {
    let mut faults = Vec::new();
    let mut found = 0;
    for page in pages() {
        for link in page.links().iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            found += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.name.clone() } else { resolve(&page.name, file) };
            // A page of the site cannot link to a file that is not part of it.
            if !root().join(&target).exists() {
                faults.push(format!("{} links to `{link}`, which does not exist", page.name));
            } else if page.name != "README.md" && !target.starts_with("docs/") {
                faults.push(format!("{} links to `{link}`, which is not part of the site", page.name));
            } else if !anchor.is_empty() && !Page::read(&target).anchors().iter().any(|id| id == anchor) {
                faults.push(format!("{} links to `{link}`, a heading that does not exist", page.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(found > 100, "the links are found: {found}");
}

#[test]
fn the_summary_lists_every_page_once() {
    let summary = Page::read("docs/SUMMARY.md");
    let mut listed: Vec<String> =
        summary.links().iter().map(|link| resolve("docs/SUMMARY.md", link)).collect();
    listed.sort_unstable();
    let pages: Vec<String> = pages()
        .into_iter()
        .map(|page| page.name)
        .filter(|name| name.starts_with("docs/") && name != "docs/SUMMARY.md")
        .collect();
    assert_eq!(listed, pages, "the summary lists the pages below docs");
}

/// The title in the summary is how a reader finds the page.
#[test]
fn each_page_has_one_title() {
    for page in pages() {
        let titles = page.prose().lines().filter(|line| line.starts_with("# ")).count();
        // The summary's own parts are headings, too.
        assert!(page.name == "docs/SUMMARY.md" || titles == 1, "{} has {titles} titles", page.name);
    }
}
