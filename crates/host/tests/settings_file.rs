//! A settings file on a real disk: who may read it, links, many writers, and what is refused.

use preface_core::{
    diagnostic::Diagnostic,
    scope::Scope,
    settings::{SettingChange, parse},
    trust::TrustMode,
};
use preface_host::{
    places::Places,
    settings_file::{SettingsFile, SettingsWriteOutcome},
    system::os::OsSystem,
};
use serde_json::json;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

struct Home {
    root: PathBuf,
    system: OsSystem,
    _guard: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let guard = tempfile::tempdir().expect("a directory");
        let root = guard.path().canonicalize().expect("it is there");
        fs::create_dir(root.join("work")).expect("a directory");
        // With patience: a loaded machine flushes slowly.
        let system = OsSystem::new(&[]).with_lock_wait(Duration::from_secs(120));
        Home { root, system, _guard: guard }
    }

    fn places(&self) -> Places {
        Places {
            state: None,
            own_home: None,
            foreign_keys: Vec::new(),
            cwd: self.root.join("work"),
            home: Some(self.root.clone()),
            global: Some(self.root.join("own/preface")),
            project: Some(self.root.join("work/.preface")),
        }
    }

    fn file(&self, scope: Scope) -> SettingsFile<'_> {
        SettingsFile::of(&self.system, &self.places(), TrustMode::Pinned, scope, |_| false)
            .expect("there is a place")
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
}

fn set(
    file: &SettingsFile<'_>,
    key: &str,
    value: serde_json::Value,
) -> Result<SettingsWriteOutcome, Box<Diagnostic>> {
    file.edit(&key.parse().expect("a path"), &SettingChange::Set(value))
}

#[test]
fn a_new_file_is_for_the_user_alone_and_an_old_one_stays_as_it_is() {
    let home = Home::new();
    let file = home.file(Scope::Global);
    assert_eq!(
        file.edit(&"preset".parse().unwrap(), &SettingChange::Unset),
        Ok(SettingsWriteOutcome::Unchanged)
    );
    assert!(!home.root.join("own").exists(), "what changes nothing leaves no trace");
    assert_eq!(set(&file, "preset", json!("pi")), Ok(SettingsWriteOutcome::Changed));
    assert_eq!((mode(file.path()), mode(&home.root.join("own/preface"))), (0o600, 0o700));
    fs::set_permissions(file.path(), fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(set(&file, "preset", json!("stud")), Ok(SettingsWriteOutcome::Changed));
    assert_eq!(mode(file.path()), 0o640);
    assert_eq!(fs::read_to_string(file.path()).unwrap(), "{\n  \"preset\": \"stud\"\n}\n");
}

#[test]
fn many_at_once_lose_nothing() {
    let home = Home::new();
    thread::scope(|scope| {
        for writer in 0..8 {
            let home = &home;
            scope.spawn(move || {
                let file = home.file(Scope::Global);
                for at in 0..6 {
                    set(&file, &format!("logging.w{writer}.n{at}"), json!(at)).expect("set");
                }
                file.edit(&format!("logging.w{writer}.n0").parse().unwrap(), &SettingChange::Unset)
                    .expect("unset");
            });
        }
    });
    let bytes = fs::read(home.root.join("own/preface/settings.json")).unwrap();
    let (layer, diagnostics) = parse(Scope::Global, "s", &bytes);
    assert_eq!(diagnostics, []);
    let value = layer.unwrap().root().to_value();
    for writer in 0..8 {
        assert_eq!(
            value["logging"][format!("w{writer}")],
            json!({"n1": 1, "n2": 2, "n3": 3, "n4": 4, "n5": 5})
        );
    }
    let left: Vec<_> = fs::read_dir(home.root.join("own/preface"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 1, "the lock is elsewhere: {left:?}");
}

#[test]
fn a_link_of_the_users_is_written_through() {
    let home = Home::new();
    let file = home.file(Scope::Global);
    fs::create_dir_all(home.root.join("own/preface")).unwrap();
    fs::create_dir(home.root.join("dotfiles")).unwrap();
    symlink(home.root.join("dotfiles/s.json"), file.path()).unwrap();
    assert_eq!(set(&file, "preset", json!("pi")), Ok(SettingsWriteOutcome::Changed), "it pointed nowhere");
    assert_eq!(set(&file, "preset", json!("stud")), Ok(SettingsWriteOutcome::Changed));
    assert!(fs::symlink_metadata(file.path()).unwrap().is_symlink(), "the link stays");
    assert!(fs::read_to_string(home.root.join("dotfiles/s.json")).unwrap().contains("stud"));
}

#[test]
fn an_unusable_settings_file_is_an_error() {
    let home = Home::new();
    let file = home.file(Scope::Global);
    fs::create_dir_all(file.path()).unwrap();
    let error = set(&file, "preset", json!("pi")).unwrap_err();
    assert_eq!(error.message, "cannot read `~/own/preface/settings.json`: a directory, not a file");
    let nowhere = Places { global: None, project: None, ..home.places() };
    for scope in Scope::ALL {
        let none = SettingsFile::of(&home.system, &nowhere, TrustMode::Pinned, scope, |_| false);
        let message = none.err().map(|error| error.message).unwrap_or_default();
        assert!(message.starts_with("there is no place for "), "{message}");
    }
    let large = "x".repeat(1 << 20);
    fs::remove_dir(file.path()).unwrap();
    let error = set(&file, "claudeMd", json!(large)).unwrap_err();
    assert!(error.message.ends_with("more than the limit of 1048576"), "{}", error.message);
}
