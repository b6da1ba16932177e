//! Code shared by the tests of preface: the case runner, the machine that cases run on, inputs for comparing presets
//! with the programs whose prompts they rebuild, scenarios of hooks, and the suite of tests for each backend of the store.
//!
//! A case is a Markdown file with input files, a request, and the expected output. `cases/README.md`
//! describes the form; [`case::run_file`] runs one. `docs/design/peers.md` describes the comparisons; [`peers`] makes
//! their inputs.

#[cfg(feature = "cases")]
pub mod case;
pub mod contract;
#[cfg(feature = "cases")]
pub mod peers;
#[cfg(feature = "cases")]
pub mod scenario;

#[cfg(feature = "cases")]
pub use preface_engine::host::system::testing::MemorySystem;

/// Reviews and grants, as `preface trust grant` does where nobody is asked.
///
/// # Errors
/// See [`Engine::review`](preface_engine::Engine::review) and [`Engine::grant`](preface_engine::Engine::grant).
#[cfg(feature = "cases")]
pub fn grant(
    engine: &preface_engine::Engine<'_>,
    request: &preface_engine::BuildOptions,
    paths: &[std::path::PathBuf],
    hidden: preface_engine::coverage::HiddenText,
) -> Result<preface_engine::grant::GrantReport, preface_engine::Error> {
    engine.grant(request, &engine.review(request, paths)?, paths, hidden)
}
