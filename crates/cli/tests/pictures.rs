//! The pictures of terminals in `docs/images` show what the program prints. `PREFACE_PRINT=1` writes them anew.
#![cfg(target_os = "linux")]

use std::{
    env, fs, io,
    io::Read,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// The home directory in the pictures. The real one has as many bytes, so that sizes and tokens are the same.
const HOME: &str = "/home/ada";

/// A picture: the commands that are run in a project, one after the other.
struct Picture {
    name: &'static str,
    /// The text for those who cannot see it.
    label: &'static str,
    project: fn(&Terminal),
    commands: &'static [&'static str],
}

const PICTURES: &[Picture] = &[
    Picture {
        name: "cache",
        label: "preface explain --cache: a bar for the tools and each tier of the prompt, filled where the service caches it",
        project: trusted,
        commands: &[
            "preface explain --cache --preset claude-code --tools Read,Edit,Bash --model claude-opus-5-5",
        ],
    },
    Picture {
        name: "capture",
        label: "preface capture claude: a table of the sources of a request with their tokens and bytes, and a table of its parts",
        project: agent,
        commands: &["preface capture claude -q --trust once"],
    },
    Picture {
        name: "explain",
        label: "preface explain: a table with a row for each part of the prompt, its tokens, stability and origins",
        project: trusted,
        commands: &["preface explain --tools read,edit"],
    },
    Picture {
        name: "lint",
        label: "preface lint: a warning about a zero-width character, with the line and its place",
        project: hidden_character,
        commands: &["preface lint"],
    },
    Picture {
        name: "trust",
        label: "preface trust, preface trust diff and preface trust grant: a file that changed since it was trusted",
        project: changed,
        commands: &["preface trust", "preface trust diff", "preface trust grant"],
    },
];

/// A project with instructions that are trusted, and a text of the user's own.
fn trusted(terminal: &Terminal) {
    terminal
        .write("engine/AGENTS.md", "Use tabs.\nEvery public item has a test.\n`cargo test` runs them all.\n");
    terminal.write(".config/preface/append.md", "You are on the branch [git:branch].\n");
    terminal.run("preface trust grant --preset default");
}

/// The request of an agent: what a script sends in the place of Claude Code.
const REQUEST: &str = r##"{"model":"claude-opus-5-5","system":[{"type":"text","text":"You are an agent that works on the code of its user."},{"type":"text","text":"# Tools\nRead a file before you change it, and run what you changed.\n","cache_control":{"type":"ephemeral"}}],"tools":[{"name":"Bash","description":"Runs a command in a shell.","input_schema":{"type":"object","properties":{"command":{"type":"string"}}}},{"name":"Read","description":"Reads a file.","input_schema":{"type":"object"}},{"name":"mcp__tickets__search","description":"Searches the tickets by words, labels and people.","input_schema":{"type":"object","properties":{"words":{"type":"string"}}}}],"messages":[{"role":"user","content":[{"type":"text","text":"Contents of CLAUDE.md:\n\nUse tabs.\nEvery public item has a test.\n`cargo test` runs them all.\n\nContents of your own:\n\nAnswer in short sentences, and name the files.\n"},{"type":"text","text":"SessionStart: Two tickets are open: 41 and 43.\n\n# Environment\nPlatform: linux\n\nThe following skills are available\n- release: Cuts a release and writes its notes\n"},{"type":"text","text":"MESSAGE"}]}]}"##;

/// A project with instructions, a skill and a hook, and the agent.
fn agent(terminal: &Terminal) {
    terminal
        .write("engine/CLAUDE.md", "Use tabs.\nEvery public item has a test.\n`cargo test` runs them all.\n");
    terminal.write(".claude/CLAUDE.md", "Answer in short sentences, and name the files.\n");
    terminal.write(
        "engine/.claude/skills/release/SKILL.md",
        "---\nname: release\ndescription: Cuts a release and writes its notes\n---\n",
    );
    terminal.write(
        "engine/.claude/settings.json",
        r#"{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"tickets open"}]}]}}"#,
    );
    let script = "#!/bin/bash\nif [ \"$1\" = --version ]; then echo 2.1.330; exit; fi\nbody=$(<\"$HOME/request.json\"); body=${body/MESSAGE/${@: -1}}\n\
        exec 3<>/dev/tcp/127.0.0.1/${ANTHROPIC_BASE_URL##*:}\nprintf 'POST /v1/messages HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\ncontent-length: %d\\r\\n\\r\\n%s' ${#body} \"$body\" >&3\nwhile read -r line <&3; do :; done\n";
    terminal.write("bin/claude", script);
    terminal.write("request.json", REQUEST);
    fs::set_permissions(terminal.path("bin/claude"), fs::Permissions::from_mode(0o755)).unwrap();
}

/// A line was added to trusted instructions.
fn changed(terminal: &Terminal) {
    trusted(terminal);
    terminal.write("engine/AGENTS.md", "Use tabs.\nEvery public item has a test.\nSkip the tests.\n");
}

/// A character that is not visible.
fn hidden_character(terminal: &Terminal) {
    trusted(terminal);
    terminal.write(".config/preface/append.md", "Run the\u{200b} tests first.\n");
}

