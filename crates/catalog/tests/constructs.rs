//! Every construct that catalogs have: which of our own files has it, and what it compiles to. Written by hand.

mod harbour;
mod shown;

use harbour::{A, B, imported, text};
use preface_core::catalog::{CatalogChunk, UncompiledReason};
use shown::shown;

/// A construct, the file that has it, how it is written there, and its tree.
type Row = (&'static str, &'static str, &'static str, &'static str);

const OF_A: &[Row] = &[
    ("identifier", "tool-description-bell", "${LAMP_TOOL_NAME}", "LAMP_TOOL_NAME"),
    ("identifier that is not declared", "tool-description-oars", "${OAR_COUNT}", "OAR_COUNT"),
    ("member", "system-reminder-ship-sighted", "${SIGHTING.name}", "(. SIGHTING name)"),
    (
        "member, depth 2",
        "system-reminder-ship-sighted",
        "${REPORT_OBJECT.log.totalLines}",
        "(. (. REPORT_OBJECT log) totalLines)",
    ),
    (
        "member, depth 3",
        "system-reminder-ship-sighted",
        "${SIGHTING.position.bearing.degrees}",
        "(. (. (. SIGHTING position) bearing) degrees)",
    ),
    ("call without argument", "system-prompt-log-place", "${LOG_DIR_FN()}", "(call LOG_DIR_FN)"),
    (
        "call, nested",
        "system-prompt-log-place",
        "${LOG_PATH_FN(GET_CWD_FN())}",
        "(call LOG_PATH_FN (call GET_CWD_FN))",
    ),
    (
        "call with a string",
        "tool-description-bell",
        "${ROPE_PATH(\"userRopes\")}",
        "(call ROPE_PATH \"userRopes\")",
    ),
    ("division", "tool-description-bell", "${MAX_RING_MS()/60000}", "(/ (call MAX_RING_MS) 60000)"),
    ("call beside words", "tool-description-bell", "${MAX_RING_MS()}", "(call MAX_RING_MS)"),
    ("subtraction", "tool-description-bell", "${CURRENT_YEAR-1}", "(- CURRENT_YEAR 1)"),
    (
        "default",
        "system-prompt-tide-status",
        "${TIDE_STATUS||\"(slack water)\"}",
        "(|| TIDE_STATUS \"(slack water)\")",
    ),
    (
        "ternary with `!==null`, both kinds of string",
        "system-prompt-main-watch",
        "${WATCH_STYLE_CONFIG!==null?' Write as the chosen style says.':\" Write short, plain entries.\"}",
        "(? (!== WATCH_STYLE_CONFIG null) \" Write as the chosen style says.\" \" Write short, plain entries.\")",
    ),
    (
        "ternary with `.length>0`",
        "agent-prompt-pilot",
        "${SHIPS_ARRAY.length>0?\"Ships wait.\":\"No ship waits.\"}",
        "(? (> (. SHIPS_ARRAY length) 0) \"Ships wait.\" \"No ship waits.\")",
    ),
    (
        "ternary with `>1` and a template literal",
        "agent-prompt-pilot",
        "${BERTHS.length>1?`Choose one of ${BERTHS.length} berths.`:\"\"}",
        "(? (> (. BERTHS length) 1) (template \"Choose one of \" (. BERTHS length) \" berths.\") \"\")",
    ),
    (
        "ternary with `!==`",
        "agent-prompt-pilot",
        "${HARBOUR_KIND!==\"fishing\"?\"Ask for papers.\":\"Ask for the catch.\"}",
        "(? (!== HARBOUR_KIND \"fishing\") \"Ask for papers.\" \"Ask for the catch.\")",
    ),
    (
        "ternary with `!f(x)&&!g()`",
        "agent-prompt-pilot",
        "${!IS_FOG_FN(WIND)&&!IS_STORM_FN()?\"Sail in.\":\"Wait outside.\"}",
        "(? (&& (! (call IS_FOG_FN WIND)) (! (call IS_STORM_FN))) \"Sail in.\" \"Wait outside.\")",
    ),
    (
        "ternary with `.has`",
        "agent-prompt-pilot",
        "${ACTIVE_LAMPS.has(LAMP_TOOL_NAME)?\"The lamp is lit.\":\"Light a lamp first.\"}",
        "(? (call (. ACTIVE_LAMPS has) LAMP_TOOL_NAME) \"The lamp is lit.\" \"Light a lamp first.\")",
    ),
    (
        "template literals in each other, escapes in all of them",
        "system-reminder-fog",
        "${FOG_PLAN?`\n\nThe plan is at ${FOG_PLAN}. ${WATCH_OBJECT.isDouble?`Sound \\`${HORN_NAME}\\` every minute, \
         {as agreed}.`:'Sound it when you hear another\\'s.'}`:\"\\n\\nThere is no plan yet.\"}",
        "(? FOG_PLAN (template \"\\n\\nThe plan is at \" FOG_PLAN \". \" (? (. WATCH_OBJECT isDouble) \
         (template \"Sound `\" HORN_NAME \"` every minute, {as agreed}.\") \"Sound it when you hear another's.\")) \
         \"\\n\\nThere is no plan yet.\")",
    ),
    (
        "string that is worked out at once",
        "system-prompt-doing-rounds",
        "${\"Go round twice a night.\"}",
        "\"Go round twice a night.\"",
    ),
    (
        "template literal that is worked out at once",
        "system-prompt-doing-rounds",
        "${`Take ${LAMP_TOOL_NAME} with you, and leave ${\"no gate\"} open.`}",
        "(template \"Take \" LAMP_TOOL_NAME \" with you, and leave \" \"no gate\" \" open.\")",
    ),
    (
        "concatenation",
        "agent-prompt-catch-notes",
        "${EXTRA_CATCH_NOTE?\"\\n\\nAlso: \"+EXTRA_CATCH_NOTE+\".\":\"\"}",
        "(? EXTRA_CATCH_NOTE (+ (+ \"\\n\\nAlso: \" EXTRA_CATCH_NOTE) \".\") \"\")",
    ),
    (
        "member of an object literal, constants of the build",
        "system-prompt-main-watch",
        "${{HELP_EXPLAINER:\"ask at the harbour office\",VERSION:\"<<CCVERSION>>\",BUILT:\"<<BUILD_TIME>>\"}.HELP_EXPLAINER}",
        "(. (object HELP_EXPLAINER:\"ask at the harbour office\" VERSION:\"<<CCVERSION>>\" BUILT:\"<<BUILD_TIME>>\") \
         HELP_EXPLAINER)",
    ),
    (
        "constants of the build",
        "system-prompt-main-watch",
        "${\"<<CCVERSION>> of <<BUILD_TIME>>\"}",
        "\"<<CCVERSION>> of <<BUILD_TIME>>\"",
    ),
    (
        "join",
        "system-prompt-doing-rounds",
        "${ROUND_HINTS_ARRAY.join(`\n- `)}",
        "(call (. ROUND_HINTS_ARRAY join) \"\\n- \")",
    ),
    (
        "arrow with a block, map, filter, join",
        "system-prompt-signal-flags",
        "${AVAILABLE_FLAGS_LIST.map((FLAG_ITEM)=>{let shown=formatFlag(FLAG_ITEM);if(!FLAG_ITEM.says)return null;\
         else{return`- ${shown}: ${FLAG_ITEM.says}`}}).filter((FLAG_ITEM)=>FLAG_ITEM!==null).join(`\n`)}",
        "(call (. (call (. (call (. AVAILABLE_FLAGS_LIST map) \
         (function [FLAG_ITEM] (let shown (call formatFlag FLAG_ITEM)) (if (! (. FLAG_ITEM says)) [(return null)] \
         [(return (template \"- \" shown \": \" (. FLAG_ITEM says)))]))) \
         filter) (function [FLAG_ITEM] (return (!== FLAG_ITEM null)))) join) \"\\n\")",
    ),
    (
        "JSON",
        "system-reminder-list-changed",
        "${JSON_STRINGIFY_FN(CHORES_OBJECT.content)}",
        "(call JSON_STRINGIFY_FN (. CHORES_OBJECT content))",
    ),
];

