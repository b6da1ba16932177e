//! `preface config schema`

use crate::sandbox::Sandbox;

#[test]
fn schemas_are_listed_and_printed() {
    let sandbox = Sandbox::empty();
    sandbox.run("preface config schema").exits(0).says("").prints(
        "\
manifest  manifest.json of an extension
mcp       mcp.json: MCP servers by id
ordering  ordering.json: the order of hooks
settings  settings.json
",
    );
    for name in ["manifest", "mcp", "ordering", "settings"] {
        let schema = sandbox.run(&format!("preface config schema {name}")).exits(0).says("").json();
        assert_eq!(schema["$id"], format!("preface:{name}"));
    }
    sandbox
        .run("preface config schema setings")
        .exits(2)
        .prints("")
        .says("error: unknown schema: `setings`\nhelp: did you mean `settings`?\n");
}
