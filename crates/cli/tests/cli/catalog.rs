//! `preface catalog`: importing, listing, showing and removing. The catalogs are invented.

use crate::sandbox::Sandbox;
use std::fs;

pub(crate) const README: &str = "\
# Prompts

Counts as of **[Claude Code v1.2.3](somewhere)**.

- [Tool Description: Bell](./system-prompts/tool-description-bell.md) (**12** tks) - Rings.
- [System Prompt: Manners](./system-prompts/system-prompt-manners.md) (**7** tks) - Be kind.
";
pub(crate) const BELL: &str = "<!--\nname: 'Tool Description: Bell'\ndescription: Rings: once\nccVersion: 1.2.0\nvariables:\n  - BELL_NAME\n-->\nUse ${BELL_NAME} to ring.\nNever at night.\n";
const MANNERS: &str =
    "<!--\nname: 'System Prompt: Manners'\ndescription: Be kind\nccVersion: 1.1.9\n-->\nBe kind.\n";

/// A profile with one place for a prompt.
const TOWER: &str = "\
extends = \"default\"
order = \"tower\"
options.catalog = \"\"
orders.tower = [\"manners\"]
section.manners = { text = \"OWN\", catalog = \"System Prompt: Manners\" }
";

/// A home, and a catalog in `cat`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox
        .work("cat/README.md", README)
        .work("cat/system-prompts/tool-description-bell.md", BELL)
        .work("cat/system-prompts/system-prompt-manners.md", MANNERS);
    sandbox
}

/// The same with two catalogs that are imported, 1.2.3 and 1.2.4.
fn imported() -> Sandbox {
    let sandbox = sandbox();
    sandbox.run("preface catalog import cat").exits(0);
    sandbox
        .work("new/system-prompts/tool-description-bell.md", BELL.replace("Never at night", "Only by day"))
        .work("new/system-prompts/system-prompt-manners.md", MANNERS.replace("1.1.9", "1.2.4"))
        .work(
            "new/system-prompts/tool-description-horn.md",
            "<!--\nname: 'Tool Description: Horn'\ndescription: Blows\nccVersion: 1.2.4\n-->\nBlow ${it} ${A +}.\n",
        );
    sandbox.run("preface catalog import new --version v1.2.4").exits(0);
    sandbox
}

/// Leaves out the line with the time, which is another one each time.
fn timeless(stdout: &str) -> String {
    stdout.lines().filter(|line| !line.starts_with("time ")).map(|line| format!("{line}\n")).collect()
}

/// The pin of an imported catalog.
fn pin(sandbox: &Sandbox, version: &str) -> String {
    let rows = sandbox.run("preface catalog list --format json").exits(0).entries();
    let row = rows.as_array().unwrap().iter().find(|row| row["version"] == version).unwrap().clone();
    row["pin"].as_str().unwrap().to_owned()
}

#[test]
fn nothing_is_imported_and_nothing_is_made_by_looking() {
    let sandbox = Sandbox::empty();
    let nothing = "Nothing is imported yet. `preface catalog import DIR` takes in a catalog.\n";
    sandbox.run("preface catalog list").exits(0).prints(nothing).says("");
    sandbox
        .run("preface catalog list --format json")
        .exits(0)
        .prints("{\"kind\":\"catalogs\",\"entries\":[],\"diagnostics\":[]}\n");
    sandbox.run("preface catalog list 1.2.3").exits(1).says(
        "\
error: the catalog 1.2.3 is not imported
help: import it, or choose one that is imported: `preface catalog import DIR`
",
    );
    sandbox.run("preface catalog delete 1.2.3").exits(1);
    assert!(!sandbox.path("home/.local").exists(), "looking makes nothing");
}

#[test]
fn an_import_says_what_it_took_in_and_how_to_pin_it() {
    let sandbox = sandbox();
    let ran = sandbox.run("preface catalog import cat").exits(0).says("");
    let pin = pin(&sandbox, "1.2.3");
    let digest = sandbox.run("preface catalog list --format json").entries()[0]["digest"].clone();
    let digest = digest.as_str().unwrap();
    assert_eq!(pin, format!("1.2.3@{}", &digest[.."blake3:".len() + 16]));
    let expected = format!(
        "\
1.2.3  imported
generation  A: bodies are source, up to 2.1.79
prompts     2
values      1
tokens      19 by its README
bytes       49
digest      {digest}

To use it with a profile that has places for it, for one call or for every call:
  preface build --preset claude-code --set catalog={pin}
  preface config set options.catalog {pin} --preset claude-code
"
    );
    assert_eq!(timeless(&ran.stdout), expected);
    let again = sandbox.run("preface catalog import cat").exits(0);
    assert!(again.stdout.starts_with("1.2.3  imported already, with the same texts\n"), "{}", again.stdout);
    sandbox.run("preface catalog list").exits(0).prints(&format!(
        "\
version  prompts  tokens  pin
1.2.3          2      19  {pin}
"
    ));
}

#[test]
fn the_prompts_of_a_catalog_are_listed() {
    let sandbox = imported();
    sandbox.run("preface catalog list 1.2.4").exits(0).says("").prints(
        "\
tokens  values  name
     -          System Prompt: Manners
     -       1  Tool Description: Bell
     -       2  Tool Description: Horn
",
    );
    let rows = sandbox.run("preface catalog list 1.2.3 --category tool-description --format json").entries();
    assert_eq!(rows.as_array().unwrap().len(), 1);
    assert_eq!(rows[0]["name"], "Tool Description: Bell");
    sandbox.run("preface catalog list 1.2.3 --category tools").exits(2).says(
        "\
error: the catalog 1.2.3 has no category `tools`
help: it has System Prompt, Tool Description
",
    );
}

#[test]
fn a_prompt_is_shown_as_its_template() {
    let sandbox = imported();
    let body = "Use [catalog:BELL_NAME] to ring.\nNever at night.";
    for name in ["'Tool Description: Bell'", "'tool description: bell'", "bell", "tool-description-bell.md"] {
        sandbox.run(&format!("preface catalog show 1.2.3 {name}")).exits(0).prints(body).says("");
    }
    let json = sandbox.run("preface catalog show 1.2.4 horn --format json").exits(0).json();
    assert_eq!(
        (&json["entry"]["values"], &json["template"]),
        (&2.into(), &"Blow [catalog:it] [catalog:A +].".into())
    );
    sandbox.run("preface catalog show 1.2.3 'Tool Description: Bel'").exits(1).says(
        "\
error: the catalog 1.2.3 has no prompt `Tool Description: Bel`
help: did you mean `Tool Description: Bell`? see which there are: `preface catalog list 1.2.3`
",
    );
}

#[test]
fn other_texts_of_a_version_need_a_word() {
    let sandbox = imported();
    let before = pin(&sandbox, "1.2.3");
    sandbox.work("cat/system-prompts/system-prompt-manners.md", MANNERS.replace("kind", "gentle"));
    let refused = sandbox.run("preface catalog import cat").exits(1).prints("");
    assert!(
        refused
            .stderr
            .starts_with(&format!("error: other texts of the catalog 1.2.3 are imported: {before}\n")),
        "{}",
        refused.stderr
    );
    assert_eq!(pin(&sandbox, "1.2.3"), before);
    let done = sandbox.run("preface catalog import cat --replace").exits(0);
    assert!(done.stdout.starts_with("1.2.3  imported, in place of another one\n"), "{}", done.stdout);
    sandbox.run("preface catalog show 1.2.3 manners").exits(0).prints("Be gentle.");
}

/// A build stops, and `doctor` reports why.
#[test]
fn a_catalog_that_is_missing_damaged_or_another_one_is_reported() {
    let sandbox = sandbox();
    sandbox.home(".config/preface/profiles/tower.toml", TOWER).home(".config/preface/settings.json", "{}");
    let of = |sandbox: &Sandbox, pin: &str, said: &str| {
        sandbox.home(".config/preface/settings.json", format!("{{\"options\": {{\"catalog\": \"{pin}\"}}}}"));
        let built = sandbox.run("preface build --preset tower").exits(1).prints("").stderr;
        assert!(built.contains(said), "{built}");
        let checked = sandbox.run("preface doctor --preset tower").exits(1).stdout;
        assert!(checked.contains(said), "{checked}");
    };
    of(&sandbox, "1.2.3", "the catalog 1.2.3 is not imported");
    sandbox.run("preface catalog import cat").exits(0);
    of(&sandbox, "1.2.3@blake3:0000000000000000", "is another than `1.2.3@blake3:0000000000000000`");
    let whole = pin(&sandbox, "1.2.3");
    let file = sandbox.path("home/.local/state/preface/catalogs/1.2.3.json");
    for word in ["Manners", "kind"] {
        let bytes = fs::read_to_string(&file).unwrap();
        fs::write(&file, bytes.replace(word, "other")).unwrap();
        of(&sandbox, &whole, "a file of an imported catalog was changed");
        fs::write(&file, bytes).unwrap();
    }
    sandbox.run("preface build --preset tower").exits(0).prints("Be kind.");
    sandbox.run("preface doctor --preset tower").exits(0);
}

#[test]
fn a_catalog_is_removed_whole() {
    let sandbox = imported();
    sandbox.run("preface catalog delete 1.2.3").exits(0).prints("").says("The catalog 1.2.3 is deleted.\n");
    assert!(!sandbox.path("home/.local/state/preface/catalogs/1.2.3.json").exists());
    sandbox.run("preface catalog show 1.2.3 bell").exits(1);
}

#[test]
fn no_version_leads_out_of_the_directory() {
    let sandbox = sandbox();
    for version in ["../../x", "..", "1.2.3/../..", "1.2.3-beta"] {
        let ran = sandbox.run(&format!("preface catalog import cat --version {version}")).exits(1);
        assert!(ran.stderr.contains("version"), "{}", ran.stderr);
        for command in ["list", "delete"] {
            sandbox.run(&format!("preface catalog {command} {version}")).exits(1);
        }
    }
    assert!(!sandbox.path("home/.local/state/x").exists());
    assert!(!sandbox.path("home/.local/state/preface/catalogs").exists(), "nothing was made");
}

#[test]
fn a_directory_that_is_no_catalog_is_refused() {
    let sandbox = Sandbox::empty();
    sandbox.work("empty/README.md", README).work("none/system-prompts/a.md", "No head.\n");
    let said = sandbox.run("preface catalog import empty").exits(1).stderr;
    assert!(said.contains("`[ROOT]/work/empty/system-prompts` is not found"), "{said}");
    let said = sandbox.run("preface catalog import none --version 1.2.3").exits(1).stderr;
    assert!(said.starts_with("error: none of the 1 files of the catalog is a prompt\n"), "{said}");
    let said = sandbox.run("preface catalog import none").exits(1).stderr;
    assert!(said.contains("name the version"), "{said}");
    sandbox.run("preface catalog import nowhere").exits(1);
}

#[test]
fn what_is_no_prompt_of_the_directory_is_left_out_with_a_note() {
    let sandbox = sandbox();
    sandbox
        .work("outside.md", MANNERS.replace("Manners", "Outside"))
        .work("cat/system-prompts/..md", MANNERS)
        .work("cat/system-prompts/notes.txt", "notes")
        .work("cat/system-prompts/deep/a.md", MANNERS)
        .work("cat/system-prompts/Tool-Description-Bell.md", BELL)
        .work("cat/system-prompts/huge.md", "x".repeat((1 << 20) + 1));
    let link = |to: &str, name: &str| {
        let at = sandbox.path("work/cat/system-prompts").join(name);
        std::os::unix::fs::symlink(sandbox.path("work").join(to), at).unwrap();
    };
    link("outside.md", "link.md");
    link("nowhere.md", "dangling.md");
    link("cat/README.md", "inside.md");
    let ran = sandbox.run("preface catalog import cat --verbose").exits(0);
    for said in [
        "`system-prompts/link.md` is left out: it leads out of the catalog's directory",
        "`system-prompts/dangling.md` is left out",
        "`..md` is left out: its name does not start with a letter or a digit",
        "`notes.txt` is left out: its name does not end in `.md`",
        "`deep` is left out: it is a directory",
        "`tool-description-bell.md` is left out: another file is called `Tool-Description-Bell.md`",
        "`system-prompts/huge.md` is left out: 1048577 bytes, more than the limit of 1048576",
        "`inside.md` has no usable name",
    ] {
        let plain = ran.stderr.replace("\n         ", " ");
        assert!(plain.contains(said), "{said}\n{plain}");
    }
    assert!(!ran.stderr.contains("outside"), "where a link leads is not told: {}", ran.stderr);
    let rows = sandbox.run("preface catalog list 1.2.3 --format json").exits(0).entries();
    assert_eq!(rows.as_array().unwrap().len(), 2, "{rows}");
    // A link for the whole directory of prompts is no way out either.
    fs::create_dir(sandbox.path("work/linked")).unwrap();
    std::os::unix::fs::symlink(
        sandbox.path("work/cat/system-prompts"),
        sandbox.path("work/linked/system-prompts"),
    )
    .unwrap();
    let said = sandbox.run("preface catalog import linked --version 1.2.3").exits(1).stderr;
    assert!(said.contains("is a link that leads out of"), "{said}");
}

#[test]
fn too_many_files_are_refused() {
    let sandbox = sandbox();
    for at in 0..2_000 {
        sandbox.work(&format!("cat/system-prompts/a{at}.md"), "");
    }
    let said = sandbox.run("preface catalog import cat").exits(1).stderr;
    assert!(said.contains("has more than 2000 files"), "{said}");
}

#[test]
fn hidden_characters_of_a_catalog_are_shown_in_listings() {
    let sandbox = sandbox();
    sandbox.work(
        "cat/system-prompts/a.md",
        "<!--\nname: 'Data: Trick \u{1b}[2J\u{202e}'\ndescription: d\nccVersion: 1.\u{7}0\n-->\nText.\n",
    );
    sandbox.run("preface catalog import cat").exits(0);
    let ran = sandbox.run("preface catalog list 1.2.3").exits(0);
    assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{:?}", ran.stdout);
}

#[test]
fn what_a_preset_would_take_is_listed_before_it_is_used() {
    let sandbox = sandbox();
    let glob = "<!--\nname: 'Tool Description: Glob'\ndescription: d\nccVersion: 1.2.0\n-->\nFind files.\n";
    let bash = BELL.replace("Tool Description: Bell", "Tool Description: Bash");
    sandbox.work("cat/system-prompts/glob.md", glob).work("cat/system-prompts/bash.md", bash);
    sandbox.run("preface catalog import cat").exits(0);
    let rows =
        sandbox.run("preface catalog show 1.2.3 --preset claude-code --format json").exits(0).entries();
    let row =
        |place: &str| rows.as_array().unwrap().iter().find(|row| row["place"] == place).unwrap().clone();
    assert_eq!(row("tool `Glob`")["prompt"], "Tool Description: Glob");
    assert_eq!(row("tool `Edit`")["why"], "the catalog has no such prompt");
    assert_eq!(row("section `data-policy`")["why"], "no prompt is mapped to it");
    let why = row("tool `Bash`")["why"].to_string();
    assert!(why.contains("values that are not bound: `BELL_NAME`"), "{why}");
    assert_eq!(row("agent `plan`")["prompt"], serde_json::Value::Null);
    let ran = sandbox.run("preface catalog show 1.2.3 --preset claude-code").exits(0);
    assert!(ran.stderr.contains(&format!("1 of {} texts", rows.as_array().unwrap().len())), "{}", ran.stderr);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        ran.stdout.lines().any(|line| words(line) == "tool `Glob` catalog Tool Description: Glob"),
        "{}",
        ran.stdout
    );
}

/// A text that names the version of its program has that of the catalog, unless the user names another.
#[test]
fn texts_of_a_catalog_know_its_version() {
    let sandbox = Sandbox::empty();
    let main = "<!--\nname: 'System Prompt: Main system prompt'\ndescription: d\nccVersion: 2.1.30\n-->\n\
                Version <<CCVERSION>>.\n";
    sandbox.work("cat/system-prompts/m.md", main);
    sandbox.run("preface catalog import cat --version 2.1.37").exits(0);
    let build = "preface build --preset claude-code --set catalog=2.1.37";
    let ran = sandbox.run(build).exits(0);
    assert!(ran.stdout.starts_with("Version 2.1.37.\n"), "{}", ran.stdout);
    let ran = sandbox.run(&format!("{build} --set version=9")).exits(0);
    assert!(ran.stdout.starts_with("Version 9.\n"), "{}", ran.stdout);
}
