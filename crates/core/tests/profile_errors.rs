//! Errors of profiles: what is wrong, its place, and the help.

use preface_core::profile::{self, PartOrder, Profile, ProfileError, Setting};

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
    [at, covered, error.message.clone(), error.help.clone().unwrap_or_default().words]
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
fn an_option_of_the_profile_has_a_value_of_its_declaration() {
    let declared =
        "[variables]\n'option:mode' = { values = ['normal', 'quick'] }\n'option:flag' = { type = 'flag' }\n";
    let refused = [
        (
            "[options]\nmode = 'other'",
            ["p1.toml:5:8", "'other'", "`mode` cannot be `other`", "it is one of `normal`, `quick`"],
        ),
        (
            "[options]\nflag = 'yes'",
            ["p1.toml:5:8", "'yes'", "`flag` cannot be `yes`", "it is one of `true`, `false`"],
        ),
        (
            "[options]\nmode = 'quick'\n[variants.x]\nwhen = ['option:mode = qick']",
            [
                "p1.toml:7:8",
                "['option:mode = qick']",
                "`option:mode` cannot be `qick`",
                "did you mean `quick`?",
            ],
        ),
        (
            "[options]\nmode = 'quick'\n[variants.x]\nwhen = ['option:mode = quick']\noptions.mode = 'nrmal'",
            ["p1.toml:8:16", "'nrmal'", "`mode` cannot be `nrmal`", "did you mean `normal`?"],
        ),
        (
            "[options]\nmode = 'quick'\n[variants.x]\nwhen = ['option:mod']",
            ["p1.toml:7:8", "['option:mod']", "this profile has no option `mod`", "did you mean `mode`?"],
        ),
        (
            "[variants.x]\nwhen = ['git:branch']",
            [
                "p1.toml:5:8",
                "['git:branch']",
                "`git:branch` is no option",
                "the condition of a variant tests options, such as `option:quick`",
            ],
        ),
        (
            "[variables.'option:x']\ndefault = 'a'",
            [
                "p1.toml:4:12",
                "'option:x'",
                "an option is declared as a text or a flag, with `values` and `description` alone: `option:x`",
                "",
            ],
        ),
    ];
    for (own, expected) in refused {
        assert_eq!(error_of(&[HEAD, &format!("{declared}{own}")]), expected, "{own}");
    }
    for own in [
        "[options]\nmode = ''",
        "[options]\nmode = 'quick'\n[variants.x]\nwhen = ['option:mode']\nabout = 'x'",
        "[options]\nmode = 'normal'\nflag = true\n[variants.x]\nwhen = { none = ['option:flag = true'] }\nabout = 'x'",
    ] {
        assert!(build(&[HEAD, &format!("{declared}{own}")], &[]).is_ok(), "{own}");
    }
    let below = format!(
        "{HEAD}{declared}[options]\nmode = 'normal'\n[variants.x]\nwhen = ['option:mode = quick']\nabout = 'x'"
    );
    let fewer = build(&[&below, "[variables.'option:mode']\nvalues = ['normal']"], &[]);
    assert!(fewer.is_ok(), "a variant of the extended profile for a value that is gone: {fewer:?}");
}

#[test]
fn a_variant_applies_where_its_condition_holds() {
    let own = "[options]\nmode = ''\nquick = false\n[variables]\n'option:mode' = { values = ['a', 'b'] }\n\
        [variants.a]\nwhen = ['option:mode = a']\nabout = 'A'\n[variants.any]\nwhen = ['option:mode']\njoin = 'any'\n\
        [variants.slow]\nwhen = ['!option:quick']\nseam = true";
    let built = |key: &str, value: &str| {
        let profile = build(&[HEAD, own], &[Setting { key: key.into(), value: value.into() }]).unwrap();
        (profile.about, profile.join.text, profile.seam)
    };
    assert_eq!(built("mode", "a"), ("A".into(), "any".into(), true));
    assert_eq!(built("mode", "b"), (String::new(), "any".into(), true));
    assert_eq!(built("quick", "true"), (String::new(), "\n\n".into(), false));
    let named = build(&[HEAD, own], &[Setting { key: "variant".into(), value: "a".into() }]);
    assert_eq!(named.unwrap_err().message, "unknown variant: `a`");
}

