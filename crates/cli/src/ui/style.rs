//! The colours, by what they mean. Everything reads without them.

use anstyle::{AnsiColor, Color, Effects, Style};
use preface_core::{diagnostic::Severity, diff::Change, scope::Scope, variable::Stability};

const fn colour(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

/// Names and headings.
pub const BOLD: Style = Style::new().effects(Effects::BOLD);
/// Frames and secondary text.
pub const DIM: Style = Style::new().effects(Effects::DIMMED);
/// Advice.
pub const ACCENT: Style = colour(AnsiColor::Cyan);
/// Good or new values.
pub const GOOD: Style = colour(AnsiColor::Green);
/// Warnings.
pub const CARE: Style = colour(AnsiColor::Yellow);
/// Errors and removed values.
pub const BAD: Style = colour(AnsiColor::Red);

/// Returns the style of a severity's word.
pub fn severity(severity: Severity) -> Style {
    match severity {
        Severity::Error => BAD.effects(Effects::BOLD),
        Severity::Warning => CARE.effects(Effects::BOLD),
        Severity::Info => ACCENT.effects(Effects::BOLD),
    }
}

/// Returns the style of a stability's word.
pub fn stability(stability: Stability) -> Style {
    match stability {
        Stability::Static => Style::new(),
        Stability::Conversation => ACCENT,
        Stability::Turn => CARE,
    }
}

/// Returns the style of a layer's word.
pub fn scope(scope: Scope) -> Style {
    match scope {
        Scope::Bundled => DIM,
        Scope::Global => colour(AnsiColor::BrightBlue),
        Scope::Project => CARE,
    }
}

/// Returns the style of a change's word.
pub fn change(change: Change) -> Style {
    match change {
        Change::Same => DIM,
        Change::Added => GOOD,
        Change::Removed => BAD,
        Change::Changed | Change::Moved => CARE,
    }
}

/// The styles of the help that clap prints.
pub const HELP: clap::builder::Styles = clap::builder::Styles::styled()
    .header(BOLD)
    .usage(BOLD)
    .literal(ACCENT)
    .placeholder(Style::new())
    .valid(GOOD)
    .invalid(CARE);
