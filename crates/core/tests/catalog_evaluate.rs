//! Expressions of imported texts, written down as trees: what they come to, and that they always come to an end.

use preface_core::{
    catalog::{
        Binary, Bindings, EvaluationError, EvaluationScope, Expression, Fragment, FragmentSource, MOST_BYTES,
        Number, Statement, Unary, evaluate,
    },
    turn::Tool,
    variable::VariableKey,
    variable_source::MissingVariable,
};
use proptest::prelude::*;
use std::{collections::BTreeMap, sync::Arc};

const BINDINGS: &str = r#"
GREP = "Grep"
ZERO = 0
LIMIT = { call = 600000 }
OFF = { call = false }
NONE = { null = true }
TASK = { object = { name = "Task", agent = { object = { kind = "explore" } } } }
STYLE = { given = "option:style", then = { object = { name = { variable = "option:style" } } } }
STATUS = { variable = "git:status" }
BRANCH = { variable = "git:branch" }
YEAR = { count = "system:year" }
HAS_BASH = { has = "tool:Bash" }
PATHS = { cases = { user = "~/.a", project = ".a" } }
HINTS = { list = ["one", "two"] }
SAME = { same = true }
JSON_FN = { json = true }
TOOLS = { tools = true }
VERSION = "9.9"
"#;

fn bindings() -> Bindings {
    toml::from_str(BINDINGS).unwrap()
}

fn variables() -> BTreeMap<VariableKey, Option<String>> {
    [
        ("git:status", Some(" M a.rs ${BRANCH}")),
        ("git:branch", None),
        ("option:style", Some("terse")),
        ("system:year", Some("2026")),
        ("tool:Bash", Some("")),
    ]
    .into_iter()
    .map(|(key, value)| (key.parse().unwrap(), value.map(str::to_owned)))
    .collect()
}

fn tool(name: &str) -> Tool {
    serde_json::from_value(serde_json::json!({ "name": name, "description": format!("What {name} does.") }))
        .unwrap()
}

fn run(expression: &Expression) -> Result<String, EvaluationError> {
    fragments(expression, |fragments| fragments.iter().map(|fragment| fragment.text.as_ref()).collect())
}

