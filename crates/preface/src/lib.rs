//! Builds system prompts for LLM agents and explains every byte of them.
//!
//! Given a directory, `preface` collects what a model should be given for work in it: a base prompt, the instructions of the
//! project, skills, tools, the state of the repository. The result is a text in which each byte has an origin, cut to a budget,
//! arranged for the caches of the services, and without text of strangers that the user did not trust.
//!
//! ```no_run
//! let prompt = preface::Preface::new().prompt(".").build()?;
//! println!("{prompt}");
//! for diagnostic in prompt.diagnostics() {
//!     eprintln!("{diagnostic}");
//! }
//! # Ok::<(), preface::Error>(())
//! ```
//!
//! The command `preface build` prints the same bytes: same names, same settings, same trust records.
//!
//! # Choose
//!
//! [`Preface::prompt`] returns a [`PromptBuilder`]. What it does not set comes from the user's settings, else from the preset.
//!
//! ```
//! # let dir = tempfile::tempdir()?;
//! # let (home, project) = (dir.path().join("home"), dir.path().join("project"));
//! # std::fs::create_dir_all(&home)?; std::fs::create_dir_all(&project)?;
//! use preface::{Preface, Tool, Trust};
//! use serde_json::json;
//!
//! // Settings and trust records below `home`, no environment variables.
//! let preface = Preface::with_home(&home);
//! let deploy = Tool::new("deploy")
//!     .description("Deploys a branch to the staging system.")
//!     .input_schema(json!({"type": "object", "properties": {"branch": {"type": "string"}}}));
//! let prompt = preface
//!     .prompt(&project)
//!     .model("claude-opus-5-5")
//!     .tools([Tool::new("read"), deploy])
//!     .variable("app:name", "Tea")
//!     .setting("sections.environment.disable", true)
//!     .trust(Trust::Recorded)
//!     .budget(8_000)
//!     .build()?;
//! assert!(prompt.text().contains("Deploys a branch"));
//! assert!(prompt.tokens() <= 8_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Explain
//!
//! A [`Prompt`] has its parts with the origin of each byte, and what is not in it.
//!
//! ```
//! # let dir = tempfile::tempdir()?;
//! # let (home, project) = (dir.path().join("home"), dir.path().join("project"));
//! # std::fs::create_dir_all(&home)?; std::fs::create_dir_all(&project)?;
//! # let preface = preface::Preface::with_home(&home);
//! use preface::{Scope, Trust};
//!
//! std::fs::write(project.join("AGENTS.md"), "Run `just test`.")?;
//! let prompt = preface.prompt(&project).trust(Trust::Once).build()?;
//! let from_project: Vec<String> = prompt
//!     .spans()
//!     .filter(|(_, origin)| origin.scope() == Some(Scope::Project))
//!     .map(|(range, origin)| format!("{origin}: {}", &prompt.text()[range]))
//!     .collect();
//! assert_eq!(from_project, ["AGENTS.md: Run `just test`."]);
//!
//! // Without trust the text is left out, and a diagnostic reports it.
//! let prompt = preface.prompt(&project).build()?;
//! assert!(!prompt.text().contains("just test"));
//! assert!(prompt.diagnostics().iter().any(|diagnostic| diagnostic.code.as_str() == "trust/untrusted"));
//! assert!(prompt.absent().iter().any(|absent| absent.section.as_str() == "project-context"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Send
//!
//! [`Prompt::request`] returns the JSON of a service with cache marks, messages and tools; [`Prompt::blocks`] is for a program
//! that places them by itself.
//!
//! ```
//! # let dir = tempfile::tempdir()?;
//! # let preface = preface::Preface::with_home(dir.path());
//! use preface::{Format, Stability};
//! use serde_json::json;
//!
//! let prompt = preface.prompt(dir.path()).model("claude-opus-5-5").build()?;
//! let history = json!([{"role": "user", "content": "Fix the tests."}]);
//! let request = prompt.request(Format::Anthropic).messages(&history).build()?;
//! assert!(request.body().contains("Fix the tests."));
//!
//! let blocks = prompt.blocks();
//! assert_eq!(blocks[0].stability, Stability::Static);
//! assert_eq!(&prompt.text()[blocks[0].range.clone()], prompt.static_prefix());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Converse
//!
//! A prompt that is built anew for each request breaks the cache of the service as soon as a date or a file changes. A
//! [`Conversation`] builds it once, stores it where there is a store, and adds reminders for what happened in between. Each request
//! extends the one before, and [`Request::extends`] reports whether it does. [Hooks](Conversation::on) of the program may change the
//! prompt of a run, and its [tools](Conversation::set_active_tools) may change.
//!
//! ```
//! # let dir = tempfile::tempdir()?;
//! # let preface = preface::Preface::with_home(dir.path());
//! # #[cfg(feature = "store-sqlite")] {
//! use preface::{Format, Store};
//! use serde_json::json;
//!
//! let store = Store::memory()?;
//! let mut chat = preface
//!     .prompt(dir.path())
//!     .preset("claude-code")
//!     .model("claude-opus-5-5")
//!     .conversation(&store, "7f3a")?;
//! chat.remind(json!({"type": "todo-list-empty"}))?;
//! let history = json!([{"role": "user", "content": "Fix the tests."}]);
//! let request = chat.request(Format::Anthropic).messages(&history).build()?;
//! assert_eq!(request.number(), Some(1));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Replay
//!
//! [`Prompt::snapshot`] is everything that a prompt was built from. [`Prompt::from_snapshot`] gives the same bytes on another
//! machine, later.
//!
//! # Features
//!
//! All features are off by default. The command `preface` has all of them.
//!
//! | feature | what it adds | more crates |
//! | --- | --- | ---: |
//! | `exact-counts` | the counters `o200k` and `cl100k`, exact for OpenAI's models | 5 |
//! | `mcp` | queries MCP servers; recordings can be read without it | 95 |
//! | `schema` | checks the `config` of an extension against its JSON Schema; without it such an extension is left out | 42 |
//! | `store-postgres` | `Store::postgres`: conversations on a PostgreSQL server | 63 |
//! | `store-sqlite` | `Store::sqlite` and `Store::memory`: conversations in a SQLite file, or in memory | 7 |

mod builder;
mod conversation;
mod error;
mod machine;
mod prompt;
mod request;
mod stored_template;

pub use builder::{PromptBuilder, Trust};
pub use conversation::{Conversation, Store};
pub use error::{Error, ErrorKind};
pub use machine::Preface;
pub use preface_core::{
    declaration::VariableValue,
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    format::RequestUsage,
    hook::{HookCall, HookEvent, HookFailure, HookFn, HookHandler, HookReply},
    origin::{Origin, Span},
    pipeline::draft::{Absent, AbsentReason},
    prompt::{Part, PromptBlock},
    scope::Scope,
    turn::Tool,
    variable::Stability,
};
pub use prompt::Prompt;
pub use request::{Format, Request, RequestBuilder};
