//! Hooks that are programs: one is started for each event, reads the event from stdin and prints a reply.
//!
//! A program gets what every program of preface gets: no shell, a few variables, a deadline, a limit on what it may print.
//! It need not read the event.

use crate::{
    extensions::manifest_path,
    provider::{
        context::ProviderContext,
        extension::{granted, launch_argv, project_root},
    },
    system::{RunError, RunRequest, RunStatus, System, skipped_programs},
    trust::CheckedCommand,
};
use preface_core::{
    diagnostic::{Diagnostic, Diagnostics, Place},
    extension::{Ability, Category, ExtensionEntry, HookRole, Scopes},
    hook::{HookCall, HookEvent, HookFailure, HookReply, HookSource},
};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// The most bytes that a hook may print.
pub const OUTPUT_LIMIT: usize = 1 << 20;

/// A program that is run at one event.
///
/// ```
/// use preface_core::hook::{HookCall, HookEvent};
/// use preface_host::{hook_command::HookCommand, system::testing::{FakeRun, MemorySystem}};
/// use std::path::Path;
///
/// let machine = MemorySystem::new().with_command(["tone"], FakeRun::printing(r#"{"system_prompt": "Be brief."}"#));
/// let hook = HookCommand::new("tone", HookEvent::BeforeAgentStart, ["tone"], Path::new("/work"));
/// let mut messages = Vec::new();
/// let mut diagnostics = Vec::new();
/// let reply = hook.call(&machine, &HookCall::new(hook.event, "/work", &mut messages), &mut diagnostics)?;
/// assert_eq!(reply.system_prompt.as_deref(), Some("Be brief."));
/// # Ok::<(), preface_core::hook::HookFailure>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookCommand {
    /// The name.
    pub name: String,
    /// The event that it is run for.
    pub event: HookEvent,
    /// The role.
    pub role: HookRole,
    /// The program, an absolute path or a bare name, and its arguments.
    pub argv: Vec<String>,
    /// The time limit.
    pub timeout: Duration,
    /// The working directory.
    pub cwd: PathBuf,
    /// The directory that a bare name is never found in.
    pub not_below: PathBuf,
    /// The manifest, if there is one.
    pub place: Option<Place>,
    /// A project's command as it was checked; it is compared once more before it starts.
    pub checked: Option<CheckedCommand>,
    /// True if it may run. What a project brings is compared with its grant each time extensions are resolved, so
    /// whoever keeps hooks for longer makes them again before they are used.
    pub granted: bool,
}

impl HookCommand {
    /// Builds a hook of the caller's own, which has five seconds and may change what its event allows.
    pub fn new(
        name: impl Into<String>,
        event: HookEvent,
        argv: impl IntoIterator<Item = impl Into<String>>,
        cwd: &Path,
    ) -> Self {
        HookCommand {
            name: name.into(),
            event,
            role: HookRole::default(),
            argv: argv.into_iter().map(Into::into).collect(),
            timeout: Duration::from_secs(5),
            cwd: cwd.to_owned(),
            not_below: cwd.to_owned(),
            place: None,
            checked: None,
            granted: true,
        }
    }

    /// Builds the hook of an entry. Returns `None` if it is inactive or incomplete, or in a slot that preface
    /// never calls. `not_below` is the directory that a bare name is never found in, `checked` the command of a project that is
    /// granted.
    fn of(
        not_below: &Path,
        entry: &ExtensionEntry,
        manifest: Option<&Path>,
        checked: Option<&CheckedCommand>,
        cwd: &Path,
    ) -> Option<Self> {
        let Some(Ability::Hook(hook)) = entry.value.ability.as_ref().filter(|_| entry.active) else {
            return None;
        };
        let program = hook.program.as_ref()?;
        let argv = launch_argv(program, manifest.and_then(Path::parent));
        Some(HookCommand {
            role: hook.role,
            timeout: Duration::from_millis(program.timeout_ms),
            not_below: not_below.to_owned(),
            place: Some(Place::file(Some(entry.origin.scope), entry.origin.path.clone())),
            granted: entry.runnable && (checked.is_some() || !entry.needs_grant()),
            checked: checked.cloned(),
            ..HookCommand::new(&entry.name, HookEvent::recorded_by(hook)?, argv, cwd)
        })
    }

