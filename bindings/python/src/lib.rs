//! The extension module `preface._preface`: the library `preface` for the Python package on top of it, in `python/preface`.
//!
//! What a caller chooses and what a prompt consists of cross the border as JSON, once; directories and the text cross as they are. The
//! interpreter is released while a prompt is built. A panic is a bug of preface: it becomes an `InternalError` and does not end
//! the process.

use ::preface::{Error, ErrorKind, Format, RequestUsage, Tool, Trust};
use preface_bindings::RequestOptions;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{
    hint::black_box,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    time::Instant,
};

/// The machine on which prompts are built.
#[pyclass(frozen)]
struct Engine(::preface::Preface);

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (home))]
    fn new(home: Option<PathBuf>) -> Self {
        Engine(home.map_or_else(::preface::Preface::new, ::preface::Preface::with_home))
    }

    fn presets(&self) -> Vec<String> {
        self.0.presets()
    }

    fn build(&self, py: Python<'_>, directory: PathBuf, options: &str) -> PyResult<Prompt> {
        let builder = self.builder(py, directory, options)?;
        contained(py, || Ok(Prompt(builder.build()?)))
    }

    #[pyo3(signature = (store, id, directory, options))]
    fn conversation(
        &self,
        py: Python<'_>,
        store: Option<&Store>,
        id: &str,
        directory: PathBuf,
        options: &str,
    ) -> PyResult<Conversation> {
        let builder = self.builder(py, directory, options)?;
        let store = store.map(|store| &store.0);
        contained(py, || Ok(Conversation(Mutex::new(builder.conversation(store, id)?))))
    }

    /// Builds so many times and returns the seconds of one build, to be compared with those from Python.
    fn measure(&self, py: Python<'_>, directory: PathBuf, count: u32) -> PyResult<f64> {
        contained(py, || {
            let began = Instant::now();
            for _ in 0..count {
                let prompt = self.0.prompt(&directory).trust(Trust::Once).build()?;
                black_box(prompt.text().to_owned());
            }
            Ok(began.elapsed().as_secs_f64() / f64::from(count))
        })
    }
}

impl Engine {
    fn builder(
        &self,
        py: Python<'_>,
        directory: PathBuf,
        options: &str,
    ) -> PyResult<::preface::PromptBuilder> {
        let options: Value = read(py, options)?;
        contained(py, || Ok(self.0.prompt(directory).options(options)))
    }
}

/// A finished prompt.
#[pyclass(frozen)]
struct Prompt(::preface::Prompt);

#[pymethods]
impl Prompt {
    #[staticmethod]
    fn from_snapshot(py: Python<'_>, json: &[u8]) -> PyResult<Prompt> {
        contained(py, || Ok(Prompt(::preface::Prompt::from_snapshot(json)?)))
    }

    fn text(&self) -> &str {
        self.0.text()
    }

    fn static_prefix(&self) -> &str {
        self.0.static_prefix()
    }

    fn blocks(&self) -> Vec<(&str, &'static str)> {
        self.0
            .blocks()
            .into_iter()
            .map(|block| (&self.0.text()[block.range], block.stability.as_str()))
            .collect()
    }

    fn json(&self, py: Python<'_>) -> PyResult<String> {
        contained(py, || self.0.to_json())
    }

    fn snapshot(&self, py: Python<'_>) -> PyResult<String> {
        contained(py, || self.0.snapshot())
    }

    /// Returns the body, and the diagnostics as JSON.
    fn request(&self, py: Python<'_>, format: &str, options: &str) -> PyResult<(String, String)> {
        let options: RequestOptions = read(py, options)?;
        contained(py, || {
            let request = options.apply(self.0.request(format.parse::<Format>()?)).build()?;
            Ok((request.body().to_owned(), preface_bindings::diagnostics(request.diagnostics()).to_string()))
        })
    }
}

/// Where prompts and requests of conversations are stored.
#[pyclass(frozen)]
struct Store(::preface::Store);

#[pymethods]
impl Store {
    #[staticmethod]
    fn memory(py: Python<'_>) -> PyResult<Store> {
        contained(py, || Ok(Store(::preface::Store::memory()?)))
    }

    #[staticmethod]
    fn sqlite(py: Python<'_>, file: PathBuf) -> PyResult<Store> {
        contained(py, || Ok(Store(::preface::Store::sqlite(file)?)))
    }
}

/// A conversation. Calls from several threads wait for each other.
#[pyclass(frozen)]
struct Conversation(Mutex<::preface::Conversation>);

#[pymethods]
impl Conversation {
    /// Returns id, text, whether it is new, and the diagnostics as JSON.
    fn state(&self, py: Python<'_>) -> PyResult<(String, String, bool, String)> {
        self.locked(py, |chat| {
            let diagnostics = preface_bindings::diagnostics(chat.diagnostics()).to_string();
            Ok((chat.id().to_owned(), chat.text().to_owned(), chat.is_new(), diagnostics))
        })
    }

    fn remind(&self, py: Python<'_>, event: &str) -> PyResult<()> {
        let event: Value = read(py, event)?;
        self.locked(py, |chat| chat.remind(event))
    }

