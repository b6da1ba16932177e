//! A temporary directory of a scenario: what conversations work in, the user's layer, the logs of the nodes.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
    time::Duration,
};

/// A directory. It is gone with this value.
#[derive(Debug)]
pub struct Place(PathBuf);

impl Place {
    /// Makes the directory.
    pub fn new() -> io::Result<Place> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let place = Place(env::temp_dir().join(format!("preface-nodes-{}-{count}", process::id())));
        _ = fs::remove_dir_all(&place.0);
        fs::create_dir_all(place.root())?;
        fs::create_dir_all(place.home())?;
        Ok(place)
    }

    /// Returns the directory itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns what conversations work in.
    pub fn root(&self) -> PathBuf {
        self.0.join("root")
    }

    /// Returns the user's layer, which is empty.
    pub fn home(&self) -> PathBuf {
        self.0.join("home")
    }

    /// Returns where a node's words go.
    pub fn log(&self, node: usize) -> PathBuf {
        self.0.join(format!("node-{node}.log"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Changes `now.txt` in a directory all the while, each time as a whole, so that prompts differ whenever they are built.
pub fn keep_changing(root: &Path, stop: &AtomicBool) {
    let (next, now) = (root.join("next.txt"), root.join("now.txt"));
    let mut number = 0u64;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        // Some pages of a file or a table: a half-written one would show.
        let text = format!("{number:-<64}\n").repeat(80);
        _ = fs::write(&next, text).and_then(|()| fs::rename(&next, &now));
        thread::sleep(Duration::from_millis(1));
    }
}
