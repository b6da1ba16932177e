//! What holds for all `mcp.json` files: the order of keys has no effect, the highest sound server wins, and a broken one
//! hides nobody.

use preface_core::{
    mcp_servers::{McpFile, McpServers, resolve},
    scope::Scope,
};
use proptest::{collection::vec, option, prelude::*, sample::select};

type Fields = Vec<(&'static str, &'static str)>;

fn sound() -> impl Strategy<Value = Fields> {
    select(vec![
        vec![("command", "\"x\"")],
        vec![("args", "[\"a\"]"), ("command", "\"x\""), ("env", "{\"B\": \"1\", \"A\": \"2\"}")],
        vec![("type", "\"sse\""), ("url", "\"https://a.example\"")],
        vec![("headers", "{\"A\": \"b\"}"), ("url", "\"https://a.example\""), ("timeout", "5")],
        vec![("disable", "false"), ("command", "\"x\"")],
    ])
}

fn broken() -> impl Strategy<Value = Fields> {
    select(vec![
        vec![],
        vec![("type", "\"stdio\"")],
        vec![("command", "5"), ("args", "5"), ("env", "5"), ("cwd", "5"), ("type", "\"stdio\"")],
        vec![("command", "\"x\""), ("url", "\"https://a.example\"")],
        vec![("url", "\"https://me:pw@a.example\""), ("headers", "{\"B C\": \"\", \"A C\": \"\"}")],
        vec![("disable", "\"yes\"")],
        vec![("disable", "false"), ("env", "{\"A\": 1}"), ("command", "\"x\"")],
    ])
}

#[derive(Clone, Debug)]
struct TestServer {
    id: &'static str,
    fields: Fields,
    is_sound: bool,
}

fn server(id: &'static str) -> impl Strategy<Value = Option<TestServer>> {
    let fields =
        prop_oneof![sound().prop_map(|fields| (fields, true)), broken().prop_map(|fields| (fields, false)),];
    option::of(fields.prop_map(move |(fields, is_sound)| TestServer { id, fields, is_sound }))
}

fn layer() -> impl Strategy<Value = Vec<TestServer>> {
    (server("a"), server("b"), server("c")).prop_map(|(a, b, c)| [a, b, c].into_iter().flatten().collect())
}

fn text(layer: &[TestServer]) -> String {
    let servers: Vec<String> = layer
        .iter()
        .map(|server| {
            let fields: Vec<String> =
                server.fields.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
            format!("\"{}\": {{{}}}", server.id, fields.join(", "))
        })
        .collect();
    format!("{{\"mcpServers\": {{{}}}}}", servers.join(", "))
}

fn resolved(layers: &[Vec<TestServer>], granted: bool) -> McpServers {
    let files = Scope::ALL.into_iter().zip(layers).map(|(scope, layer)| {
        McpFile::read(scope, "mcp.json", text(layer).as_bytes()).0.expect("an object of servers")
    });
    resolve(files.collect(), &|_| granted)
}

/// Everything but where in the file it is written.
fn without_places(mut servers: McpServers) -> McpServers {
    let rows = servers.servers.iter_mut().flat_map(|row| &mut row.diagnostics);
    for diagnostic in rows.chain(&mut servers.diagnostics) {
        diagnostic.place = None;
    }
    servers
}

proptest! {
    #[test]
    fn the_order_of_keys_has_no_meaning(
        (layers, turned) in vec(layer(), 3).prop_flat_map(|layers| {
            let turned: Vec<_> = layers
                .iter()
                .map(|layer| {
                    let inner: Vec<_> = layer
                        .iter()
                        .map(|server| {
                            let server = server.clone();
                            Just(server.fields.clone())
                                .prop_shuffle()
                                .prop_map(move |fields| TestServer { fields, ..server.clone() })
                        })
                        .collect();
                    inner.prop_shuffle()
                })
                .collect();
            (Just(layers), turned)
        })
    ) {
        prop_assert_eq!(without_places(resolved(&layers, false)), without_places(resolved(&turned, false)));
    }

    #[test]
    fn the_highest_server_that_can_be_used_wins_and_others_hide_nobody(
        layers in vec(layer(), 3),
        granted in any::<bool>(),
    ) {
        let resolved = resolved(&layers, granted);
        for id in ["a", "b", "c"] {
            let sound = Scope::ALL
                .into_iter()
                .zip(&layers)
                .filter(|(_, layer)| layer.iter().any(|server| server.id == id && server.is_sound))
                .map(|(scope, _)| scope);
            // A project's without a grant is used only if there is no other.
            let winner = sound.max_by_key(|scope| (granted || *scope != Scope::Project, *scope));
            let active: Vec<Scope> =
                resolved.named(id).filter(|row| row.active).map(|row| row.origin.scope).collect();
            prop_assert_eq!(active, Vec::from_iter(winner));
            for row in resolved.named(id) {
                prop_assert_eq!(row.runnable, row.active && row.origin.scope != Scope::Project);
                if let Some(by) = &row.shadowed_by {
                    prop_assert_eq!(Some(by.scope), winner);
                }
            }
        }
    }
}
