//! What only a real machine can do to us: files that block, grow, lie about their size, or are swapped.

use crate::place::{BUNDLE, Place};
use preface_host::system::{FileKind, ReadError, ReadScope, System, WriteError, os::OsSystem};
use std::{
    env, fs,
    io::Write as _,
    os::unix::{fs::PermissionsExt, net::UnixListener},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

fn system() -> OsSystem {
    OsSystem::new(BUNDLE)
}

/// Reads on another thread, so that a read that blocks fails the test instead of hanging it.
fn read_in_time(path: impl Into<PathBuf>, limit: u64) -> Result<Vec<u8>, ReadError> {
    let path = path.into();
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let read = system().read(&path, ReadScope::Anywhere, limit);
        let _ = send.send(read.map(|read| read.into_bytes()));
    });
    receive.recv_timeout(Duration::from_secs(10)).expect("a read never blocks")
}

const SPECIAL: Result<Vec<u8>, ReadError> = Err(ReadError::Kind(FileKind::Special));

#[test]
fn sockets_and_devices_are_special() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let socket = dir.path().join("socket");
    let _listener = UnixListener::bind(&socket).expect("a socket");
    assert_eq!(read_in_time(socket, 9), SPECIAL);
    for device in ["/dev/null", "/dev/zero", "/dev/urandom"] {
        assert_eq!(read_in_time(device, 9), SPECIAL, "{device}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_without_a_writer_does_not_block() {
    use rustix::fs::{CWD, FileType, Mode};
    let place = Place::os();
    let pipe = place.at("pipe");
    rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    place.link("link", "pipe");
    assert_eq!(read_in_time(&pipe, 9), SPECIAL);
    assert_eq!(read_in_time(place.at("link"), 9), SPECIAL);
    assert_eq!(place.system.read(&pipe, place.within(), 9), Err(ReadError::Kind(FileKind::Special)));
    assert!(place.system.lock(&pipe).is_err(), "nor does a lock");
    assert_eq!(place.system.list(&pipe, 9), Err(ReadError::Kind(FileKind::Special)));
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_neither_appended_to_nor_locked() {
    use rustix::fs::{CWD, FileType, Mode};
    let place = Place::os();
    let pipe = place.at("pipe");
    rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    // With a reader it can be opened for writing.
    let _reader = fs::OpenOptions::new().read(true).write(true).open(&pipe).expect("a reader");
    assert_eq!(place.system.append(&pipe, b"x", 0o600), Err(WriteError::Exists));
    assert_eq!(place.system.lock(&pipe).map(drop), Err(WriteError::Exists));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_of_the_kernel_is_never_read() {
    let place = Place::os();
    place.link("environ", "/proc/self/environ");
    place.link("uevent", "/sys/kernel/uevent_seqnum");
    let paths = ["/proc/self/environ", "/proc/version", "/sys/kernel/uevent_seqnum"].map(PathBuf::from);
    for path in paths.into_iter().chain([place.at("environ"), place.at("uevent")]) {
        // A container may hide it.
        if fs::read(&path).is_ok() {
            let read = system().read(&path, ReadScope::Anywhere, 1 << 24);
            assert_eq!(read.map(|read| read.into_bytes()), SPECIAL, "{}", path.display());
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_regular_file_that_waits_for_news_does_not_block() {
    // `/proc/kmsg` is a regular file and blocks like a pipe; only root may try.
    let answer = read_in_time("/proc/kmsg", 1 << 24);
    let fine = matches!(
        answer,
        Err(ReadError::Kind(FileKind::Special)
            | ReadError::Denied
            | ReadError::Missing
            | ReadError::Other(_))
    );
    assert!(fine, "{answer:?}");
}

#[test]
fn the_buffer_never_exceeds_the_limit() {
    let place = Place::os();
    let path = place.file("f", vec![b'x'; 5000]);
    for limit in [5000, 5001, 8192, u64::MAX] {
        let read = place.system.read(&path, place.within(), limit).expect("a file");
        assert_eq!(read.bytes.capacity(), 5001, "its size and one byte more");
    }
    // A hole of a tebibyte: refused by its size, not after having made room.
    let file = fs::File::create(place.at("hole")).expect("a file");
    if file.set_len(1 << 40).is_ok() {
        let read = place.system.read(&place.at("hole"), place.within(), 1 << 20);
        assert_eq!(read, Err(ReadError::TooLarge { size: 1 << 40, limit: 1 << 20 }));
    }
}

#[test]
fn a_file_that_grows_stays_under_the_limit() {
    const LIMIT: u64 = 60_000;
    let place = Place::os();
    let path = place.file("log", "");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = fs::OpenOptions::new().append(true).open(&path).expect("the file");
            while !done.load(Ordering::Relaxed) {
                for _ in 0..200 {
                    file.write_all(&[b'x'; 777]).expect("a line");
                }
                file.set_len(0).expect("an empty file");
            }
        });
        let _stop = Stop(&done);
        let end = Instant::now() + Duration::from_millis(300);
        let (mut read, mut refused) = (0, 0);
        while Instant::now() < end {
            match place.system.read(&path, place.within(), LIMIT) {
                Ok(file) => {
                    assert!(file.bytes.len() as u64 <= LIMIT && file.bytes.capacity() as u64 <= LIMIT + 1);
                    read += 1;
                }
                Err(ReadError::TooLarge { size, limit: LIMIT }) => {
                    assert!(size > LIMIT);
                    refused += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert!(read + refused > 0);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn magic_links_of_proc_lead_outside() {
    let place = Place::os();
    let root = place.dir("root");
    let secret = place.file("secret", "secret");
    let handle = fs::File::open(&secret).expect("the file");
    let fd = std::os::fd::AsRawFd::as_raw_fd(&handle);
    place.link("root/fd", format!("/proc/self/fd/{fd}"));
    place.link("root/root", "/proc/self/root");
    let read = |path: PathBuf| place.system.read(&path, ReadScope::Root(&root), 99);
    assert_eq!(read(root.join("fd")), Err(ReadError::Outside { target: secret.clone() }));
    let through = root.join("root").join(secret.strip_prefix("/").expect("an absolute path"));
    assert_eq!(read(through), Err(ReadError::Outside { target: secret }));
}

#[test]
fn a_lock_of_another_process_is_respected_and_ends_with_it() {
    const HOLD: &str = "PREFACE_TEST_HOLD_LOCK";
    if let Some(path) = env::var_os(HOLD) {
        let _lock = system().lock(Path::new(&path)).expect("a free lock");
        fs::write(Path::new(&path).with_extension("held"), "").expect("a sign");
        thread::sleep(Duration::from_secs(60));
        return;
    }
    let place = Place::os();
    let path = place.at("lock");
    let mut child = again("os_only::a_lock_of_another_process_is_respected_and_ends_with_it");
    let mut child = child.env(HOLD, &path).spawn().expect("a child process");
    let end = Instant::now() + Duration::from_secs(20);
    while !place.at("lock.held").exists() {
        assert!(Instant::now() < end, "the child takes the lock");
        thread::sleep(Duration::from_millis(5));
    }
    assert!(place.system.lock(&path).is_err(), "the child holds it");
    child.kill().expect("the child dies");
    child.wait().expect("the child is dead");
    assert!(place.system.lock(&path).is_ok(), "it ended with the process");
}

#[test]
fn home_zone_and_directory_come_from_the_environment() {
    const CHILD: &str = "PREFACE_TEST_ENVIRONMENT";
    if let Some(expected) = env::var_os(CHILD) {
        let system = system();
        let offset = system.now().to_zoned(system.time_zone()).offset().seconds();
        let home = system.home().map_or("none".into(), |home| home.display().to_string());
        assert_eq!(format!("{home} {offset}"), expected.to_str().expect("UTF-8"));
        return;
    }
    let cases = [
        ("/home/me", "EST5", "/home/me -18000"),
        ("", "JST-9", "none 32400"),
        ("home/me", "UTC", "none 0"),
        ("/", "No/Such_Zone", "/ 0"),
    ];
    for (home, zone, expected) in cases {
        let mut child = again("os_only::home_zone_and_directory_come_from_the_environment");
        expect_one_test(child.env(CHILD, expected).env("HOME", home).env("TZ", zone));
    }
}

#[test]
fn a_failed_write_leaves_the_directory_as_it_was() {
    let place = Place::os();
    let path = place.file("f", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("our file");
    let before = place.system.stat(&path);
    // Everything succeeds up to the last step, which puts the file in its place.
    let too_long = place.at(&"n".repeat(256));
    for how in [preface_host::system::WriteMode::New, preface_host::system::WriteMode::Replace] {
        assert!(place.system.write(&too_long, b"new", how, 0o600).is_err());
    }
    assert_eq!(place.system.stat(&path), before);
    assert_eq!(place.names(&place.root), ["f"]);
}

/// This test program again, to run one test.
pub(crate) fn again(test: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("this test"));
    command.args(["--exact", test, "--nocapture"]);
    command
}

/// Runs a command that runs one test of this program. A name that no test has would succeed, too.
pub(crate) fn expect_one_test(child: &mut Command) {
    let output = child.output().expect("a child process");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{child:?} failed:\n{text}{errors}");
    assert!(text.contains("test result: ok. 1 passed;"), "{child:?} ran no test:\n{text}");
}

/// Tells the other thread to end, also when an assertion fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
