//! `preface access add`: a new token.

use crate::{
    failure::{Exit, Failure},
    files,
    store::{self, StoreFlag},
    ui::Ui,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use preface::store::{Access, Actor, Role, StoreUrl};

const EXAMPLES: &str = "\
Examples:
  preface access add alice
  preface access add agents --role converse > token
  preface access add ci --role read --store postgres://me@db/preface";

/// Let somebody in, and print the token
///
/// The token is printed once and kept nowhere: the store has only its digest.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Name the token: changes are written down under this name
    #[arg(value_name = "NAME")]
    name: String,

    /// Choose what the token may do: `read`, `converse` or `write`
    #[arg(long, value_name = "ROLE", default_value = "write", value_parser = roles())]
    role: Role,

    #[command(flatten)]
    store: StoreFlag,
}

fn roles() -> impl TypedValueParser<Value = Role> {
    PossibleValuesParser::new(Role::ALL.map(Role::as_str))
        .map(|word| Role::parse(&word).expect("only the words of roles are let through"))
}

/// The name of whoever works at the command line. No token may have it.
const LOCAL: &str = "local";

/// Makes a token, keeps its digest and prints it.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let name = args.name.as_str();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
    if name.is_empty() || name.len() > 64 || !name.chars().all(plain) || name == LOCAL {
        return Err(Failure::usage(format!("not a name for a token: `{}`", name.escape_debug()))
            .hint("a name has 1 to 64 letters, digits, `-`, `_`, `.` or `@`, and is not `local`"));
    }
    let url = args.store.url(&files::system())?;
    if url == StoreUrl::Memory {
        return Err(Failure::usage("`memory:` is gone with this command, and a token with it")
            .hint("name the store of the service, such as `--store sqlite:PATH`"));
    }
    let token = preface_server::new_token();
    let actor = Actor::new(LOCAL);
    let access = Access {
        name: name.to_owned(),
        role: args.role,
        digest: Access::digest(&token),
        created_at: actor.at,
    };
    let added = store::with(&url, async |store| Ok(store.add_access(access, &actor).await?))?;
    if !added {
        return Err(Failure::new(format!("there is a token of that name: `{name}`"))
            .hint(format!("`preface access remove {name}` ends it")));
    }
    ui.data(format!("{token}\n").as_bytes())?;
    ui.say("The token is not shown again. Services of this store take it within a few seconds.\n");
    Ok(Exit::Done)
}