fn fragments<T>(
    expression: &Expression,
    see: impl FnOnce(&[Fragment<'_>]) -> T,
) -> Result<T, EvaluationError> {
    let (bindings, variables, source) = (bindings(), variables(), Arc::<str>::from("test"));
    let tools = [tool("Bash"), tool("Grep")];
    let mut look = |key: &VariableKey| match variables.get(key) {
        None => Err(MissingVariable(key.clone())),
        Some(value) => Ok(value.clone().map(|text| (text, source.clone()))),
    };
    let sight = EvaluationScope { bindings: &bindings, tools: &tools };
    evaluate(expression, &sight, &mut look).map(|fragments| see(&fragments))
}

fn name(name: &str) -> Expression {
    Expression::Name(name.to_owned())
}

fn text(text: &str) -> Expression {
    Expression::Text(text.to_owned())
}

fn number(number: f64) -> Expression {
    Expression::Number(Number(number))
}

fn member(of: Expression, name: &str) -> Expression {
    Expression::Member { of: Box::new(of), name: name.to_owned(), optional: false }
}

fn call(function: Expression, arguments: Vec<Expression>) -> Expression {
    Expression::Call { function: Box::new(function), arguments }
}

fn two(operator: Binary, left: Expression, right: Expression) -> Expression {
    Expression::Binary { operator, left: Box::new(left), right: Box::new(right) }
}

fn not(value: Expression) -> Expression {
    Expression::Unary { operator: Unary::Not, value: Box::new(value) }
}

fn choose(test: Expression, then: Expression, other: Expression) -> Expression {
    Expression::Choose { test: Box::new(test), then: Box::new(then), other: Box::new(other) }
}

fn function(parameters: &[&[&str]], body: Vec<Statement>) -> Expression {
    let names = |names: &&[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Expression::Function { parameters: parameters.iter().map(names).collect(), body }
}

#[test]
fn every_construct_has_the_value_of_javascript() {
    let object = || Expression::Object(vec![("A".into(), text("a <<VERSION>>")), ("B".into(), text("b"))]);
    let tools_by_map = || {
        let item = function(
            &[&["T"]],
            vec![
                Statement::Let("P".into(), call(name("SAME"), vec![member(name("T"), "name")])),
                Statement::If {
                    test: two(Binary::Same, name("P"), text("Grep")),
                    then: vec![Statement::Return(Expression::Null)],
                    other: vec![],
                },
                Statement::Return(Expression::Template(vec![text("- "), name("P")])),
            ],
        );
        call(member(name("TOOLS"), "map"), vec![item])
    };
    let entries = function(
        &[&["k", "v"]],
        vec![Statement::Return(Expression::Template(vec![name("k"), text("="), name("v")]))],
    );
    let cases: Vec<(Expression, &str)> = vec![
        (name("GREP"), "Grep"),
        (member(name("TASK"), "name"), "Task"),
        (member(member(name("TASK"), "agent"), "kind"), "explore"),
        (call(name("LIMIT"), vec![]), "600000"),
        (call(name("PATHS"), vec![text("user")]), "~/.a"),
        (call(name("SAME"), vec![call(name("LIMIT"), vec![])]), "600000"),
        (two(Binary::Divide, call(name("LIMIT"), vec![]), number(60000.0)), "10"),
        (two(Binary::Minus, name("YEAR"), number(1.0)), "2025"),
        (two(Binary::Divide, number(1.0), number(3.0)), "0.3333333333333333"),
        (two(Binary::Plus, number(0.1), number(0.2)), "0.30000000000000004"),
        (two(Binary::Plus, number(1.0), text("1")), "11"),
        (number(1e21), "1e+21"),
        (number(-0.0), "0"),
        (two(Binary::Or, name("STATUS"), text("(clean)")), " M a.rs ${BRANCH}"),
        (two(Binary::Or, name("BRANCH"), text("(none)")), "(none)"),
        (two(Binary::Or, text(""), text("(empty)")), "(empty)"),
        (two(Binary::Coalesce, text(""), text("never")), ""),
        (
            choose(
                two(Binary::NotSame, name("STYLE"), Expression::Null),
                member(name("STYLE"), "name"),
                text("none"),
            ),
            "terse",
        ),
        (choose(two(Binary::NotSame, name("NONE"), Expression::Null), text("some"), text("none")), "none"),
        (
            choose(
                two(Binary::NotEqual, Expression::Undefined, Expression::Null),
                text("some"),
                text("none"),
            ),
            "none",
        ),
        (
            choose(two(Binary::More, member(name("HINTS"), "length"), number(0.0)), text("hints"), text("")),
            "hints",
        ),
        (
            choose(
                two(Binary::And, not(call(name("OFF"), vec![])), not(name("ZERO"))),
                text("yes"),
                text("no"),
            ),
            "yes",
        ),
        (choose(call(member(name("TOOLS"), "has"), vec![text("Bash")]), text("shell"), text("")), "shell"),
        (
            choose(call(member(name("TOOLS"), "has"), vec![text("Edit")]), text("edit"), text("no edit")),
            "no edit",
        ),
        (choose(name("HAS_BASH"), text("has"), text("has not")), "has"),
        (
            Expression::Template(vec![text("a "), Expression::Template(vec![text("b "), name("GREP")])]),
            "a b Grep",
        ),
        (member(object(), "A"), "a 9.9"),
        (call(member(name("HINTS"), "join"), vec![text("\n")]), "one\ntwo"),
        (call(member(tools_by_map(), "filter"), vec![name("SAME")]), "- Bash"),
        (
            call(
                member(call(member(tools_by_map(), "filter"), vec![name("Boolean")]), "join"),
                vec![text("\n")],
            ),
            "- Bash",
        ),
        (call(name("JSON_FN"), vec![name("HINTS")]), "[\"one\",\"two\"]"),
        (call(member(name("JSON"), "stringify"), vec![object()]), "{\"A\":\"a 9.9\",\"B\":\"b\"}"),
        (
            call(member(call(member(name("Object"), "entries"), vec![object()]), "map"), vec![entries]),
            "A=a 9.9,B=b",
        ),
        (call(member(text("  x\n"), "trim"), vec![]), "x"),
        (call(member(name("GREP"), "toLowerCase"), vec![]), "grep"),
        (Expression::Unary { operator: Unary::Typeof, value: Box::new(name("LIMIT")) }, "function"),
        (Expression::Member { of: Box::new(Expression::Undefined), name: "x".into(), optional: true }, ""),
        (Expression::Index { of: Box::new(name("HINTS")), index: Box::new(number(1.0)) }, "two"),
        (two(Binary::Same, text("a"), text("a")), "true"),
    ];
    for (expression, expected) in cases {
        let got = run(&expression);
        match expected {
            "" if got.is_err() => {}
            expected => assert_eq!(got.as_deref(), Ok(expected), "{expression:?}"),
        }
    }
}

#[test]
fn a_failed_evaluation_has_a_reason() {
    for (expression, why) in [
        (name("UNHEARD"), "`UNHEARD` is not bound"),
        (member(name("TASK"), "colour"), "`TASK.colour` is not bound"),
        (member(name("NONE"), "name"), "`NONE` has no value, and so no `name`"),
        (name("TASK"), "`TASK` is an object, and no text"),
        (name("LIMIT"), "`LIMIT` is a function, and no text"),
        (call(name("GREP"), vec![]), "it calls what is no function"),
        (call(name("PATHS"), vec![text("moon")]), "`PATHS(\"moon\")` is not bound"),
        (call(member(name("GREP"), "explode"), vec![]), "a text has no `explode` here"),
        (Expression::Undefined, "`it` has no value"),
    ] {
        assert_eq!(run(&expression), Err(EvaluationError::Fault(why.to_owned())), "{expression:?}");
    }
}

#[test]
fn a_variable_is_read_only_where_the_outcome_depends_on_it() {
    let unknown: Bindings = toml::from_str("A = { variable = \"git:never\" }\nB = true").unwrap();
    let mut look = |key: &VariableKey| Err(MissingVariable(key.clone()));
    let sight = EvaluationScope { bindings: &unknown, tools: &[] };
    let lazy = choose(name("B"), text("yes"), name("A"));
    assert_eq!(evaluate(&lazy, &sight, &mut look).unwrap()[0].text, "yes");
    assert_eq!(
        evaluate(&name("A"), &sight, &mut look),
        Err(EvaluationError::Missing(MissingVariable(VariableKey::new("git", "never"))))
    );
}

#[test]
fn each_run_of_the_text_has_its_origin() {
    let whole = Expression::Template(vec![text("on "), name("GREP"), text(" at "), name("STATUS")]);
    fragments(&whole, |fragments| {
        let source: Vec<&FragmentSource<'_>> = fragments.iter().map(|fragment| &fragment.source).collect();
        assert!(matches!(source[0], FragmentSource::Written));
        assert!(matches!(source[1], FragmentSource::Bound("GREP")));
        assert!(matches!(source[2], FragmentSource::Written));
        assert!(matches!(source[3], FragmentSource::Variable(key, _) if key.as_str() == "git:status"));
    })
    .unwrap();
    // What is made of a variable's value is still its value.
    let made = call(member(name("STATUS"), "trim"), vec![]);
    fragments(&made, |fragments| assert!(matches!(fragments[0].source, FragmentSource::Variable(..))))
        .unwrap();
}

#[test]
fn work_size_and_depth_end() {
    let mut deep = text("x");
    for _ in 0..100_000 {
        deep = not(deep);
    }
    assert!(matches!(run(&deep), Err(EvaluationError::Fault(why)) if why.contains("deeper")));
    // A tree as deep as that cannot be dropped by recursion.
    std::mem::forget(deep);

    let doubled = |of: Expression| call(member(of, "repeat"), vec![number(1e6)]);
    assert!(
        matches!(run(&doubled(doubled(text("xx")))), Err(EvaluationError::Fault(why)) if why.contains("bytes"))
    );
    assert!(run(&doubled(text("x"))).unwrap().len() <= MOST_BYTES);

    // A list that is walked by itself by itself.
    let mut wide = Expression::List(vec![text("x"); 200]);
    for _ in 0..4 {
        let inner = function(&[&["i"]], vec![Statement::Return(wide.clone())]);
        wide = call(member(Expression::List(vec![text("x"); 200]), "map"), vec![inner]);
    }
    assert!(matches!(run(&wide), Err(EvaluationError::Fault(why)) if why.contains("steps")));
}

/// Small texts that make large values on the way.
#[test]
fn no_expression_takes_much_memory_or_time() {
    let big = || call(member(text("a"), "repeat"), vec![number(50_000.0)]);
    let chars = || call(member(big(), "split"), vec![text("")]);
    let apply = |parameter: &str, body: Expression, argument: Expression| {
        call(function(&[&[parameter]], vec![Statement::Return(body)]), vec![argument])
    };
    let eight = |of: &str| call(member(name(of), "concat"), vec![name(of); 7]);
    let bombs = [
        apply("a", apply("b", member(eight("b"), "length"), eight("a")), chars()),
        member(
            call(
                member(chars(), "map"),
                vec![function(
                    &[&["c"]],
                    vec![Statement::Return(call(member(text("b"), "repeat"), vec![number(1e6)]))],
                )],
            ),
            "length",
        ),
        apply(
            "a",
            Expression::List(vec![member(name("a"), "length"); 3000]),
            call(member(text("é"), "repeat"), vec![number(5e5)]),
        ),
    ];
    for bomb in bombs {
        assert!(matches!(run(&bomb), Err(EvaluationError::Fault(_))), "{bomb:?}");
    }
}

fn tree() -> impl Strategy<Value = Expression> {
    let names = prop::sample::select(vec![
        "GREP", "ZERO", "LIMIT", "OFF", "NONE", "TASK", "STYLE", "STATUS", "HINTS", "SAME", "JSON_FN",
        "TOOLS", "x", "Object", "JSON", "Array", "UNHEARD",
    ]);
    let members = prop::sample::select(vec![
        "name",
        "length",
        "map",
        "filter",
        "join",
        "has",
        "trim",
        "repeat",
        "slice",
        "split",
        "entries",
        "replaceAll",
        "stringify",
        "toFixed",
        "flat",
        "concat",
    ]);
    let leaf = prop_oneof![
        names.prop_map(name),
        "[ -~]{0,6}".prop_map(|words| text(&words)),
        any::<f64>().prop_map(number),
        Just(Expression::Null),
        Just(Expression::Undefined),
    ];
    leaf.prop_recursive(6, 64, 3, move |inner| {
        let members = members.clone();
        prop_oneof![
            (inner.clone(), members).prop_map(|(of, name)| member(of, name)),
            (inner.clone(), prop::collection::vec(inner.clone(), 0..3)).prop_map(|(f, a)| call(f, a)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| two(Binary::Plus, a, b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| two(Binary::Or, a, b)),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| choose(a, b, c)),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Expression::List),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Expression::Template),
            inner.clone().prop_map(|body| function(&[&["x"]], vec![Statement::Return(body)])),
            (inner.clone(), inner)
                .prop_map(|(of, index)| Expression::Index { of: Box::new(of), index: Box::new(index) }),
        ]
    })
}

proptest! {
    #[test]
    fn any_tree_comes_to_an_end_and_twice_to_the_same(tree in tree()) {
        let first = run(&tree);
        if let Ok(text) = &first {
            prop_assert!(text.len() <= MOST_BYTES);
        }
        prop_assert_eq!(&first, &run(&tree));
        let kept = serde_json::to_string(&tree).unwrap();
        if !kept.contains("null") {
            let read: Expression = serde_json::from_str(&kept).unwrap();
            prop_assert_eq!(read, tree);
        }
    }
}
