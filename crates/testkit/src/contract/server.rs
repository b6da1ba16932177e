//! A PostgreSQL server of a test's own, in a temporary directory, on a Unix socket and a free port of loopback.
//!
//! It needs the server's programs: in `$PREFACE_POSTGRES_BIN`, on `PATH`, or where Debian keeps them. A machine without
//! them fails the tests, unless `PREFACE_WITHOUT_POSTGRES=1` is set.
//!
//! A shell of its own watches a pipe from this process and cleans up when the pipe ends, so nothing stays behind however the
//! process ends; statics are never dropped.

use std::{
    env, fs,
    io::{self, Write as _},
    net::TcpListener,
    os::unix::{
        fs::{MetadataExt, PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

/// Says where the server's programs are.
const PROGRAMS: &str = "PREFACE_POSTGRES_BIN";
/// Says that the tests do without.
const WITHOUT: &str = "PREFACE_WITHOUT_POSTGRES";

/// A server and its directory. Both are gone with it.
#[derive(Debug)]
pub struct PostgresServer {
    programs: PathBuf,
    home: PathBuf,
    port: u16,
    durability: Durability,
    owner: Option<(u32, u32)>,
    guard: Mutex<Option<Child>>,
}

/// The durability of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// A commit waits for the disk, as in production.
    Disk,
    /// A commit waits for nothing: faster, for tests that do not need data to survive a crash.
    Nothing,
}

impl PostgresServer {
    /// The user who must give a password on loopback, once [`PostgresServer::sql`] has made that role; all others are let in.
    pub const PASSWORD_USER: &str = "asked";

    /// Returns the server of this test binary, started by the first call; it waits for no disk. `None`: the tests do
    /// without.
    ///
    /// # Panics
    /// PostgreSQL is not there and `PREFACE_WITHOUT_POSTGRES` is not 1, or it does not start.
    #[must_use]
    pub fn shared() -> Option<&'static PostgresServer> {
        static SHARED: OnceLock<Option<PostgresServer>> = OnceLock::new();
        SHARED.get_or_init(|| PostgresServer::start_with(Durability::Nothing)).as_ref()
    }

    /// Starts a server that writes to disk in earnest. `None`: the tests do without.
    ///
    /// # Panics
    /// PostgreSQL is not there and `PREFACE_WITHOUT_POSTGRES` is not 1, or it does not start.
    #[must_use]
    pub fn start() -> Option<PostgresServer> {
        PostgresServer::start_with(Durability::Disk)
    }

    /// Starts a server.
    ///
    /// # Panics
    /// PostgreSQL is not there and `PREFACE_WITHOUT_POSTGRES` is not 1, or it does not start.
    #[must_use]
    pub fn start_with(durability: Durability) -> Option<PostgresServer> {
        if env::var_os(WITHOUT).is_some_and(|value| value == "1") {
            let _ = writeln!(io::stderr(), "NOT TESTED: {WITHOUT}=1, so PostgreSQL is not used");
            return None;
        }
        let programs = programs().unwrap_or_else(|| {
            panic!(
                "PostgreSQL is not on this machine, and its tests need it: install it (Debian: apt-get install \
                 postgresql), name its directory of programs in {PROGRAMS}, or set {WITHOUT}=1 to leave them out"
            )
        });
        Some(PostgresServer::make(programs, durability).unwrap_or_else(|error| panic!("PostgreSQL: {error}")))
    }

    fn make(programs: PathBuf, durability: Durability) -> io::Result<PostgresServer> {
        let mut server = PostgresServer::without_data(programs, durability)?;
        let data = server.data();
        let mut init = server.program("initdb");
        init.arg("--pgdata").arg(&data).args(["--username=postgres", "--auth=trust", "--no-sync"]);
        done(init.args(["--encoding=UTF8", "--locale=C"]).output()?)?;
        let rules = fs::read_to_string(data.join("pg_hba.conf"))?;
        let rules = format!("host all {} 127.0.0.1/32 scram-sha-256\n{rules}", PostgresServer::PASSWORD_USER);
        fs::write(data.join("pg_hba.conf"), rules)?;
        server.go_on_a_free_port()?;
        Ok(server)
    }

    /// Makes the directory of a server.
    fn without_data(programs: PathBuf, durability: Durability) -> io::Result<PostgresServer> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let home = env::temp_dir().join(format!("preface-pg-{}-{count}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        fs::create_dir(&home)?;
        fs::set_permissions(&home, fs::Permissions::from_mode(0o700))?;
        // The server refuses to run as root; it gets the directory and runs as somebody else.
        let owner = if fs::metadata(&home)?.uid() == 0 { Some(somebody_else()?) } else { None };
        if let Some((user, group)) = owner {
            chown(&home, Some(user), Some(group))?;
        }
        let server = PostgresServer { programs, home, port: 0, durability, owner, guard: Mutex::new(None) };
        server.watch()?;
        Ok(server)
    }

    fn go_on_a_free_port(&mut self) -> io::Result<()> {
        // Somebody else may take the port between our look and the server's start.
        for attempt in 0.. {
            self.port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            match self.go() {
                Err(error) if attempt == 4 => return Err(error),
                Err(_) => (),
                Ok(()) => break,
            }
        }
        Ok(())
    }

    /// Starts a standby of this server. From then on a commit here is answered once the standby has it on disk, too.
    ///
    /// # Panics
    /// It does not start, or does not follow.
    #[must_use]
    pub fn standby(&self) -> PostgresServer {
        let standby = self.copy().unwrap_or_else(|error| panic!("PostgreSQL: no standby: {error}"));
        self.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.sql("postgres", "SELECT pg_reload_conf()");
        let following = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        for _ in 0..600 {
            if self.sql("postgres", following) == "1" {
                return standby;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("PostgreSQL: the standby does not follow");
    }

    fn copy(&self) -> io::Result<PostgresServer> {
        let mut standby = PostgresServer::without_data(self.programs.clone(), self.durability)?;
        let mut copy = standby.program("pg_basebackup");
        copy.args([
            "--username=postgres",
            "--checkpoint=fast",
            "--write-recovery-conf",
            "--no-sync",
            "--pgdata",
        ]);
        copy.arg(standby.data()).arg("--host").arg(&self.home).arg(format!("--port={}", self.port));
        done(copy.output()?)?;
        standby.go_on_a_free_port()?;
        Ok(standby)
    }

    /// Makes a standby the primary.
    ///
    /// # Panics
    /// It is none, or does not become one.
    pub fn promote(&self) {
        let mut promote = self.program("pg_ctl");
        promote.args(["promote", "--wait", "--timeout=60", "--silent", "--pgdata"]).arg(self.data());
        let promoted = promote.output().and_then(done);
        promoted.unwrap_or_else(|error| panic!("PostgreSQL does not become the primary: {error}"));
    }

    /// Stops it in order and starts it again as a standby: it takes connections and refuses writes.
    ///
    /// # Panics
    /// It does not stop or start.
    pub fn demote(&self) {
        self.stop_in_order();
        let signal = self.data().join("standby.signal");
        fs::write(signal, "").unwrap_or_else(|error| panic!("PostgreSQL: {error}"));
        self.start_again();
    }

    /// Starts it again after [`PostgresServer::stop`] or [`PostgresServer::stop_in_order`], on the same port.
    ///
    /// # Panics
    /// It does not start.
    pub fn start_again(&self) {
        self.go().unwrap_or_else(|error| panic!("PostgreSQL does not start again: {error}"));
    }

    fn go(&self) -> io::Result<()> {
        let durable = if self.durability == Durability::Disk { "on" } else { "off" };
        let options = format!(
            "-k '{}' -p {} -c listen_addresses=127.0.0.1 -c fsync={durable} -c max_connections=400",
            self.home.display(),
            self.port
        );
        let mut start = self.program("pg_ctl");
        start.args(["start", "--wait", "--timeout=60", "--silent", "--pgdata"]).arg(self.data());
        done(start.arg("--log").arg(self.home.join("log")).arg("--options").arg(options).output()?)
            .map_err(|error| io::Error::other(format!("{error}\n{}", self.log())))
    }

    /// Stops it at once, as a crash does.
    ///
    /// # Panics
    /// It does not stop.
    pub fn stop(&self) {
        self.stop_by("--mode=immediate");
    }

    /// Stops it as an operator does: what is being done is undone, and everybody is sent away.
    ///
    /// # Panics
    /// It does not stop.
    pub fn stop_in_order(&self) {
        self.stop_by("--mode=fast");
    }

    /// Freezes it: it takes connections and sends nothing, like a machine that hangs, until [`PostgresServer::thaw`].
    ///
    /// # Panics
    /// Its processes cannot be found or signaled.
    pub fn freeze(&self) {
        // The parent first: then nothing new appears.
        self.signal("-STOP", &[self.main_process()]);
        self.signal("-STOP", &self.helpers());
    }

    /// Lets it go on after [`PostgresServer::freeze`].
    ///
    /// # Panics
    /// Its processes cannot be found or signaled.
    pub fn thaw(&self) {
        self.signal("-CONT", &self.helpers());
        self.signal("-CONT", &[self.main_process()]);
    }

    fn main_process(&self) -> String {
        let file = fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
        file.lines().next().expect("a server that runs has written its process id").to_owned()
    }

    /// Returns the processes that the server has started.
    fn helpers(&self) -> Vec<String> {
        let output = self.system_command("ps").args(["-A", "-o", "pid=", "-o", "ppid="]).output();
        let output = output.unwrap_or_else(|error| panic!("ps: {error}"));
        let main = self.main_process();
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let pairs = lines.lines().filter_map(|line| line.trim().split_once(' '));
        pairs.filter(|(_, parent)| parent.trim() == main).map(|(one, _)| one.to_owned()).collect()
    }

    fn signal(&self, signal: &str, processes: &[String]) {
        // A helper may have ended meanwhile.
        let _ = self.system_command("kill").arg(signal).args(processes).output();
    }

    fn stop_by(&self, mode: &str) {
        let mut stop = self.program("pg_ctl");
        stop.args(["stop", mode, "--wait", "--silent", "--pgdata"]).arg(self.data());
        let stopped = stop.output().and_then(done);
        stopped.unwrap_or_else(|error| panic!("PostgreSQL does not stop: {error}"));
    }

    /// Returns the address of a database on loopback.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Returns the address of a database on the Unix socket.
    #[must_use]
    pub fn socket_url(&self, database: &str) -> String {
        format!("postgres:///{database}?user=postgres&host={}&port={}", self.home.display(), self.port)
    }

    /// Returns its port on loopback.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the directory of its data.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.home.join("data")
    }

    /// Makes a database with a name that was not there before, and returns the name.
    ///
    /// # Panics
    /// The server refuses.
    #[must_use]
    pub fn new_database(&self) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
        self.create_database(&name);
        name
    }

    /// Makes a database.
    ///
    /// # Panics
    /// The server refuses.
    pub fn create_database(&self, name: &str) {
        self.sql("postgres", &format!("CREATE DATABASE \"{name}\""));
    }

    /// Runs a statement, past the store; returns its output, a line for a row.
    ///
    /// # Panics
    /// The server refuses.
    pub fn sql(&self, database: &str, statement: &str) -> String {
        let mut psql = self.program("psql");
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--command", statement]);
        psql.args(["--set=ON_ERROR_STOP=1", "--username=postgres", "--dbname", database]);
        let output = psql.arg("--host").arg(&self.home).arg(format!("--port={}", self.port)).output();
        let output = output.and_then(|output| {
            let text = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
            done(output).map(|()| text)
        });
        output.unwrap_or_else(|error| panic!("`{statement}`: {error}"))
    }

    fn log(&self) -> String {
        fs::read_to_string(self.home.join("log")).unwrap_or_default()
    }

    /// A command of the server's, run by its owner, apart from the keys that somebody presses.
    fn program(&self, name: &str) -> Command {
        self.prepare(Command::new(self.programs.join(name)))
    }

    fn system_command(&self, name: &str) -> Command {
        self.prepare(Command::new(name))
    }

    fn prepare(&self, mut command: Command) -> Command {
        command.current_dir(&self.home).stdin(Stdio::null()).process_group(0);
        for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
            command.env_remove(name);
        }
        if let Some((user, group)) = self.owner {
            command.uid(user).gid(group);
        }
        command
    }

    /// Starts the shell that cleans up when this process is gone.
    fn watch(&self) -> io::Result<()> {
        let mut shell = self.prepare(Command::new("sh"));
        // A server that is frozen could not stop.
        let wake = "kill -CONT \"$(head -n 1 \"$2/data/postmaster.pid\")\"";
        let script =
            format!("read -r _; cd /; {wake}; \"$1\" stop -m immediate -D \"$2/data\"; rm -rf \"$2\"");
        shell.arg("-c").arg(script).arg("sh");
        shell.arg(self.programs.join("pg_ctl")).arg(&self.home);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let shell = shell.spawn()?;
        *self.guard.lock().unwrap_or_else(PoisonError::into_inner) = Some(shell);
        Ok(())
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        let guard = self.guard.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut guard) = guard {
            drop(guard.stdin.take());
            let _ = guard.wait();
        }
    }
}

/// Finds the directory that holds `initdb` and the rest: the one that is named, that of `PATH`, the newest of Debian's.
fn programs() -> Option<PathBuf> {
    let whole = |directory: &Path| {
        ["initdb", "pg_ctl", "postgres", "psql"].iter().all(|name| directory.join(name).is_file())
    };
    if let Some(named) = env::var_os(PROGRAMS) {
        return Some(named.into()).filter(|directory: &PathBuf| whole(directory));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    if let Some(directory) = env::split_paths(&path).find(|directory| whole(directory)) {
        return Some(directory);
    }
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(_, directory)| whole(directory))
        .collect();
    versions.sort();
    versions.pop().map(|(_, directory)| directory)
}

/// Somebody who is not root and may run a server: user and group.
fn somebody_else() -> io::Result<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd")?;
    let find = |wanted: &str| {
        let mut fields =
            users.lines().map(|line| line.split(':')).find(|line| line.clone().next() == Some(wanted))?;
        Some((fields.nth(2)?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    find("postgres").or_else(|| find("nobody")).ok_or_else(|| io::Error::other("no user to run it as"))
}

fn done(output: Output) -> io::Result<()> {
    match output.status.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "{}\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ))),
    }
}
