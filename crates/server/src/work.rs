//! Blocking work on threads of its own.

use crate::{App, HandlerResult, Problem, SERVICE_PRESET, threads::ThreadSlots};
use axum::http::StatusCode;
use preface_engine::{BuildOptions, Engine, Error, conversation::directory_in_roots, host::places::normal};
use std::path::{Path, PathBuf};

impl App {
    /// Runs something short with an engine, away from the threads that serve requests.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Engine<'_>) -> Result<T, Error> + Send + 'static,
    ) -> HandlerResult<T> {
        self.work_at(&self.looking, work).await
    }

    /// The same in one of these places; it waits for one as long as the request may take.
    pub(crate) async fn work_at<T: Send + 'static>(
        &self,
        places: &ThreadSlots,
        work: impl FnOnce(&Engine<'_>) -> Result<T, Error> + Send + 'static,
    ) -> HandlerResult<T> {
        let system = self.system.clone();
        match places.run(move || work(&Engine::new(&*system))).await {
            Ok(done) => done.map_err(refused),
            Err(_) => Err(aborted()),
        }
    }

    /// Returns a request with the service's profile, in no conversation: in the first root, if any.
    pub(crate) fn request(&self) -> BuildOptions {
        let cwd = self.settings.roots.first().cloned().unwrap_or_else(|| PathBuf::from("/"));
        BuildOptions {
            preset: Some(self.settings.preset.clone()),
            roots: Some(self.settings.roots.clone()),
            trust: preface_engine::TrustChoice::Deny,
            home_trust: self.settings.home_trust,
            ..BuildOptions::in_dir(cwd)
        }
    }

    /// Returns the template that is used if nothing is stored.
    pub(crate) async fn default_template(&self) -> HandlerResult<String> {
        let request = self.request();
        // Where the service's profile takes no template, the one of the profile that does.
        let seeds = BuildOptions { preset: Some(SERVICE_PRESET.to_owned()), ..request.clone() };
        let text = self.work(move |engine| match engine.default_template(&request)? {
            None => engine.default_template(&seeds),
            found => Ok(found),
        });
        Ok(text.await?.unwrap_or_default())
    }

    /// Returns the directory without `.` and `..`. Refuses a path that is not below a root, whether it is there or not, and one
    /// in a root that is no directory.
    pub(crate) async fn below_a_root(&self, cwd: &str) -> HandlerResult<PathBuf> {
        if !Path::new(cwd).is_absolute() || cwd.contains('\0') || cwd.chars().count() > LONGEST {
            let detail = format!("not an absolute path: `{}`", shown(cwd));
            return Err(Problem::new(StatusCode::BAD_REQUEST, "cwd", detail)
                .help("use an absolute path, starting with `/`"));
        }
        // What is checked is what is used: behind a link, `..` would lead to another directory.
        let (path, roots) = (normal(Path::new("/"), Path::new(cwd)), self.settings.roots.clone());
        let found = self
            .work(move |engine| Ok(directory_in_roots(engine.system(), &roots, &path).map(|_| path)))
            .await?;
        Ok(found?)
    }
}

/// Returns the problem for work that ended without a result.
pub(crate) fn aborted() -> Problem {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "internal error; the log has details")
}

/// Returns the problem for an error of the engine.
pub(crate) fn refused(error: Error) -> Problem {
    match error {
        // The limit may be the one that the client asked for.
        Error::Usage(..) | Error::Over(_) => Problem {
            help: error.help().map(|help| help.words),
            ..Problem::new(StatusCode::BAD_REQUEST, "usage", error.to_string())
        },
        Error::Render(diagnostic) => template_refused(*diagnostic),
        Error::Profile(error) => Problem {
            help: error.help.map(|help| help.words),
            ..Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "preset", error.message)
        },
        other => Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "engine", other.to_string()),
    }
}

/// Returns the problem for an invalid template.
pub(crate) fn template_refused(diagnostic: preface_core::diagnostic::Diagnostic) -> Problem {
    let code = diagnostic.code.as_str().strip_prefix("template/").unwrap_or("template").to_owned();
    let problem =
        Problem::new(StatusCode::BAD_REQUEST, &format!("template-{code}"), diagnostic.message.clone());
    Problem { help: diagnostic.help.clone().map(|help| help.words), ..problem }.diagnostics(vec![diagnostic])
}

/// The most characters of a directory.
const LONGEST: usize = 4096;

/// Returns the beginning of a text of the request, for a message.
pub(crate) fn shown(text: &str) -> String {
    preface_core::lint::character::excerpt(text, 200)
}