#[test]
fn a_declaration_that_cannot_be_used_is_an_error_with_its_place() {
    for (own, covered, message, help) in [
        ("'git:x' = {}", "'git:x'", "`git` is a type of preface's own, so `git:x` cannot be declared", ""),
        ("'app' = {}", "'app'", "`variables.app`: not a variable name (`type:name`): `app`", ""),
        (
            "'app:a b' = {}",
            "'app:a b'",
            "the name of a declared variable is letters, digits, `_`, `-` and `.`: `app:a b`",
            "",
        ),
        (
            "'app:x' = { vales = [] }",
            "vales",
            "`variables.app:x.vales`: unknown field `vales`, expected one of `type`, `description`, `values`, `fields`, \
             `default`, `required`, `stability`",
            "did you mean `values`?",
        ),
        ("'app:x' = { type = 'records' }", "'app:x'", "a list of records needs `fields`: `app:x`", ""),
        ("'app:x' = { fields = ['a'] }", "['a']", "only records have `fields`: `app:x`", ""),
        (
            "'app:x' = { type = 'list', values = ['a'] }",
            "['a']",
            "`app:x` is no text and takes no `values`",
            "",
        ),
        (
            "'app:x' = { values = ['a|b'] }",
            "['a|b']",
            "the value `a|b` of `app:x` has a blank at its end, a `]`, a `|` or a line break, which no test can name",
            "",
        ),
        (
            "'app:x' = { required = true, default = 'a' }",
            "true",
            "`app:x` is required, so it takes no `default`",
            "",
        ),
        (
            "'app:x' = { values = ['free', 'pro'], default = 'fre' }",
            "'fre'",
            "`app:x` cannot be `fre`; did you mean `free`?",
            "",
        ),
        (
            "'app:x' = { type = 'flag', default = 'yes' }",
            "'yes'",
            "`app:x` takes `true` or `false`, not `yes`",
            "",
        ),
    ] {
        let [_, found, said, helped] = error_of(&[HEAD, &format!("[variables]\n{own}")]);
        assert_eq!((found.as_str(), said.as_str(), helped.as_str()), (covered, message, help), "{own}");
    }
}

#[test]
fn a_value_that_a_declaration_does_not_have_is_an_error_where_it_is_compared() {
    let declared =
        "[variables.'app:plan']\nvalues = ['free', 'pro']\n[variables.'app:beta']\ntype = 'flag'\n";
    for (own, at, covered, message, help) in [
        (
            "[section.x]\ntext = \"\"\"\nA [if app:plan = pro]b[elif app:plan = free | fre]c[endif]\"\"\"",
            "p1.toml:7:47",
            "fre",
            "`app:plan` cannot be `fre`",
            "did you mean `free`?",
        ),
        (
            "[section.x]\ntext = 'a'\nwhen = ['app:plan = pro', { none = ['app:plan = gold'] }]",
            "p1.toml:7:49",
            "gold",
            "`app:plan` cannot be `gold`",
            "it is one of `free`, `pro`",
        ),
        (
            "[section.x]\ntext = 'a'\nprefix = '[if app:beta = false]x[endif]'",
            "p1.toml:7:26",
            "false",
            "`app:beta` cannot be `false`",
            "it is one of `true`",
        ),
        (
            "[[guideline]]\ntext = 'a'\nwhen = ['app:plan = ']",
            "p1.toml:7:21",
            "",
            "`app:plan` cannot be ``",
            "it is one of `free`, `pro`",
        ),
    ] {
        let found = error_of(&[HEAD, &format!("{declared}{own}")]);
        assert_eq!((found[0].as_str(), found[1].as_str()), (at, covered), "{own}: {found:?}");
        assert_eq!((found[2].as_str(), found[3].as_str()), (message, help), "{own}");
    }
    let good = "[section.x]\ntext = '[if app:plan = free|pro]a[endif][if app:plan != pro]b[endif]'\nwhen = ['app:beta = true']";
    assert!(build(&[HEAD, &format!("{declared}{good}")], &[]).is_ok());
}

#[test]
fn an_order_may_arrange_another_one() {
    let orders = "[orders]\nfirst = { of = 'main', arrange = 'stability' }";
    let chosen = [Setting { key: "order".to_owned(), value: "first".to_owned() }];
    let arranged = |settings: &[Setting]| build(&[HEAD, orders], settings).map(|profile| profile.arrange);
    assert_eq!(arranged(&[]), Ok(PartOrder::Listed));
    assert_eq!(arranged(&chosen), Ok(PartOrder::Stability));
}
