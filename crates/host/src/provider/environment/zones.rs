//! The zones with a name for people, and their pairs of names: a fixed list, and the links to its zones.

/// The names of a zone. Each holds at one offset from UTC only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZoneNames {
    /// AKST and AKDT.
    Alaska,
    /// HAST and HADT.
    Aleutian,
    /// AST and ADT.
    Atlantic,
    /// CST and CDT.
    Central,
    /// EST and EDT.
    Eastern,
    /// GMT.
    Greenwich,
    /// HST.
    Hawaii,
    /// MST and MDT.
    Mountain,
    /// PST and PDT.
    Pacific,
    /// UTC.
    Utc,
}

use ZoneNames::*;

impl ZoneNames {
    /// Returns the name that holds at an offset in hours.
    pub(super) fn at(self, hours: i32) -> Option<&'static str> {
        let (standard, names): (i32, &[&str]) = match self {
            Aleutian => (-10, &["HAST", "HADT"]),
            Hawaii => (-10, &["HST"]),
            Alaska => (-9, &["AKST", "AKDT"]),
            Pacific => (-8, &["PST", "PDT"]),
            Mountain => (-7, &["MST", "MDT"]),
            Central => (-6, &["CST", "CDT"]),
            Eastern => (-5, &["EST", "EDT"]),
            Atlantic => (-4, &["AST", "ADT"]),
            Greenwich => (0, &["GMT"]),
            Utc => (0, &["UTC"]),
        };
        names.get(usize::try_from(hours - standard).ok()?).copied()
    }
}

/// Returns the names of a zone; `None` for a zone that is shown by its offset.
pub(super) fn names(zone: &str) -> Option<ZoneNames> {
    ZONES.binary_search_by_key(&zone, |(name, _)| name).ok().map(|at| ZONES[at].1)
}