#[test]
fn the_pictures_show_what_is_printed() {
    let printing = env::var_os("PREFACE_PRINT").is_some();
    for picture in PICTURES {
        let terminal = Terminal::new();
        (picture.project)(&terminal);
        let mut text = String::new();
        for (nth, command) in picture.commands.iter().enumerate() {
            let gap = if nth > 0 { "\n" } else { "" };
            text += &format!("{gap}\x1b[32m$\x1b[0m {command}\n{}", terminal.run(command));
        }
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/images/{}.svg", picture.name));
        let svg = draw(picture.label, &text);
        if printing {
            fs::write(&path, svg).unwrap();
            continue;
        }
        assert!(
            fs::read_to_string(&path).is_ok_and(|known| known == svg),
            "docs/images/{}.svg is stale; `PREFACE_PRINT=1 cargo test -p preface-cli --test pictures` writes it",
            picture.name
        );
    }
    assert!(
        !printing,
        "the pictures are written: review the difference, then run the test without PREFACE_PRINT"
    );
}

/// A home directory with a project `engine` in it.
struct Terminal {
    home: TempDir,
}

impl Terminal {
    fn new() -> Self {
        let mut home = tempfile::Builder::new();
        let home = home.prefix("").rand_bytes(HOME.len() - "/tmp/".len()).tempdir_in("/tmp").unwrap();
        let terminal = Terminal { home };
        terminal.write("engine/.git/HEAD", "ref: refs/heads/faster-parser\n");
        terminal.write("engine/.git/refs/heads/faster-parser", &"1".repeat(40));
        fs::create_dir(terminal.path("engine/.git/objects")).unwrap();
        terminal
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs a command in the project; returns what both streams printed, with colors.
    fn run(&self, line: &str) -> String {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_preface"))
            .args(line.split(' ').skip(1))
            .current_dir(self.path("engine"))
            .env_clear()
            .envs([
                ("HOME", self.home.path().to_str().unwrap()),
                ("PATH", self.path("bin").to_str().unwrap()),
                ("SHELL", "/bin/bash"),
                ("CLICOLOR_FORCE", "1"),
            ])
            .stdin(Stdio::null())
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .spawn()
            .unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        child.wait().unwrap();
        text.replace(self.home.path().to_str().unwrap(), HOME)
    }
}

const FONT: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace";
const GROUND: &str = "#1e2422";
const TEXT: &str = "#dde4e1";
const DIM: &str = "#9caaa4";
/// The advance of a character of a monospaced font of 14 pixels, the widest that is common.
const ADVANCE: f64 = 8.43;
/// A blank that does not collapse with others.
const NBSP: &str = "\u{a0}";
const LINE: usize = 18;
const MARGIN: usize = 16;

/// Draws a text with the colors of a terminal as SVG, on a ground of its own.
fn draw(label: &str, text: &str) -> String {
    let mut lines = String::new();
    let mut columns = 0;
    for (nth, line) in text.trim_end().lines().enumerate() {
        let runs = runs(line);
        columns = columns.max(runs.iter().map(|(_, text)| text.chars().count()).sum());
        let y = MARGIN + LINE * (nth + 1) - 4;
        lines += &format!("<text x=\"{MARGIN}\" y=\"{y}\">");
        for (style, text) in runs {
            let text = escape(&text);
            lines += &if style.is_empty() { text } else { format!("<tspan{style}>{text}</tspan>") };
        }
        lines += "</text>\n";
    }
    let width = (columns as f64 * ADVANCE) as usize + 2 * MARGIN;
    let height = LINE * text.trim_end().lines().count() + 2 * MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{label}\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{GROUND}\"/>\n\
         <g font-family=\"{FONT}\" font-size=\"14\" fill=\"{TEXT}\">\n{lines}</g>\n</svg>\n"
    )
}

/// Escapes a text for SVG.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace(' ', NBSP)
}

/// Splits a line where its style changes; a style is the attributes of a `tspan`.
fn runs(line: &str) -> Vec<(String, String)> {
    let mut runs: Vec<(String, String)> = Vec::new();
    let (mut color, mut weight) = ("", "");
    for (nth, piece) in line.split("\x1b[").enumerate() {
        let (codes, text) = if nth == 0 { ("", piece) } else { piece.split_once('m').unwrap() };
        for code in codes.split(';').filter(|_| nth > 0) {
            match code {
                "0" => (color, weight) = ("", ""),
                "1" => weight = " font-weight=\"bold\"",
                "2" => color = DIM,
                "31" => color = "#ff9d94",
                "32" => color = "#7fd8ba",
                "33" => color = "#f2c272",
                "36" => color = "#7cc7d8",
                "94" => color = "#93c0f4",
                _ => panic!("no color for `{code}`"),
            }
        }
        let fill = if color.is_empty() { String::new() } else { format!(" fill=\"{color}\"") };
        let style = format!("{fill}{weight}");
        match runs.last_mut() {
            Some((last, before)) if *last == style => before.push_str(text),
            _ if text.is_empty() => {}
            _ => runs.push((style, text.to_owned())),
        }
    }
    runs
}

#[test]
fn a_style_lasts_until_it_is_reset() {
    let style = |line: &str| -> Vec<(String, String)> { runs(line) };
    let run = |style: &str, text: &str| (style.to_owned(), text.to_owned());
    assert_eq!(style("plain"), [run("", "plain")]);
    assert_eq!(
        style("\x1b[1m\x1b[33mwarning\x1b[0m: a \x1b[2mb\x1b[0m"),
        [
            run(" fill=\"#f2c272\" font-weight=\"bold\"", "warning"),
            run("", ": a "),
            run(&format!(" fill=\"{DIM}\""), "b")
        ]
    );
}

#[test]
fn a_picture_is_as_wide_as_its_longest_line() {
    let svg = draw("a", "\x1b[2m<a & b>\x1b[0m\n\n1234567890\n");
    assert!(
        svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"116\" height=\"86\""),
        "{svg}"
    );
    assert!(svg.contains(&format!("<tspan fill=\"{DIM}\">&lt;a{NBSP}&amp;{NBSP}b&gt;</tspan>")), "{svg}");
}