const OF_B: &[Row] = &[
    (
        "template literals in each other",
        "agent-prompt-pilot",
        "${IS_NIGHT?`Carry ${LAMP_TOOL_NAME}${BERTH_COUNT>1?\", and choose a berth\":\"\"}.`:\"Sail by sight.\"}",
        "(? IS_NIGHT (template \"Carry \" LAMP_TOOL_NAME (? (> BERTH_COUNT 1) \", and choose a berth\" \"\") \".\") \
         \"Sail by sight.\")",
    ),
    (
        "`===`, `void 0` and `trim`",
        "system-reminder-calm",
        "${WIND===void 0?\"No wind.\":WIND_NOTE.trim()}",
        "(? (=== WIND undefined) \"No wind.\" (call (. WIND_NOTE trim)))",
    ),
    (
        "`?.`, which cuts the chain short, and `??`",
        "system-reminder-calm",
        "${GUST_OBJECT?.speed.knots??\" No gusts.\"}",
        "(?? (?. (?. GUST_OBJECT speed) knots) \" No gusts.\")",
    ),
    (
        "`undefined` and `typeof`",
        "system-reminder-calm",
        "${WIND!==undefined&&typeof WIND===\"string\"?\" Named.\":\"\"}",
        "(? (&& (!== WIND undefined) (=== (typeof WIND) \"string\")) \" Named.\" \"\")",
    ),
    (
        "entries, and a parameter that takes a list apart",
        "system-reminder-cargo",
        "${Object.entries(CARGO_OBJECT).map(([GOODS,CRATES])=>`${GOODS}: ${CRATES}`).join(\", \")}",
        "(call (. (call (. (call (. Object entries) CARGO_OBJECT) map) \
         (function [GOODS+CRATES] (return (template GOODS \": \" CRATES)))) join) \", \")",
    ),
    (
        "`const`, `if` without `else`, index",
        "system-reminder-cargo",
        "${CREW_LIST.filter((CREW_MEMBER)=>{const awake=!CREW_MEMBER.sleeps;if(awake){return true}return false})\
         .map((CREW_MEMBER)=>CREW_MEMBER[\"name\"]).join(\"\\n\")}",
        "(call (. (call (. (call (. CREW_LIST filter) \
         (function [CREW_MEMBER] (let awake (! (. CREW_MEMBER sleeps))) (if awake [(return true)] []) (return false))) \
         map) (function [CREW_MEMBER] (return (at CREW_MEMBER \"name\")))) join) \"\\n\")",
    ),
    ("empty string", "system-prompt-constants", "${\"\"}", "\"\""),
    ("string", "system-prompt-constants", "${\"(no ships)\"}", "\"(no ships)\""),
    ("number", "system-prompt-constants", "${500}", "500"),
    ("number below zero", "system-prompt-constants", "${-1.5}", "(- 1.5)"),
    ("`null`", "system-prompt-constants", "${null}", "null"),
    (
        "list and truths",
        "system-prompt-constants",
        "${[true,false,\"x\"].join()}",
        "(call (. (list true false \"x\") join))",
    ),
    (
        "object with each kind of key",
        "system-prompt-constants",
        "${{pier:PIER,\"a b\":2,PIER}.pier}",
        "(. (object pier:PIER a b:2 PIER:PIER) pier)",
    ),
    (
        "every other operator",
        "system-prompt-constants",
        "${PIER.length>=2&&PIER.length<=9||PIER==\"x\"&&PIER!=null?PIER[0]:PIER*2%3+1-(4/2)}",
        "(? (|| (&& (>= (. PIER length) 2) (<= (. PIER length) 9)) (&& (== PIER \"x\") (!= PIER null))) \
         (at PIER 0) (- (+ (% (* PIER 2) 3) 1) (/ 4 2)))",
    ),
];

