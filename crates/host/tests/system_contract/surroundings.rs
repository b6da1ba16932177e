//! Clock, environment, bundled files, git.

use crate::place::{BUNDLE, Place};

pub fn bundled_files_are_found_and_listed(place: &Place) {
    for (path, bytes) in BUNDLE {
        assert_eq!(place.system.bundled(path).as_deref(), Some(*bytes), "{path}");
    }
    assert_eq!(place.system.bundled("presets"), None);
    assert_eq!(place.system.bundled("../presets/pi.toml"), None);
    assert_eq!(place.system.bundled_list("presets/"), ["presets/default.toml", "presets/pi.toml"]);
    assert_eq!(place.system.bundled_list("presets").len(), 3);
    assert_eq!(place.system.bundled_list("zzz"), [""; 0]);
    assert_eq!(place.system.bundled_list(""), BUNDLE.iter().map(|(path, _)| *path).collect::<Vec<_>>());
}

pub fn the_machine_knows_where_it_is(place: &Place) {
    let system = &place.system;
    assert!(system.current_dir().is_some_and(|dir| dir.is_absolute()));
    assert!(system.home().is_none_or(|home| home.is_absolute()));
    assert!(!system.os().is_empty());
    assert!(system.hostname().is_some_and(|name| !name.is_empty()));
    assert!(system.user_id().is_some());
    assert_eq!(system.var("PREFACE_NO_SUCH_VARIABLE"), None);
    assert!(system.now().as_second() > 1_700_000_000, "the clock is set");
    assert!(system.time_zone().iana_name() != Some("Etc/Unknown"), "an unknown zone is UTC");
}
