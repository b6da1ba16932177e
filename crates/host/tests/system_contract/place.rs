//! An empty directory on some machine, with the hands to put things into it.

use preface_host::system::{
    ReadScope, System, WriteMode,
    os::OsSystem,
    testing::{FakeRun, MemorySystem},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tempfile::TempDir;

/// The bundled layer of both machines.
pub const BUNDLE: &[(&str, &[u8])] = &[
    ("presets/default.toml", b"name = \"default\""),
    ("presets/pi.toml", b"name = \"pi\""),
    ("presets2.toml", b""),
    ("sections/identity.md", b"You are."),
];

pub struct Place {
    pub system: Arc<dyn System>,
    pub root: PathBuf,
    hands: Hands,
}

enum Hands {
    Os(#[allow(dead_code, reason = "removes the directory when dropped")] TempDir),
    Memory(MemorySystem),
}

const LOCK_WAIT: Duration = Duration::from_millis(300);

impl Place {
    pub fn os() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let root = dir.path().canonicalize().expect("the temporary directory resolves").join("place");
        std::fs::create_dir(&root).expect("the temporary directory is ours");
        let system = OsSystem::new(BUNDLE).with_lock_wait(LOCK_WAIT);
        Place { system: Arc::new(system), root, hands: Hands::Os(dir) }
    }

    pub fn memory() -> Self {
        let memory = MemorySystem::new()
            .with_dir("/tmp/place")
            .with_special("/dev/zero")
            .with_bundle(BUNDLE)
            .with_lock_wait(LOCK_WAIT);
        Place { system: Arc::new(memory.clone()), root: "/tmp/place".into(), hands: Hands::Memory(memory) }
    }

    /// The path of `name` in here.
    pub fn at(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub fn within(&self) -> ReadScope<'_> {
        ReadScope::Root(&self.root)
    }

    /// Puts a file, and its missing parents.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        match &self.hands {
            Hands::Os(_) => {
                std::fs::create_dir_all(path.parent().expect("a file has a parent")).expect("parents");
                std::fs::write(&path, bytes).expect("a file");
            }
            Hands::Memory(memory) => memory.put_file(&path, bytes),
        }
        path
    }

    pub fn dir(&self, name: &str) -> PathBuf {
        let path = self.at(name);
        match &self.hands {
            Hands::Os(_) => std::fs::create_dir_all(&path).expect("a directory"),
            Hands::Memory(memory) => drop(memory.clone().with_dir(&path)),
        }
        path
    }

    /// Puts a link whose text is exactly `target`.
    pub fn link(&self, name: &str, target: impl AsRef<Path>) -> PathBuf {
        let path = self.at(name);
        match &self.hands {
            Hands::Os(_) => os_link(target.as_ref(), &path),
            Hands::Memory(memory) => memory.put_link(&path, target.as_ref()),
        }
        path
    }

    pub fn hard_link(&self, name: &str, existing: &Path) -> PathBuf {
        let path = self.at(name);
        match &self.hands {
            Hands::Os(_) => std::fs::hard_link(existing, &path).expect("a hard link"),
            Hands::Memory(memory) => drop(memory.clone().with_hard_link(&path, existing)),
        }
        path
    }

    /// Puts a socket, the special file that `std` can make.
    pub fn special(&self, name: &str) -> PathBuf {
        let path = self.at(name);
        match &self.hands {
            Hands::Os(_) => drop(std::os::unix::net::UnixListener::bind(&path).expect("a socket")),
            Hands::Memory(memory) => drop(memory.clone().with_special(&path)),
        }
        path
    }

    pub fn mode(&self, path: &Path, mode: u32) {
        match &self.hands {
            Hands::Os(_) => {
                use std::os::unix::fs::PermissionsExt;
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
            }
            Hands::Memory(memory) => drop(memory.clone().with_mode(path, mode)),
        }
    }

    /// Says what a command does, where it is not there to do it itself.
    pub fn command(&self, argv: &[&str], fake: FakeRun) {
        if let Hands::Memory(memory) = &self.hands {
            drop(memory.clone().with_command(argv.iter().copied(), fake));
        }
    }

    /// The text of a file, read without bounds.
    pub fn text(&self, path: &Path) -> String {
        let read = self.system.read(path, ReadScope::Anywhere, u64::MAX);
        let read = read.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        String::from_utf8(read.into_bytes()).expect("the tests write text")
    }

    /// The names in a directory.
    pub fn names(&self, dir: &Path) -> Vec<String> {
        let entries = self.system.list(dir, 1000).expect("a directory");
        entries.into_iter().map(|entry| entry.name.into_string().expect("the tests name in UTF-8")).collect()
    }

    pub fn replace(&self, path: &Path, text: &str) {
        self.system.write(path, text.as_bytes(), WriteMode::Replace, 0o644).expect("a write");
    }
}

fn os_link(target: &Path, path: &Path) {
    std::os::unix::fs::symlink(target, path).expect("a link");
}