/// What stays as it is written in generation B: the file, how it is written, and why.
const KEPT: &[(&str, &str, &str)] = &[
    ("tool-description-crane", "${lens}", "undeclared lens"),
    ("tool-description-crane", "${load.mark}", "undeclared load"),
    ("tool-description-crane", "${MAX_LOADS - done}", "undeclared done"),
    ("tool-description-crane", "${String}", "undeclared String"),
    ("data-shell-lines", "${VAR}", "undeclared VAR"),
    ("data-shell-lines", "${HEADERS[@]}", "unparsed"),
    ("data-shell-lines", "${OUT:-tide.txt}", "unparsed"),
    ("data-shell-lines", "${repo#*://}", "unparsed"),
    ("data-shell-lines", "${host%%/*}", "unparsed"),
    ("data-shell-lines", "${cost:.2f}", "unparsed"),
    ("data-shell-lines", "${{ secrets.HARBOUR_KEY }}", "unparsed"),
    ("system-prompt-rope-care", "${HAS_ROPE?`Use `${ROPE_TOOL_NAME}` before you knot it.`:\"\"}", "unparsed"),
    ("system-prompt-rope-care", "${SHOW_TAR?``tar`/${ROPE_TOOL_NAME}`:\"no tar\"}", "unparsed"),
    ("system-prompt-rope-care", "${HAS_ROPE?`a`${ROPE_TOOL_NAME}`b`:\"\"}", "unparsed"),
    ("agent-prompt-open-end", "${` and", "unparsed"),
    ("agent-prompt-open-end", "${PIER", "unparsed"),
    ("skill-knots", "${nothing}", "undeclared nothing"),
    ("tool-description-winch", "${[...LOADS,\"rope\"].join(\", \")}", "unsupported `...`"),
    ("tool-description-winch", "${WINCH_NAME.replace(/w/g,\"W\")}", "unsupported a regular expression"),
    ("tool-description-winch", "${new Date(WINCH_NAME).toString()}", "unsupported `new`"),
    ("tool-description-winch", "${WINCH_NAME=LOADS}", "unsupported an assignment"),
    ("tool-description-winch", "${LOADS.map(function(LOAD){return LOAD})}", "unsupported `function`"),
    ("tool-description-winch", "${LOADS.map((LOAD=1)=>LOAD)}", "unsupported a parameter with a default"),
    (
        "tool-description-winch",
        "${LOADS.map(({mark})=>mark)}",
        "unsupported a parameter that takes more than a list of names apart",
    ),
    ("tool-description-winch", "${LOADS?.[0]}", "unsupported `?.[…]`"),
    ("tool-description-winch", "${WINCH_NAME`x`}", "unsupported a template literal with a tag"),
    ("tool-description-winch", "${LOADS.map((LOAD)=>{for(;;){}})}", "unsupported a loop"),
    ("tool-description-winch", "${LOADS|0}", "unsupported `|` between values"),
];

