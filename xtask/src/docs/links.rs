//! Follows the links of the built site: the page or file exists, and so does the heading. Addresses of other hosts are not visited;
//! nothing is loaded from one.

use super::html::{Tag, tags};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

/// The files of a site, by their paths from its root.
#[derive(Default)]
struct Site {
    pages: BTreeMap<String, Page>,
    files: BTreeSet<String>,
}

/// The part of a page that links need.
struct Page {
    ids: BTreeSet<String>,
    links: Vec<Link>,
}

/// A link, or something that a page loads.
struct Link {
    target: String,
    is_loaded: bool,
}

/// Returns the problems of a site that was built from `docs`.
///
/// # Errors
/// A file cannot be read.
pub fn check(docs: &Path, site: &Path) -> io::Result<Vec<String>> {
    let mut built = Site::default();
    for file in files(site)? {
        if file.ends_with(".html") {
            built.pages.insert(file.clone(), Page::read(&fs::read_to_string(site.join(&file))?));
        }
        built.files.insert(file);
    }
    let mut problems = built.problems();
    problems.extend(built.unlisted(&files(docs)?));
    Ok(problems)
}

/// Returns the files below a directory, sorted, with `/` between their parts.
fn files(directory: &Path) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    let mut pending = vec![String::new()];
    while let Some(below) = pending.pop() {
        for entry in fs::read_dir(directory.join(&below))? {
            let entry = entry?;
            let path = format!("{below}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                pending.push(format!("{path}/"));
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

impl Page {
    fn read(text: &str) -> Self {
        let tags = tags(text);
        let ids = tags.iter().filter_map(|tag| tag.attribute("id")).collect();
        Page { ids, links: tags.iter().filter_map(Link::read).collect() }
    }
}

impl Link {
    fn read(tag: &Tag<'_>) -> Option<Self> {
        let (attribute, is_loaded) = match tag.name {
            "a" => ("href", false),
            "link" => ("href", true),
            "iframe" | "img" | "script" | "source" => ("src", true),
            _ => return None,
        };
        Some(Link { target: tag.attribute(attribute)?, is_loaded })
    }

    fn is_external(&self) -> bool {
        ["http:", "https:", "mailto:", "//"].iter().any(|start| self.target.starts_with(start))
    }
}

impl Site {
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (path, page) in &self.pages {
            for link in &page.links {
                if let Some(problem) = self.problem(path, link) {
                    problems.push(format!("{}: `{}`: {problem}", source(path), link.target));
                }
            }
        }
        problems
    }

    fn problem(&self, from: &str, link: &Link) -> Option<&'static str> {
        if link.is_external() {
            return link.is_loaded.then_some("is loaded from another host");
        }
        let (path, heading) = link.target.split_once('#').unwrap_or((&link.target, ""));
        let path = path.split('?').next().unwrap_or_default();
        let Some(to) = resolve(from, &decode_percent(path)) else {
            return Some("leads out of the site");
        };
        if !self.files.contains(&to) {
            return Some("the file does not exist");
        }
        let heading = decode_percent(heading);
        let page = self.pages.get(&to)?;
        (!heading.is_empty() && !page.ids.contains(&heading)).then_some("the page has no such heading")
    }

    /// Returns a problem for each page of `docs/` that the site does not have.
    fn unlisted(&self, docs: &[String]) -> Vec<String> {
        let pages = docs.iter().filter(|file| *file != "SUMMARY.md" && file.ends_with(".md"));
        pages
            .filter(|file| !self.pages.contains_key(&format!("{}.html", file.trim_end_matches(".md"))))
            .map(|file| format!("docs/{file}: is not listed in docs/SUMMARY.md"))
            .collect()
    }
}

/// Returns the file that a page was made from.
fn source(page: &str) -> String {
    format!("docs/{}.md", page.trim_end_matches(".html"))
}

/// Returns the path that a link of a page leads to; `None` outside of the site.
fn resolve(from: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some(from.to_owned());
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    if path.ends_with(['/', '.']) {
        parts.push("index.html");
    }
    Some(parts.join("/"))
}

/// Replaces `%20` and the like.
fn decode_percent(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|two| str::from_utf8(two).ok());
        match digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            _ => {
                bytes.push(first);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(pages: &[(&str, &str)], files: &[&str]) -> Site {
        Site {
            pages: pages.iter().map(|(path, text)| ((*path).to_owned(), Page::read(text))).collect(),
            files: pages
                .iter()
                .map(|(path, _)| *path)
                .chain(files.iter().copied())
                .map(str::to_owned)
                .collect(),
        }
    }

    #[test]
    fn links_that_lead_somewhere_are_no_problem() {
        let site = site(
            &[
                (
                    "index.html",
                    "<link href='a.css'><a href='#top'></a><i id=top></i><a href='tasks/a%20b.html?x=1#h%C3%A9'></a>\
                     <a href='https://example.org/x#y'></a><a href='mailto:a@example.org'></a><a href='.'></a>",
                ),
                (
                    "tasks/a b.html",
                    "<h2 id='hé'></h2><a href='../index.html#top'></a><a href='../'></a><img src='../p.png'>",
                ),
            ],
            &["a.css", "p.png"],
        );
        assert_eq!(site.problems(), [""; 0]);
    }

    #[test]
    fn each_broken_link_is_a_problem() {
        for (link, problem) in [
            ("<a href='gone.html'>", "`gone.html`: the file does not exist"),
            ("<a href='b.md'>", "`b.md`: the file does not exist"),
            ("<a href='b.html#gone'>", "`b.html#gone`: the page has no such heading"),
            ("<a href='#gone'>", "`#gone`: the page has no such heading"),
            ("<a href='b.html#Known'>", "`b.html#Known`: the page has no such heading"),
            ("<a href='../../README.html'>", "`../../README.html`: leads out of the site"),
            ("<img src='gone.png'>", "`gone.png`: the file does not exist"),
            (
                "<script src='https://example.org/x.js'>",
                "`https://example.org/x.js`: is loaded from another host",
            ),
            ("<link href='//example.org/x.css'>", "`//example.org/x.css`: is loaded from another host"),
        ] {
            let site = site(&[("tasks/a.html", link), ("tasks/b.html", "<h2 id=known>")], &[]);
            assert_eq!(site.problems(), [format!("docs/tasks/a.md: {problem}")], "{link}");
        }
    }

    #[test]
    fn each_page_is_listed() {
        let site = site(&[("index.html", ""), ("tasks/a.html", "")], &["images/p.png"]);
        let docs = ["SUMMARY.md", "index.md", "tasks/a.md", "tasks/b.md", "images/p.png", "book.toml"];
        assert_eq!(
            site.unlisted(&docs.map(str::to_owned)),
            ["docs/tasks/b.md: is not listed in docs/SUMMARY.md"]
        );
    }
}
