//! Errors of profiles: what is wrong, its place, and the help.

use preface_core::profile::{self, Profile, ProfileError, Setting};

const HEAD: &str = "home = { global = '~/.x', project = '.x' }\n[orders]\nmain = ['identity']\n[section.identity]\ntext = 'You help.'\n";

/// Builds the profiles, each of which extends the one before.
fn build(texts: &[&str], settings: &[Setting]) -> Result<Profile, ProfileError> {
    let raws: Result<Vec<_>, _> = texts
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let name = format!("p{at}");
            profile::read(&name, &format!("{name}.toml"), text)
        })
        .collect();
    profile::build(&raws?, settings, &mut |_, _| Err("not found".to_owned()))
}

/// Returns the file with line and column, and the excerpt that the error covers, its message and its help.
fn error_of(texts: &[&str]) -> [String; 4] {
    let error = build(texts, &[]).expect_err("the profile is invalid");
    let place = &error.place;
    let text = texts.iter().enumerate().find(|(at, _)| place.path == format!("p{at}.toml")).unwrap().1;
    let at =
        format!("{}:{}:{}", place.path, place.line.unwrap_or_default(), place.column.unwrap_or_default());
    let covered = place.span.clone().map_or_else(String::new, |span| text[span].to_owned());
    [at, covered, error.message.clone(), error.help.clone().unwrap_or_default()]
}

#[test]
fn an_error_about_a_value_covers_the_value() {
    let cases = [
        ("[section.x]\ntext = 'a'\nafter = 'identiti'", "'identiti'", "did you mean `identity`?"),
        ("[section.x]\ntext = 'a'\ncut = 'nevr'", "'nevr'", "did you mean `never`?"),
        ("[section.x]\ntext = 'a'\nmerge_into = 'identiti'", "'identiti'", "did you mean `identity`?"),
        ("[section.x]\ntext = 'a'\nwhen = { all = 'tool:bash' }", "'tool:bash'", ""),
        ("[section.x]\ntext = 1", "1", ""),
        ("[section.x]\nfile = 'nope.md'", "'nope.md'", ""),
        (
            "[section.x]\nfill = 'skills'\nroots = { option = 'rots' }\n[options]\nroots = ''",
            "'rots'",
            "did you mean `roots`?",
        ),
        ("[[guideline]]\ntext = 1", "1", ""),
        (
            "[group.g]\nmembers = ['identity', 'identiti']\nreplace = ['store']",
            "'identiti'",
            "did you mean `identity`?",
        ),
        ("[catalog.bind]\nA = { fact = 'x' }", "A", ""),
        ("[options]\nmode = { a = 1 }", "mode", ""),
    ];
    for (own, covered, help) in cases {
        let [at, found, message, helped] = error_of(&[HEAD, own]);
        assert_eq!((found.as_str(), helped.as_str()), (covered, help), "{message}");
        assert!(at.starts_with("p1.toml:"), "{at}");
    }
    let heads = [
        ("added_after = 'identiti'", "'identiti'", "did you mean `identity`?"),
        ("order = 'mian'", "'mian'", "orders are `main`"),
        ("own_tags = ['a', 'a b']", "'a b'", ""),
        ("budget = { on-over = 'x' }", "'x'", ""),
        ("variant = 'x'\n[variants.short]\norder = 'main'", "'x'", "variants are `short`"),
    ];
    for (own, covered, help) in heads {
        let [_, found, message, helped] = error_of(&[HEAD, own]);
        assert_eq!((found.as_str(), helped.as_str()), (covered, help), "{message}");
    }
}

#[test]
fn an_error_about_a_key_covers_the_key() {
    for (own, covered) in [
        ("[section.x]\ntext = 'a'\nwhen = { al = ['tool:bash'] }", "al"),
        ("[section.x]\ntxt = 'a'", "txt"),
        ("ordre = 'main'", "ordre"),
    ] {
        let [_, found, message, _] = error_of(&[HEAD, own]);
        assert_eq!(found, covered, "{message}");
    }
}

#[test]
fn an_option_of_the_profile_is_one_of_its_choices() {
    let choices = "[choices]\nmode = ['normal', 'quick']\nflags = ['a', 'b']\n";
    let refused = [
        (
            "[options]\nmode = 'other'",
            ["p1.toml:5:8", "'other'", "`mode` cannot be `other`", "it is one of `normal`, `quick`"],
        ),
        (
            "[options]\nflags = ['a', 'c']",
            ["p1.toml:5:9", "['a', 'c']", "`flags` cannot be `c`", "it is one of `a`, `b`"],
        ),
        (
            "[options]\nmode = 'quick'\n[with.\"mode=qick\"]\nabout = 'x'",
            ["p1.toml:6:7", "\"mode=qick\"", "`mode` cannot be `qick`", "did you mean `quick`?"],
        ),
        (
            "[options]\nmode = 'quick'\n[with.\"mode=quick\".options]\nmode = 'nrmal'",
            ["p1.toml:7:8", "'nrmal'", "`mode` cannot be `nrmal`", "did you mean `normal`?"],
        ),
    ];
    for (own, expected) in refused {
        assert_eq!(error_of(&[HEAD, &format!("{choices}{own}")]), expected);
    }
    for own in [
        "[options]\nmode = ''",
        "[options]\nmode = 'quick'\nflags = ['b', 'a']\n[with.\"mode=*\"]\nabout = 'x'",
        "[options]\nmode = 'normal'\n[with.\"mode=normal\"]\nabout = 'x'",
    ] {
        assert!(build(&[HEAD, &format!("{choices}{own}")], &[]).is_ok(), "{own}");
    }
    let below = format!("{HEAD}{choices}[options]\nmode = 'normal'\n[with.\"mode=quick\"]\nabout = 'x'");
    let fewer = build(&[&below, "[choices]\nmode = ['normal']"], &[]);
    assert!(fewer.is_ok(), "a table of the extended profile for a choice that is gone: {fewer:?}");
}
