//! The Markdown pages and what the tests read of them: fenced blocks, directives, headings, links, code spans.

use std::{
    fs,
    path::{Path, PathBuf},
};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A Markdown file, by its path from the root of the repository.
pub struct Page {
    pub name: String,
    pub text: String,
}

impl Page {
    pub fn read(name: &str) -> Page {
        let text = fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        Page { name: name.to_owned(), text }
    }

    /// Returns true for a page that a test or another program writes.
    pub fn is_generated(&self) -> bool {
        self.text.contains("<!-- Written by ") || self.name.starts_with("docs/prompts/")
    }

    /// Returns the bodies of the blocks with this language.
    pub fn bodies(&self, language: &str) -> Vec<String> {
        let blocks = self.blocks();
        blocks.iter().filter(|block| block.language == language).map(|block| block.body.clone()).collect()
    }

    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut lines = self.text.split_inclusive('\n').enumerate();
        let mut at = 0;
        let mut directives = Vec::new();
        let mut previous = "";
        while let Some((number, line)) = lines.next() {
            at += line.len();
            let Some((fence, language)) = opening(line) else {
                let line = line.trim();
                if let Some(directive) = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"))
                {
                    directives.push(directive.to_owned());
                } else if !line.is_empty() {
                    previous = line;
                    directives.clear();
                }
                continue;
            };
            let start = at;
            let mut end = None;
            for (_, line) in lines.by_ref() {
                if line.trim_end() == fence {
                    end = Some(at);
                    at += line.len();
                    break;
                }
                at += line.len();
            }
            let end = end.unwrap_or_else(|| panic!("{}:{}: a block has no end", self.name, number + 1));
            let path = previous.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:"));
            blocks.push(Block {
                language: language.to_owned(),
                body: self.text[start..end].to_owned(),
                line: number + 1,
                range: start..end,
                path: path.filter(|path| !path.contains('`')).map(str::to_owned),
                directives: std::mem::take(&mut directives),
            });
            previous = "";
        }
        blocks
    }

    /// Returns the text without its fenced blocks and comments.
    pub fn prose(&self) -> String {
        let mut prose = String::new();
        let mut at = 0;
        for block in self.blocks() {
            prose.push_str(&self.text[at..block.range.start]);
            at = block.range.end;
        }
        prose.push_str(&self.text[at..]);
        let mut kept = String::new();
        let mut rest = prose.as_str();
        while let Some((before, comment)) = rest.split_once("<!--") {
            kept.push_str(before);
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
        }
        kept + rest
    }

    /// Returns the code spans of the prose.
    pub fn code_spans(&self) -> Vec<String> {
        let prose = self.prose();
        let lines = prose.lines().filter(|line| !line.starts_with("```") && !line.starts_with("~~~"));
        let text: String = lines.flat_map(|line| [line, "\n"]).collect();
        let paragraphs = text.split("\n\n").flat_map(|paragraph| {
            if paragraph.starts_with('|') { paragraph.lines().collect() } else { vec![paragraph] }
        });
        let spans =
            paragraphs.flat_map(|paragraph| spans_of(paragraph, "``").chain(spans_of(paragraph, "`")));
        spans.map(|span| span.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    /// Returns the ids that mdBook gives to the headings.
    pub fn anchors(&self) -> Vec<String> {
        let mut anchors: Vec<String> = Vec::new();
        for line in self.prose().lines() {
            let depth = line.chars().take_while(|c| *c == '#').count();
            if !(1..=6).contains(&depth) || !line[depth..].starts_with(' ') {
                continue;
            }
            let name: String = line[depth + 1..].trim().to_lowercase();
            let id: String = name
                .chars()
                .filter_map(|c| match c {
                    ' ' => Some('-'),
                    c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                    _ => None,
                })
                .collect();
            let same = anchors.iter().filter(|anchor| **anchor == id).count();
            anchors.push(if same == 0 { id } else { format!("{id}-{same}") });
        }
        anchors
    }

    /// Returns the targets of links and pictures.
    pub fn links(&self) -> Vec<String> {
        let prose = self.prose();
        // Code spans hold no links.
        let outside: String =
            prose.split("\n\n").flat_map(|paragraph| [without_code(paragraph), "\n\n".to_owned()]).collect();
        let targets = outside.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
        targets.collect()
    }
}

fn without_code(paragraph: &str) -> String {
    let text = paragraph.replace("``", "");
    text.split('`').step_by(2).collect()
}

fn spans_of<'a>(paragraph: &'a str, tick: &'static str) -> impl Iterator<Item = &'a str> {
    let double = paragraph.contains("``");
    paragraph.split(tick).skip(1).step_by(2).filter(move |_| (tick == "``") == double)
}

/// Returns the fence and the language of a line that opens a block.
fn opening(line: &str) -> Option<(&str, &str)> {
    let mark = line.chars().next().filter(|c| *c == '`' || *c == '~')?;
    let length = line.chars().take_while(|c| *c == mark).count();
    (length >= 3).then(|| (&line[..length], line[length..].split_whitespace().next().unwrap_or_default()))
}

/// A fenced block.
pub struct Block {
    pub language: String,
    pub body: String,
    pub line: usize,
    /// The place of the body in the page.
    pub range: std::ops::Range<usize>,
    /// The path in a line such as `` `settings.json`: `` before the block.
    pub path: Option<String>,
    /// The comments right before the block.
    directives: Vec<String>,
}

impl Block {
    pub fn is_command(&self) -> bool {
        self.path.is_none() && (self.language == "sh" || self.language == "console")
    }

    /// Returns the value of a directive: `<!-- skip: needs Node -->`.
    pub fn directive(&self, name: &str) -> Option<&str> {
        self.directives.iter().find_map(|directive| {
            let (key, value) = directive.split_once(": ").unwrap_or((directive, ""));
            (key == name).then_some(value)
        })
    }

    /// Returns what `<!-- setup: COMMAND -->` runs before the block, in order.
    pub fn setup(&self) -> impl Iterator<Item = &str> {
        self.directives.iter().filter_map(|directive| directive.strip_prefix("setup: "))
    }

    /// Returns the commands of a `console` block with the output that is shown below each, and of a `sh` block its text.
    pub fn commands(&self) -> Vec<(String, Vec<&str>)> {
        if self.language == "sh" {
            return vec![(self.body.clone(), Vec::new())];
        }
        let mut commands: Vec<(String, Vec<&str>)> = Vec::new();
        let mut continued = false;
        for line in self.body.lines() {
            match line.strip_prefix("$ ") {
                _ if continued => {
                    let (command, _) = commands.last_mut().expect("a command");
                    command.push('\n');
                    command.push_str(line);
                }
                Some(command) => commands.push((command.to_owned(), Vec::new())),
                None => commands.last_mut().expect("a command before its output").1.push(line),
            }
            continued = (continued || line.starts_with("$ ")) && line.ends_with('\\');
        }
        commands
    }
}

/// Returns the README and every page below `docs`.
pub fn pages() -> Vec<Page> {
    let mut names = vec!["README.md".to_owned()];
    let mut pending = vec!["docs".to_owned()];
    while let Some(dir) = pending.pop() {
        for entry in
            fs::read_dir(root().join(&dir)).expect("a directory").map(|entry| entry.expect("an entry"))
        {
            let name = format!("{dir}/{}", entry.file_name().to_str().expect("a plain name"));
            if entry.path().is_dir() {
                pending.push(name);
            } else if name.ends_with(".md") {
                names.push(name);
            }
        }
    }
    names.sort();
    names.iter().map(|name| Page::read(name)).collect()
}
