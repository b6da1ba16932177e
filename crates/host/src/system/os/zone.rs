//! The time zone, from one or two files. The zone database is walked only where these do not answer: the walk alone
//! costs more than a whole build.

use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};

/// The directories of time zones, in order of preference.
const DIRS: [&str; 3] = ["/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo"];

/// Returns the zone that `TZ` names, else the one that `/etc/localtime` is, else the platform's, else UTC.
///
/// A `TZ` that names no zone means UTC, as everywhere else; `america/chicago` names none.
pub(super) fn local(tz: Option<&str>) -> TimeZone {
    let name = tz.map(|name| name.strip_prefix(':').unwrap_or(name));
    let quick = match name {
        Some(name) => named_file(name),
        None => localtime(Path::new("/etc/localtime")),
    };
    quick
        .or_else(|| TimeZone::posix(name?).ok())
        .or_else(|| TimeZone::try_system().ok().filter(|found| is_meant(found, name)))
        .unwrap_or(TimeZone::UTC)
}

/// Returns whether a zone that was found without regard to case is the one that was named, by name or by
/// path.
fn is_meant(found: &TimeZone, name: Option<&str>) -> bool {
    match (found.iana_name(), name) {
        (Some(found), Some(name)) => name.ends_with(found),
        _ => true,
    }
}

/// Returns a zone by its name.
pub(super) fn named(name: &str) -> Option<TimeZone> {
    named_file(name).or_else(|| TimeZone::get(name).ok())
}

fn named_file(name: &str) -> Option<TimeZone> {
    if name == "UTC" {
        return Some(TimeZone::UTC);
    }
    if !is_zone_name(name) {
        return None;
    }
    DIRS.iter().find_map(|dir| {
        let bytes = std::fs::read(Path::new(dir).join(name)).ok()?;
        TimeZone::tzif(name, &bytes).ok()
    })
}

fn is_zone_name(name: &str) -> bool {
    name.split('/').all(|word| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+'))
    })
}

/// The file is a link whose target names the zone.
fn localtime(file: &Path) -> Option<TimeZone> {
    let target: PathBuf = std::fs::read_link(file).ok()?;
    let target = target.to_str()?;
    let name = &target[target.rfind("zoneinfo/")? + "zoneinfo/".len()..];
    let name = name.strip_prefix("posix/").or(name.strip_prefix("right/")).unwrap_or(name);
    match name {
        "Etc/UTC" | "Etc/UCT" | "UTC" | "Etc/Zulu" => Some(TimeZone::UTC),
        name => TimeZone::tzif(name, &std::fs::read(file).ok()?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_read_from_its_file_is_the_zone_of_the_database() {
        let instant: jiff::Timestamp = "2026-07-01T12:00:00Z".parse().unwrap();
        for name in ["Europe/Berlin", "America/Chicago", "Asia/Kolkata"] {
            let (Some(quick), Ok(slow)) = (named_file(name), TimeZone::get(name)) else { continue };
            assert_eq!(quick.to_offset(instant), slow.to_offset(instant), "{name}");
            assert_eq!(quick.iana_name(), Some(name));
        }
    }

    #[test]
    fn a_form_without_a_file_is_read_behind_a_colon_too() {
        for tz in ["XYZ5", ":XYZ5"] {
            assert_eq!(local(Some(tz)).to_offset(jiff::Timestamp::UNIX_EPOCH), jiff::tz::offset(-5), "{tz}");
        }
    }

    #[test]
    fn another_case_is_another_name() {
        let utc = TimeZone::UTC;
        assert!(is_meant(&utc, Some("UTC")) && is_meant(&utc, None) && !is_meant(&utc, Some("utc")));
    }

    #[test]
    fn a_name_never_leaves_the_database() {
        for name in ["UTC", "Etc/GMT+1", "America/North_Dakota/New_Salem", "America/Port-au-Prince"] {
            assert!(is_zone_name(name), "{name:?}");
        }
        for name in ["", ".", "../passwd", "/etc/passwd", "Europe/../../x", "Europe/", "a b", "a\0"] {
            assert!(!is_zone_name(name), "{name:?}");
        }
        // Ways to a zone that is there, which are no names of it.
        if named_file("Europe/Berlin").is_some() {
            for name in ["Europe/../Europe/Berlin", "./Europe/Berlin", "Europe//Berlin", "/Europe/Berlin"] {
                assert!(named_file(name).is_none(), "{name:?}");
            }
        }
    }
}