    /// Names it for diagnostics and origins.
    #[must_use]
    pub fn source(&self) -> HookSource<'_> {
        HookSource { name: &self.name, place: self.place.as_ref() }
    }

    /// Starts the program, sends it the event, and reads its reply. Diagnostics are about the reply and do not fail it.
    ///
    /// # Errors
    /// Returns the reason why there is no reply; nothing was changed then.
    pub fn call(
        &self,
        system: &dyn System,
        ask: &HookCall<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<HookReply, HookFailure> {
        if !self.granted {
            return Err(HookFailure::NotGranted);
        }
        let argv = match &self.checked {
            Some(command) => {
                command.argv(system).map_err(|error| HookFailure::NotStarted { why: error.to_string() })?
            }
            None => self.argv.clone(),
        };
        let mut run = RunRequest::new(argv, &self.cwd).about(Path::new(ask.cwd));
        run.stdin = ask.to_json().into_bytes();
        run.stdin.push(b'\n');
        run.timeout = self.timeout;
        run.output_limit = OUTPUT_LIMIT;
        run.not_below = Some(self.not_below.clone());
        let ran = system.run(&run).map_err(|error| failure(&error))?;
        let skipped = skipped_programs(&format!("hook `{}`", self.name), &ran.skipped);
        diagnostics.extend(skipped.into_iter().map(|diagnostic| self.placed(diagnostic)));
        if !ran.status.success() {
            return Err(ended_failure(ran.status, &ran.stderr));
        }
        let (mut reply, more) = HookReply::read(&self.name, ask.event, &ran.stdout)?;
        let observed = reply.confine_role(&self.name, self.role);
        diagnostics.extend(more.into_iter().chain(observed).map(|diagnostic| self.placed(diagnostic)));
        Ok(reply)
    }

    fn placed(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.place.clone_from(&self.place);
        diagnostic
    }
}

/// Returns the hooks of all layers, slot by slot in the order in which they run.
#[must_use]
pub fn hook_commands(scopes: &Scopes, context: &ProviderContext<'_>) -> Vec<HookCommand> {
    let mut entries: Vec<&ExtensionEntry> = scopes.of(Category::Hooks).filter(|entry| entry.active).collect();
    entries.sort_by_key(|entry| (entry.slot, entry.order));
    if entries.is_empty() {
        return Vec::new();
    }
    // The work tree is looked up once, however many hooks there are.
    let project = project_root(context.system, &context.places.cwd);
    let hook = |entry: &ExtensionEntry| {
        let manifest = manifest_path(entry, context);
        let cwd = context.start_dir(entry.needs_grant())?;
        HookCommand::of(&project, entry, manifest.as_deref(), granted(entry, context), cwd)
    };
    entries.into_iter().filter_map(hook).collect()
}

fn failure(error: &RunError) -> HookFailure {
    match error {
        RunError::TimedOut { after } => {
            HookFailure::Late { timeout_ms: u64::try_from(after.as_millis()).unwrap_or(u64::MAX) }
        }
        RunError::TooMuch { limit } => HookFailure::TooMuch { limit: *limit },
        other => HookFailure::NotStarted { why: other.to_string() },
    }
}

