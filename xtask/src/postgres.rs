//! The PostgreSQL server that the store's tests start for themselves, installed by its name when it is missing.

use crate::{debian, failure::Failure};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Names the directory of the server's programs; `preface_testkit::contract::server` reads it too.
const PROGRAMS: &str = "PREFACE_POSTGRES_BIN";
/// Says that the tests do without.
const WITHOUT: &str = "PREFACE_WITHOUT_POSTGRES";

/// Makes sure that the server's programs are there; installs Debian's package where they are not, and prints it.
///
/// # Errors
/// They cannot be installed here. The error lists the ways to run the tests all the same.
pub fn ensure() -> Result<(), Failure> {
    if is_left_out() || is_there() {
        return Ok(());
    }
    let missing = |what: &str| {
        Err(Failure::new(format!("PostgreSQL is missing {what}")).help(format!(
            "install it (Debian: apt-get install postgresql), name its directory of programs in {PROGRAMS}, or set \
             {WITHOUT}=1 to leave its tests out"
        )))
    };
    if env::var_os(PROGRAMS).is_some() {
        return missing(&format!("in the directory that {PROGRAMS} names"));
    }
    if let Err(why) = debian::install("PostgreSQL", &["postgresql"])? {
        return missing(why);
    }
    if is_there() { Ok(()) } else { missing("although its package is installed") }
}

/// Returns whether the tests that need the server are left out; they pass without a check then.
pub fn is_left_out() -> bool {
    env::var_os(WITHOUT).is_some_and(|value| value == "1")
}

/// True where the programs are: in the directory that is named, on `PATH`, or where Debian keeps them.
fn is_there() -> bool {
    if let Some(named) = env::var_os(PROGRAMS) {
        return is_whole(Path::new(&named));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut known: Vec<PathBuf> = env::split_paths(&path).collect();
    if let Ok(versions) = fs::read_dir("/usr/lib/postgresql") {
        known.extend(versions.flatten().map(|version| version.path().join("bin")));
    }
    known.iter().any(|directory| is_whole(directory))
}

fn is_whole(directory: &Path) -> bool {
    ["initdb", "pg_ctl", "postgres", "psql"].iter().all(|name| directory.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::child;

    #[test]
    fn a_directory_without_the_programs_is_not_taken_for_theirs() {
        assert!(!is_whole(&child::root()));
    }
}
