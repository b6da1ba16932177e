//! Where we are: home, operating system, host, user.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Returns the home directory from the environment; a relative or empty value is treated as unset.
pub(super) fn home(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    var("HOME").map(PathBuf::from).filter(|home| Path::is_absolute(home))
}

/// Returns the working directory as `PWD` names it, if that name is correct: shells keep links in it.
pub(super) fn named_current_dir(
    var: impl Fn(&str) -> Option<OsString>,
    real: impl Fn(&Path) -> Option<PathBuf>,
) -> Option<PathBuf> {
    let named = var("PWD").map(PathBuf::from).filter(|named| named.is_absolute())?;
    let is_plain = !named.to_string_lossy().split('/').any(|part| matches!(part, "." | ".."));
    let same = real(&named).is_some_and(|there| real(Path::new(".")).is_some_and(|here| here == there));
    (is_plain && same).then_some(named)
}

/// Node's name for an operating system that Rust calls `os`.
pub(super) fn node_name(os: &'static str) -> &'static str {
    match os {
        "macos" => "darwin",
        "solaris" | "illumos" => "sunos",
        other => other,
    }
}

pub(super) fn hostname() -> Option<String> {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    (!name.is_empty()).then_some(name)
}

pub(super) fn user_id() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_is_absolute_or_unset() {
        let home_of = |value: Option<&str>| home(|_| value.map(OsString::from));
        assert_eq!(home_of(None), None);
        assert_eq!(home_of(Some("")), None, "an empty home is no home");
        assert_eq!(home_of(Some("home/me")), None, "a relative home would depend on the working directory");
        assert_eq!(home_of(Some("/home/me")), Some(PathBuf::from("/home/me")));
    }

    #[test]
    fn systems_are_named_as_node_names_them() {
        assert_eq!(node_name("linux"), "linux");
        assert_eq!(node_name("macos"), "darwin");
        assert_eq!(node_name("freebsd"), "freebsd");
    }

    #[test]
    fn the_directory_has_the_name_that_the_shell_gave_it() {
        let real = |path: &Path| match path.to_str() {
            Some("." | "/b/d" | "/a/d" | "/b/./d" | "/b/../b/d" | "d") => Some(PathBuf::from("/a/d")),
            Some("/c") => Some(PathBuf::from("/c")),
            _ => None,
        };
        for (pwd, named) in [
            (Some("/b/d"), Some("/b/d")),
            (Some("/a/d"), Some("/a/d")),
            (Some("/c"), None),
            (Some("/gone"), None),
            (Some("/b/./d"), None),
            (Some("/b/../b/d"), None),
            (Some("d"), None),
            (Some(""), None),
            (None, None),
        ] {
            let found = named_current_dir(|_| pwd.map(OsString::from), real);
            assert_eq!(found.as_deref(), named.map(Path::new), "{pwd:?}");
        }
    }
}