/// In byte order: it is searched by halving.
#[rustfmt::skip]
const ZONES: &[(&str, ZoneNames)] = &[
    ("Africa/Abidjan", Greenwich), ("Africa/Accra", Greenwich), ("Africa/Bamako", Greenwich),
    ("Africa/Banjul", Greenwich), ("Africa/Bissau", Greenwich), ("Africa/Conakry", Greenwich),
    ("Africa/Dakar", Greenwich), ("Africa/Freetown", Greenwich), ("Africa/Lome", Greenwich),
    ("Africa/Monrovia", Greenwich), ("Africa/Nouakchott", Greenwich), ("Africa/Ouagadougou", Greenwich),
    ("Africa/Sao_Tome", Greenwich), ("Africa/Timbuktu", Greenwich), ("America/Adak", Aleutian),
    ("America/Anchorage", Alaska), ("America/Anguilla", Atlantic), ("America/Antigua", Atlantic),
    ("America/Aruba", Atlantic), ("America/Atikokan", Eastern), ("America/Atka", Aleutian),
    ("America/Bahia_Banderas", Central),
    ("America/Barbados", Atlantic), ("America/Belize", Central), ("America/Blanc-Sablon", Atlantic),
    ("America/Boise", Mountain), ("America/Cambridge_Bay", Mountain), ("America/Cancun", Eastern),
    ("America/Cayman", Eastern), ("America/Chicago", Central), ("America/Chihuahua", Central),
    ("America/Ciudad_Juarez", Mountain), ("America/Coral_Harbour", Eastern), ("America/Costa_Rica", Central),
    ("America/Creston", Mountain), ("America/Curacao", Atlantic), ("America/Danmarkshavn", Greenwich),
    ("America/Dawson_Creek", Mountain), ("America/Denver", Mountain), ("America/Detroit", Eastern),
    ("America/Dominica", Atlantic), ("America/Edmonton", Mountain), ("America/El_Salvador", Central),
    ("America/Ensenada", Pacific), ("America/Fort_Nelson", Mountain), ("America/Fort_Wayne", Eastern),
    ("America/Glace_Bay", Atlantic), ("America/Goose_Bay", Atlantic), ("America/Grand_Turk", Eastern),
    ("America/Grenada", Atlantic), ("America/Guadeloupe", Atlantic), ("America/Guatemala", Central),
    ("America/Halifax", Atlantic), ("America/Indiana/Indianapolis", Eastern), ("America/Indiana/Knox", Central),
    ("America/Indiana/Marengo", Eastern), ("America/Indiana/Petersburg", Eastern),
    ("America/Indiana/Tell_City", Central), ("America/Indiana/Vevay", Eastern),
    ("America/Indiana/Vincennes", Eastern), ("America/Indiana/Winamac", Eastern),
    ("America/Indianapolis", Eastern), ("America/Inuvik", Mountain), ("America/Iqaluit", Eastern),
    ("America/Jamaica", Eastern), ("America/Juneau", Alaska), ("America/Kentucky/Louisville", Eastern),
    ("America/Kentucky/Monticello", Eastern), ("America/Knox_IN", Central), ("America/Kralendijk", Atlantic),
    ("America/Los_Angeles", Pacific), ("America/Louisville", Eastern), ("America/Lower_Princes", Atlantic),
    ("America/Managua", Central), ("America/Marigot", Atlantic), ("America/Martinique", Atlantic),
    ("America/Matamoros", Central), ("America/Menominee", Central), ("America/Merida", Central),
    ("America/Metlakatla", Alaska), ("America/Mexico_City", Central), ("America/Moncton", Atlantic),
    ("America/Monterrey", Central), ("America/Montreal", Eastern), ("America/Montserrat", Atlantic),
    ("America/Nassau", Eastern), ("America/New_York", Eastern), ("America/Nipigon", Eastern),
    ("America/Nome", Alaska), ("America/North_Dakota/Beulah", Central),
    ("America/North_Dakota/Center", Central), ("America/North_Dakota/New_Salem", Central),
    ("America/Ojinaga", Central), ("America/Panama", Eastern), ("America/Pangnirtung", Eastern),
    ("America/Phoenix", Mountain), ("America/Port-au-Prince", Eastern), ("America/Port_of_Spain", Atlantic),
    ("America/Puerto_Rico", Atlantic), ("America/Rainy_River", Central), ("America/Rankin_Inlet", Central),
    ("America/Regina", Central), ("America/Resolute", Central), ("America/Santa_Isabel", Pacific),
    ("America/Santo_Domingo", Atlantic), ("America/Shiprock", Mountain), ("America/Sitka", Alaska),
    ("America/St_Barthelemy", Atlantic), ("America/St_Kitts", Atlantic), ("America/St_Lucia", Atlantic),
    ("America/St_Thomas", Atlantic), ("America/St_Vincent", Atlantic), ("America/Swift_Current", Central),
    ("America/Tegucigalpa", Central), ("America/Thule", Atlantic), ("America/Thunder_Bay", Eastern),
    ("America/Tijuana", Pacific), ("America/Toronto", Eastern), ("America/Tortola", Atlantic),
    ("America/Vancouver", Pacific), ("America/Virgin", Atlantic), ("America/Winnipeg", Central),
    ("America/Yakutat", Alaska), ("America/Yellowknife", Mountain), ("Antarctica/Troll", Greenwich),
    ("Atlantic/Bermuda", Atlantic), ("Atlantic/Reykjavik", Greenwich), ("Atlantic/St_Helena", Greenwich),
    ("CST6CDT", Central), ("Canada/Atlantic", Atlantic), ("Canada/Central", Central),
    ("Canada/Eastern", Eastern), ("Canada/Mountain", Mountain), ("Canada/Pacific", Pacific),
    ("Canada/Saskatchewan", Central), ("EST", Eastern), ("EST5EDT", Eastern), ("Eire", Greenwich),
    ("Etc/GMT", Greenwich), ("Etc/GMT+0", Greenwich), ("Etc/GMT-0", Greenwich), ("Etc/GMT0", Greenwich),
    ("Etc/Greenwich", Greenwich), ("Etc/UCT", Utc), ("Etc/UTC", Utc), ("Etc/Universal", Utc), ("Etc/Zulu", Utc),
    ("Europe/Belfast", Greenwich), ("Europe/Dublin", Greenwich), ("Europe/Guernsey", Greenwich),
    ("Europe/Isle_of_Man", Greenwich), ("Europe/Jersey", Greenwich), ("Europe/London", Greenwich),
    ("GB", Greenwich), ("GB-Eire", Greenwich), ("GMT", Greenwich), ("GMT+0", Greenwich), ("GMT-0", Greenwich),
    ("GMT0", Greenwich), ("Greenwich", Greenwich), ("HST", Hawaii), ("Iceland", Greenwich),
    ("Jamaica", Eastern), ("MST", Mountain), ("MST7MDT", Mountain), ("Mexico/BajaNorte", Pacific),
    ("Mexico/General", Central), ("Navajo", Mountain), ("PST8PDT", Pacific), ("Pacific/Honolulu", Hawaii),
    ("Pacific/Johnston", Hawaii), ("UCT", Utc), ("US/Alaska", Alaska), ("US/Aleutian", Aleutian),
    ("US/Arizona", Mountain), ("US/Central", Central), ("US/East-Indiana", Eastern), ("US/Eastern", Eastern),
    ("US/Hawaii", Hawaii), ("US/Indiana-Starke", Central), ("US/Michigan", Eastern), ("US/Mountain", Mountain),
    ("US/Pacific", Pacific), ("UTC", Utc), ("Universal", Utc), ("Zulu", Utc),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_without_duplicates() {
        assert!(ZONES.is_sorted_by(|a, b| a.0 < b.0), "a search by halving needs it");
    }
}
