//! Variables of the git repository around the cwd.

use super::{
    VariableProvider,
    git::{self, GitError, Repository},
};
use crate::provider::context::{DENIED, DENIED_HELP, HARD_LINK_HELP, ProviderContext, above_roots};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Remedy, Severity},
    lint::hidden::escape_hidden,
    variable::{RecordedVariable, Stability, VariableKey},
};

/// The provider of `git:`.
pub const GIT_VARIABLES: VariableProvider = VariableProvider { kinds: &["git"], resolve };

fn resolve(key: &VariableKey, context: &ProviderContext<'_>) -> RecordedVariable {
    if !matches!(key.name(), "branch" | "status") {
        return RecordedVariable::absent("no such name");
    }
    let repository = match Repository::holding(context.system, &context.places.cwd) {
        Ok(repository) if !repository.inside_git_dir() => repository,
        Err(problem @ GitError::Owner(_)) => return absent(key, &problem),
        _ => {
            let mut variable = RecordedVariable::absent("not a git repository");
            // git has no status there, either, but a branch.
            if key.name() == "branch"
                && let Some(dir) = git::git_dir_around(context.system, &context.places.cwd)
            {
                let dir = git::shown_path(&dir);
                let what = format!("`{key}` is absent: `{dir}` is a git directory, not a work tree");
                let help = Remedy::give("use a work tree, or ", key.as_str());
                variable.diagnostics.push(Diagnostic::info(DiagnosticCode::GitNoWorkTree, what).help(help));
            }
            return variable;
        }
    };
    if let Err(problem) = repository.check_links(context.system, context.bounds.hard_links) {
        return absent(key, &problem);
    }
    if key.name() == "branch" {
        return branch(key, &repository, context);
    }
    if !context.gate.allows_repository_text() {
        return untrusted(key, context);
    }
    // It names files of the whole work tree, and a `.git` may name any repository.
    if context.is_repository_above_roots() || !context.in_roots(&repository.git_dir) {
        let mut variable = RecordedVariable::absent("the repository begins above the roots");
        variable
            .diagnostics
            .push(above_roots(format!("`{key}` is absent: the repository begins above the roots")));
        return variable;
    }
    match git::status(context.system, &repository) {
        Ok(status) => RecordedVariable::of(status, "the work tree", Stability::Turn),
        Err(problem) => absent(key, &problem),
    }
}

/// Resolves `git:branch` in a work tree.
fn branch(key: &VariableKey, repository: &Repository, context: &ProviderContext<'_>) -> RecordedVariable {
    match repository.branch(context.system) {
        // A grant would not help: git prints no name, either.
        Ok(None) => {
            let mut variable = RecordedVariable::absent("the branch has no commit yet");
            let what = format!("`{key}` is absent: the branch has no commit yet");
            let help = Remedy::give("make a commit, or ", key.as_str());
            variable.diagnostics.push(Diagnostic::info(DiagnosticCode::GitNoCommit, what).help(help));
            variable
        }
        _ if !context.gate.allows_repository_text() => untrusted(key, context),
        Ok(Some(name)) if !context.gate.includes_branch(&name) => {
            let mut variable = RecordedVariable::absent("the branch is not part of the grant");
            let name = escape_hidden(&name);
            let what = format!("`{key}` is absent: the branch name `{name}` is not part of the grant");
            let diagnostic = Diagnostic::warning(DiagnosticCode::TrustBranch, what);
            variable.diagnostics.push(diagnostic.help(Remedy::grant("look at the name, then trust it")));
            variable
        }
        Ok(Some(name)) => {
            RecordedVariable::of(name, context.places.shown(&repository.head_path()), Stability::Conversation)
        }
        Err(problem) => absent(key, &problem),
    }
}

/// Returns a variable of a repository that is not trusted.
fn untrusted(key: &VariableKey, context: &ProviderContext<'_>) -> RecordedVariable {
    let mut variable = RecordedVariable::absent("the project is not trusted");
    let (why, help) = match context.gate.denies() {
        true => (DENIED, DENIED_HELP.into()),
        false => ("it is text of a repository that you have not trusted", Remedy::grant("trust the project")),
    };
    let what = format!("`{key}`");
    let diagnostic = Diagnostic::left_out(Severity::Info, DiagnosticCode::TrustUntrusted, what, why);
    variable.diagnostics.push(diagnostic.help(help));
    variable
}

fn absent(key: &VariableKey, problem: &GitError) -> RecordedVariable {
    let mut variable = RecordedVariable::absent(problem.to_string());
    let give = |words: &str| Remedy::give(words, key.as_str());
    let help = match problem {
        GitError::NoRepository => return variable,
        GitError::Owner(_) => "work in the root of the repository, or change its owner".into(),
        GitError::HardLink { .. } => HARD_LINK_HELP.into(),
        GitError::Unsupported(_) => give(""),
        GitError::Program(_) | GitError::Old => give("install git 2.45 or later outside of the project, or "),
        GitError::Broken(_) => give("`git fsck` finds what git cannot read, either; or "),
    };
    let what = format!("`{key}` is absent: {problem}");
    variable.diagnostics.push(Diagnostic::warning(problem.code(), what).help(help));
    variable
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::RunError;

    #[test]
    fn each_reason_comes_with_a_remedy() {
        let what = || "what".to_owned();
        for (problem, code, remedy) in [
            (GitError::Unsupported(what()), "git/unsupported", "give `git:status` a value"),
            (GitError::Program(RunError::Other(what())), "git/unsupported", "install git"),
            (GitError::Old, "git/unsupported", "2.45"),
            (GitError::Broken(what()), "git/broken", "`git fsck`"),
            (GitError::Owner("/p/.git".into()), "git/owner", "change its owner"),
            (GitError::HardLink { path: "/p/.git/HEAD".into(), links: 2 }, "file/link", "`trust.hardLinks`"),
        ] {
            let variable = absent(&"git:status".parse().expect("a key"), &problem);
            let [diagnostic] = &variable.diagnostics[..] else {
                panic!("{problem:?}: {:?}", variable.diagnostics)
            };
            assert_eq!(diagnostic.code.as_str(), code);
            assert!(
                diagnostic.help.as_deref().is_some_and(|help| help.contains(remedy)),
                "{code}: {diagnostic:?}"
            );
        }
        let nowhere = absent(&"git:branch".parse().expect("a key"), &GitError::NoRepository);
        assert!(nowhere.diagnostics.is_empty());
    }
}