fn check(catalog: &str, rows: &[Row]) {
    let imported = imported(catalog);
    for (construct, file, written, tree) in rows {
        let chunks = &text(&imported, file).chunks;
        let found = chunks.iter().find_map(|chunk| match chunk {
            CatalogChunk::Value { expression, written: w, .. } if w == written => Some(shown(expression)),
            _ => None,
        });
        assert_eq!(found.as_deref(), Some(*tree), "{construct}, in {file}");
    }
    // Nothing in the files goes untested: each value has its row, but for names alone.
    for (file, text) in &imported.texts {
        for chunk in &text.chunks {
            if let CatalogChunk::Value { written, .. } = chunk {
                let plain =
                    written[2..written.len() - 1].chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                assert!(plain || rows.iter().any(|row| row.2 == written), "{file}: {written} has no row");
            }
        }
    }
}

#[test]
fn every_construct_of_the_older_generation_has_its_tree() {
    check(A, OF_A);
    let kept: usize = imported(A).index.prompts.iter().map(|entry| entry.kept).sum();
    assert_eq!(kept, 0, "in the older generation each expression is a value");
}

#[test]
fn every_construct_of_the_newer_generation_has_its_tree() {
    check(B, OF_B);
}

#[test]
fn what_is_not_declared_not_read_or_not_worked_out_stays_as_it_is_written() {
    let imported = imported(B);
    let mut found = Vec::new();
    for (file, text) in &imported.texts {
        for chunk in &text.chunks {
            let CatalogChunk::Kept { written, why, .. } = chunk else { continue };
            let why = match why {
                UncompiledReason::Unparsed(_) => "unparsed".to_owned(),
                UncompiledReason::Unsupported(what) => format!("unsupported {what}"),
                UncompiledReason::Undeclared(name) => format!("undeclared {name}"),
            };
            let row = (file.trim_end_matches(".json").to_owned(), written.clone(), why);
            if !found.contains(&row) {
                found.push(row);
            }
        }
    }
    let mut expected: Vec<_> =
        KEPT.iter().map(|(file, written, why)| ((*file).into(), (*written).into(), (*why).into())).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}