    /// Adds a hook. The function takes the JSON of a call and returns that of an answer.
    fn on(&self, py: Python<'_>, event: &str, name: String, function: Py<PyAny>) -> PyResult<()> {
        let call = move |asked: String| {
            Python::attach(|py| function.call1(py, (asked,))?.extract::<String>(py))
                .map_err(|error| error.to_string())
        };
        let Some(hook) = preface_bindings::hook(event, name, call) else {
            let message = format!("unknown event: `{event}`");
            let help = "events are resources_discover, input, before_agent_start, context";
            return Err(exception(py, "UsageError", "cli/usage", &message, Some(help), None));
        };
        self.locked(py, |chat| {
            chat.on(hook);
            Ok(())
        })
    }

    /// Returns the history as JSON, or nothing where a hook handled the message.
    fn submit(&self, py: Python<'_>, text: &str, messages: &str) -> PyResult<Option<String>> {
        let messages: Value = read(py, messages)?;
        self.locked(py, |chat| Ok(chat.submit(text, &messages)?.map(|history| history.to_string())))
    }

    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.locked(py, |chat| {
            chat.finish();
            Ok(())
        })
    }

    fn tools(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.locked(py, |chat| Ok(chat.tools().iter().map(|tool| tool.name.clone()).collect()))
    }

    fn set_active_tools(&self, py: Python<'_>, names: Vec<String>) -> PyResult<()> {
        self.locked(py, |chat| chat.set_active_tools(names))
    }

    fn register_tool(&self, py: Python<'_>, tool: &str) -> PyResult<()> {
        let tool: Tool = read(py, tool)?;
        self.locked(py, |chat| chat.register_tool(tool))
    }

    fn reload(&self, py: Python<'_>) -> PyResult<bool> {
        self.locked(py, ::preface::Conversation::reload)
    }

    /// Returns the body, the diagnostics as JSON, the number, and whether it extends the request before.
    fn request(
        &self,
        py: Python<'_>,
        format: &str,
        options: &str,
    ) -> PyResult<(String, String, Option<u64>, Option<bool>)> {
        let options: RequestOptions = read(py, options)?;
        self.locked(py, |chat| {
            let request = options.apply(chat.request(format.parse::<Format>()?)).build()?;
            let diagnostics = preface_bindings::diagnostics(request.diagnostics()).to_string();
            Ok((request.body().to_owned(), diagnostics, request.number(), request.extends()))
        })
    }

    fn compact(&self, py: Python<'_>) -> PyResult<String> {
        self.locked(py, ::preface::Conversation::compact)
    }

    fn refresh(&self, py: Python<'_>) -> PyResult<bool> {
        self.locked(py, ::preface::Conversation::refresh)
    }

    fn record_usage(
        &self,
        py: Python<'_>,
        number: u64,
        input_tokens: u64,
        cache_read_tokens: u64,
        cache_write_tokens: u64,
        output_tokens: u64,
    ) -> PyResult<()> {
        let usage = RequestUsage { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens };
        self.locked(py, |chat| chat.record_usage(number, usage))
    }
}

impl Conversation {
    fn locked<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut ::preface::Conversation) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        // What a call that panicked left behind is in the store, whole or not at all.
        contained(py, || work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Panics, for the test of what becomes of a panic.
#[pyfunction]
fn panic(py: Python<'_>) -> PyResult<()> {
    contained(py, || panic!("on purpose"))
}

#[pymodule]
fn _preface(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Engine>()?;
    module.add_class::<Prompt>()?;
    module.add_class::<Store>()?;
    module.add_class::<Conversation>()?;
    module.add_function(wrap_pyfunction!(panic, module)?)
}

/// Reads what the Python package wrote.
fn read<T: DeserializeOwned>(py: Python<'_>, json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| {
        let message = format!("an argument is not valid: {error}");
        exception(py, "UsageError", "cli/usage", &message, None, None)
    })
}

/// Runs without the interpreter, so that other threads of Python go on, and turns an error or a panic into an exception.
fn contained<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
    match py.detach(|| preface_bindings::contained(work)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(of_error(py, &error)),
        Err(words) => {
            let help = "please report this bug, with the snapshot or the directory";
            Err(exception(
                py,
                "InternalError",
                "internal",
                &format!("internal error: {words}"),
                Some(help),
                None,
            ))
        }
    }
}

fn of_error(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error.kind() {
        ErrorKind::Usage => "UsageError",
        ErrorKind::Untrusted => "UntrustedError",
        ErrorKind::TooLarge => "TooLargeError",
        _ => "PrefaceError",
    };
    let message = error.to_string();
    let location = error.place().map(|at| (at.path.as_str(), at.line, at.column));
    exception(py, class, error.code(), &message, error.help(), location)
}

/// Makes an exception of `preface._errors`.
fn exception(
    py: Python<'_>,
    class: &str,
    code: &str,
    message: &str,
    help: Option<&str>,
    location: Option<(&str, Option<usize>, Option<usize>)>,
) -> PyErr {
    let made = py.import("preface._errors").and_then(|errors| {
        let location = location.map(|at| errors.getattr("Location")?.call1(at)).transpose()?;
        errors.getattr(class)?.call1((code, message, help, location))
    });
    made.map_or_else(|error| error, PyErr::from_value)
}