fn ended_failure(status: RunStatus, stderr: &[u8]) -> HookFailure {
    let words = String::from_utf8_lossy(stderr);
    let output = words.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    HookFailure::Ended { status: status.to_string(), output }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::testing::{FakeRun, MemorySystem};
    use preface_core::{
        extension::{DiscoveredContent, DiscoveredManifest, NoGrants, SchemaChecker, SchemaFault, resolve},
        scope::Scope,
        settings::MergedSettings,
    };
    use serde_json::{Value, json};

    type HookTestResult = (Result<HookReply, HookFailure>, Vec<String>, MemorySystem);

    fn run_hook(fake: FakeRun, change: impl FnOnce(&mut HookCommand)) -> HookTestResult {
        let machine = MemorySystem::new().with_dir("/work/api").with_command(["tone", "-x"], fake);
        let mut hook =
            HookCommand::new("tone", HookEvent::BeforeAgentStart, ["tone", "-x"], Path::new("/work/api"));
        hook.place = Some(Place::file(Some(Scope::Global), "~/manifest.json"));
        change(&mut hook);
        let mut messages = vec![json!({"role": "user"})];
        let mut ask = HookCall::new(hook.event, "/work/api", &mut messages);
        ask.prompt = Some("hi");
        let mut diagnostics = Vec::new();
        let reply = hook.call(&machine, &ask, &mut diagnostics);
        assert!(diagnostics.iter().all(|diagnostic| diagnostic.place == hook.place), "{diagnostics:?}");
        (reply, diagnostics.into_iter().map(|diagnostic| diagnostic.code.to_string()).collect(), machine)
    }

    fn text(text: &str) -> HookReply {
        HookReply { system_prompt: Some(text.to_owned()), ..HookReply::default() }
    }

    #[test]
    fn a_program_reads_one_line_and_is_held_to_its_limits() {
        let (reply, diagnostics, machine) = run_hook(FakeRun::printing(r#"{"system_prompt":"x"}"#), |hook| {
            hook.not_below = "/work".into();
            hook.timeout = Duration::from_millis(200);
        });
        assert_eq!((reply, diagnostics), (Ok(text("x")), vec![]));
        let runs = machine.runs();
        let [run] = runs.as_slice() else { panic!("it runs once: {runs:?}") };
        assert_eq!(
            String::from_utf8_lossy(&run.stdin),
            "{\"event\":\"before_agent_start\",\"prompt\":\"hi\",\"system_prompt\":null,\
             \"messages\":[{\"role\":\"user\"}],\"tools\":[],\"inputs\":null,\"cwd\":\"/work/api\"}\n"
        );
        assert_eq!((run.timeout, run.output_limit), (Duration::from_millis(200), 1 << 20));
        assert_eq!(
            (run.cwd.as_path(), run.not_below.as_deref()),
            (Path::new("/work/api"), Some(Path::new("/work")))
        );
        assert_eq!(run.env, [("PREFACE_PROJECT_DIR".to_owned(), "/work/api".to_owned())]);
    }

    #[test]
    fn each_failure_is_reported() {
        let late = Duration::from_secs(5);
        for (fake, failure) in [
            (
                FakeRun::failing(7, "\n  no \nmore"),
                HookFailure::Ended { status: "exit code 7".into(), output: Some("no".into()) },
            ),
            (FakeRun::failing(1, ""), HookFailure::Ended { status: "exit code 1".into(), output: None }),
            (FakeRun::printing("").taking(late), HookFailure::Late { timeout_ms: 5000 }),
            (FakeRun::printing(vec![b' '; OUTPUT_LIMIT + 1]), HookFailure::TooMuch { limit: OUTPUT_LIMIT }),
            (
                FakeRun::refused(RunError::NotFound { program: "tone".into() }),
                HookFailure::NotStarted { why: "program not found: `tone`".into() },
            ),
            (
                FakeRun::printing("oops"),
                HookFailure::Reply { why: "expected value at line 1 column 1".into() },
            ),
            (
                FakeRun::printing("[]"),
                HookFailure::Reply {
                    why: "invalid type: sequence, expected a map at line 1 column 0".into(),
                },
            ),
        ] {
            let (reply, diagnostics, _) = run_hook(fake, |_| {});
            assert_eq!((reply, diagnostics), (Err(failure), vec![]));
        }
        let most = run_hook(FakeRun::printing(vec![b' '; OUTPUT_LIMIT]), |_| {});
        assert_eq!(most.0, Ok(HookReply::default()), "a mebibyte is not too much");
    }

    #[test]
    fn a_hook_without_a_grant_is_not_started() {
        let (reply, _, machine) = run_hook(FakeRun::printing(""), |hook| hook.granted = false);
        assert_eq!(reply, Err(HookFailure::NotGranted));
        assert_eq!(machine.runs(), []);
    }

    #[test]
    fn an_observer_only_looks() {
        let (reply, diagnostics, _) =
            run_hook(FakeRun::printing(r#"{"system_prompt":"x","nobody":1}"#), |hook| {
                hook.role = HookRole::Observer;
            });
        assert_eq!(reply, Ok(HookReply::default()));
        assert_eq!(diagnostics, ["key/unknown", "key/unknown"]);
    }

    #[derive(Debug)]
    struct EmptySchemas;

    impl SchemaChecker for EmptySchemas {
        fn check(&self, _schema: &Value, _config: &Value) -> Result<(), SchemaFault> {
            Ok(())
        }
    }

    fn of(scope: Scope, more: &str) -> Option<HookCommand> {
        let manifest = format!(
            r#"{{"id":"h","category":"hooks","contractVersion":"1.0.0","requiredCoreVersion":">=1.0.0",{more}}}"#
        );
        let found = DiscoveredManifest {
            scope,
            category: Category::Hooks,
            id: "h".into(),
            path: "x/manifest.json".into(),
            what: DiscoveredContent::Manifest(manifest.into_bytes()),
        };
        let scopes = resolve(vec![found], &MergedSettings::default(), &[], &EmptySchemas, &NoGrants);
        let entry = scopes.of(Category::Hooks).next().expect("it is listed").clone();
        let work = Path::new("/work");
        HookCommand::of(work, &entry, Some(Path::new("/global/x/manifest.json")), None, work)
    }

    #[test]
    fn an_entry_gives_command_event_and_timeout() {
        let hook = of(
            Scope::Global,
            r#""event":"context","command":["./h.sh","./a"],"timeoutMs":70,"role":"guard""#,
        );
        let hook = hook.expect("it is complete");
        assert_eq!(hook.argv, ["/global/x/h.sh", "./a"]);
        assert_eq!((hook.event, hook.role, hook.granted), (HookEvent::Context, HookRole::Guard, true));
        assert_eq!(hook.timeout, Duration::from_millis(70));
        assert_eq!(hook.source().place, Some(&Place::file(Some(Scope::Global), "x/manifest.json")));
        let usual =
            of(Scope::Project, r#""slot":"COMPOSE_REQUEST/pre","command":["h"]"#).expect("it is complete");
        assert_eq!((usual.event, usual.timeout), (HookEvent::BeforeAgentStart, Duration::from_secs(5)));
        assert!(!usual.granted, "a project's waits for a grant");
        assert_eq!(of(Scope::Global, r#""event":"context""#), None, "there is no program");
        assert_eq!(
            of(Scope::Global, r#""slot":"RENDER/pre","command":["h"]"#),
            None,
            "nothing happens there"
        );
    }
}
