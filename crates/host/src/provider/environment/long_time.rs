//! The long form of date and time: `Saturday, March 7, 2026 at 08:55:05 AM CST`, English in every locale.
//!
//! A zone is called by a name of its own only where CLDR's English has one: most of those are the abbreviations of some hours
//! in the zone's file, and no others (`CET`, `+0530`) are.

use crate::provider::context::ProviderContext;
use jiff::{Zoned, tz::Offset};

/// The names of CLDR's English, with the hours from UTC at which a zone is called so.
const NAMES: [(&str, i32); 17] = [
    ("ADT", -3),
    ("AKDT", -8),
    ("AKST", -9),
    ("AST", -4),
    ("CDT", -5),
    ("CST", -6),
    ("EDT", -4),
    ("EST", -5),
    ("GMT", 0),
    ("HADT", -9),
    ("HAST", -10),
    ("HST", -10),
    ("MDT", -6),
    ("MST", -7),
    ("PDT", -7),
    ("PST", -8),
    ("UTC", 0),
];

/// The zones whose abbreviation `MST` is the name of another time.
const NOT_MOUNTAIN: [&str; 6] = [
    "America/Dawson",
    "America/Hermosillo",
    "America/Mazatlan",
    "America/Whitehorse",
    "Canada/Yukon",
    "Mexico/BajaSur",
];

/// Returns the instant of a turn in the long form.
pub(super) fn format(context: &ProviderContext<'_>, zoned: &Zoned) -> String {
    let tz = match context.turn.zone {
        Some(_) => None,
        None => context.system.var("TZ").and_then(|tz| tz.into_string().ok()),
    };
    write(zoned, zone_name(tz.as_deref(), zoned.time_zone().iana_name()))
}

/// Formats an instant in the long form. `wanted` is the zone as it was written in the setting.
fn write(zoned: &Zoned, wanted: &str) -> String {
    let offset = zoned.offset();
    let day = zoned.strftime("%A, %B %-d, %-Y at %I:%M:%S %p");
    match own_name(zoned, wanted) {
        Some(name) => format!("{day} {name}"),
        None => format!("{day} {}", offset_name(offset)),
    }
}

/// Returns the name of the zone at this instant; `None` for a zone that is shown by its offset, and where `wanted` is no zone.
fn own_name(zoned: &Zoned, wanted: &str) -> Option<&'static str> {
    let found = zoned.time_zone().iana_name()?;
    if found.strip_prefix("posix/").unwrap_or(found) != wanted || NOT_MOUNTAIN.contains(&wanted) {
        return None;
    }
    let abbreviation = zoned.strftime("%Z").to_string();
    let name = match (wanted, abbreviation.as_str()) {
        ("America/Adak" | "America/Atka" | "US/Aleutian", "HST") => "HAST",
        ("America/Adak" | "America/Atka" | "US/Aleutian", "HDT") => "HADT",
        ("Antarctica/Troll", "+00") => "GMT",
        (_, abbreviation) => abbreviation,
    };
    let is_this = |(known, hours): &&(&str, i32)| *known == name && zoned.offset().seconds() == hours * 3600;
    NAMES.iter().find(is_this).map(|(name, _)| *name)
}

/// Returns the zone's name as it was chosen: the value of `TZ` if that decides, else the name of the zone
/// that was found. A `TZ` that names no zone shows the time in UTC but is still not called `UTC`, so the zone
/// found is not enough.
fn zone_name<'a>(tz: Option<&'a str>, found: Option<&'a str>) -> &'a str {
    let name = tz.map(|tz| tz.strip_prefix(':').unwrap_or(tz)).or(found).unwrap_or_default();
    name.strip_prefix("posix/").unwrap_or(name)
}

/// Writes `GMT`, the sign, hours and, if there are any, minutes.
fn offset_name(offset: Offset) -> String {
    let sign = if offset.is_negative() { '-' } else { '+' };
    let minutes = offset.seconds().unsigned_abs() / 60;
    match minutes % 60 {
        0 => format!("GMT{sign}{}", minutes / 60),
        rest => format!("GMT{sign}{}:{rest:02}", minutes / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::{Timestamp, tz::TimeZone};

    fn at(instant: &str, zone: &str, wanted: &str) -> String {
        let zone = match zone {
            "" => TimeZone::UTC,
            name => TimeZone::get(name).expect("tests need the zone database"),
        };
        write(&instant.parse::<Timestamp>().unwrap().to_zoned(zone), wanted)
    }

    #[test]
    fn the_line_of_the_seed() {
        let zone = "America/Chicago";
        assert_eq!(at("2026-03-07T14:55:05Z", zone, zone), "Saturday, March 7, 2026 at 08:55:05 AM CST");
    }

    /// `tests/long_time.txt`: lines of zones at the instants of its first line, as the published package 0.57.1
    /// prints them.
    #[test]
    fn forty_zones_at_four_instants() {
        let mut lines = include_str!("../../../tests/long_time.txt").lines();
        let instants: Vec<&str> = lines.next().unwrap().split('\t').skip(1).collect();
        let mut zones = 0;
        for line in lines {
            let (zone, expected) = line.split_once('\t').unwrap();
            let written: Vec<String> = instants.iter().map(|instant| at(instant, zone, zone)).collect();
            assert_eq!(written.join("\t"), expected, "{zone}");
            zones += 1;
        }
        assert!(zones >= 40 && instants.len() >= 4, "{zones} zones at {} instants", instants.len());
    }

    #[test]
    fn tz_is_taken_at_its_word() {
        let names = [
            (None, Some("America/Chicago"), "America/Chicago"),
            (Some(":America/Chicago"), Some("America/Chicago"), "America/Chicago"),
            (Some("posix/America/Chicago"), Some("posix/America/Chicago"), "America/Chicago"),
            (Some(""), Some("UTC"), ""),
            (Some("Foo/Bar"), Some("UTC"), "Foo/Bar"),
            (Some("XYZ5"), None, "XYZ5"),
            (None, None, ""),
        ];
        for (tz, found, expected) in names {
            assert_eq!(zone_name(tz, found), expected, "{tz:?}");
        }
    }

    #[test]
    fn a_name_of_no_zone_shows_the_offset() {
        let now = "2026-01-15T00:34:56Z";
        for wanted in ["", "Foo/Bar", "utc", "america/chicago", "UTC0"] {
            assert_eq!(at(now, "", wanted), "Thursday, January 15, 2026 at 12:34:56 AM GMT+0", "{wanted}");
        }
        let five = now.parse::<Timestamp>().unwrap().to_zoned(TimeZone::posix("XYZ5").unwrap());
        assert_eq!(write(&five, "XYZ5"), "Wednesday, January 14, 2026 at 07:34:56 PM GMT-5");
    }
}
