//! The assets of preface: tools, presets, section texts. Sorted by path; a test compares the list with the folder.

macro_rules! asset {
    ($path:literal) => {
        ($path, include_bytes!(concat!("../assets/", $path)))
    };
}

/// The embedded files of the bundled layer: path and bytes.
pub const ASSETS: &[(&str, &[u8])] = &[
    asset!("bundles/claude-code/agents/agent-creation-architect.md"),
    asset!("bundles/claude-code/agents/agent-summary.md"),
    asset!("bundles/claude-code/agents/claude-md-creation.md"),
    asset!("bundles/claude-code/agents/explore.md"),
    asset!("bundles/claude-code/agents/magic-docs-update.md"),
    asset!("bundles/claude-code/agents/plan.md"),
    asset!("bundles/claude-code/agents/pr-comments.md"),
    asset!("bundles/claude-code/agents/remember.md"),
    asset!("bundles/claude-code/agents/review-pr.md"),
    asset!("bundles/claude-code/agents/security-review.md"),
    asset!("bundles/claude-code/agents/sentiment-analysis.md"),
    asset!("bundles/claude-code/agents/session-memory-update.md"),
    asset!("bundles/claude-code/agents/session-search.md"),
    asset!("bundles/claude-code/agents/session-title.md"),
    asset!("bundles/claude-code/agents/status-line-setup.md"),
    asset!("bundles/claude-code/agents/task.md"),
    asset!("bundles/claude-code/agents/webfetch-summarizer.md"),
    asset!("bundles/claude-code/output-styles/concise.md"),
    asset!("bundles/claude-code/output-styles/explanatory.md"),
    asset!("bundles/claude-code/output-styles/learning.md"),
    asset!("bundles/claude-code/output-styles/proactive.md"),
    asset!("bundles/claude-code/reminders/agent-mention.md"),
    asset!("bundles/claude-code/reminders/compact-file-reference.md"),
    asset!("bundles/claude-code/reminders/cost-budget.md"),
    asset!("bundles/claude-code/reminders/delegate-mode-exited.md"),
    asset!("bundles/claude-code/reminders/delegate-mode.md"),
    asset!("bundles/claude-code/reminders/file-empty.md"),
    asset!("bundles/claude-code/reminders/file-modified.md"),
    asset!("bundles/claude-code/reminders/file-opened.md"),
    asset!("bundles/claude-code/reminders/file-shorter-than-offset.md"),
    asset!("bundles/claude-code/reminders/file-truncated.md"),
    asset!("bundles/claude-code/reminders/hook-blocking-error.md"),
    asset!("bundles/claude-code/reminders/hook-context.md"),
    asset!("bundles/claude-code/reminders/hook-prefix.md"),
    asset!("bundles/claude-code/reminders/hook-stopped.md"),
    asset!("bundles/claude-code/reminders/hook-success.md"),
    asset!("bundles/claude-code/reminders/invoked-skills.md"),
    asset!("bundles/claude-code/reminders/lines-selected.md"),
    asset!("bundles/claude-code/reminders/malware-after-read.md"),
    asset!("bundles/claude-code/reminders/mcp-resource-empty.md"),
    asset!("bundles/claude-code/reminders/mcp-resource-unreadable.md"),
    asset!("bundles/claude-code/reminders/memory-file.md"),
    asset!("bundles/claude-code/reminders/nested-memory.md"),
    asset!("bundles/claude-code/reminders/new-diagnostics.md"),
    asset!("bundles/claude-code/reminders/output-style-active.md"),
    asset!("bundles/claude-code/reminders/output-token-limit.md"),
    asset!("bundles/claude-code/reminders/plan-file.md"),
    asset!("bundles/claude-code/reminders/plan-mode-exited.md"),
    asset!("bundles/claude-code/reminders/plan-mode-iterative.md"),
    asset!("bundles/claude-code/reminders/plan-mode-reentry.md"),
    asset!("bundles/claude-code/reminders/plan-mode-subagent.md"),
    asset!("bundles/claude-code/reminders/plan-mode.md"),
    asset!("bundles/claude-code/reminders/session-continued.md"),
    asset!("bundles/claude-code/reminders/side-question.md"),
    asset!("bundles/claude-code/reminders/task-reminder.md"),
    asset!("bundles/claude-code/reminders/task-status.md"),
    asset!("bundles/claude-code/reminders/team-coordination.md"),
    asset!("bundles/claude-code/reminders/team-shutdown.md"),
    asset!("bundles/claude-code/reminders/todo-list-changed.md"),
    asset!("bundles/claude-code/reminders/todo-list-empty.md"),
    asset!("bundles/claude-code/reminders/todo-reminder.md"),
    asset!("bundles/claude-code/reminders/token-usage.md"),
    asset!("bundles/claude-code/reminders/verify-plan.md"),
    asset!("bundles/claude-code/tools/AskUserQuestion/manifest.json"),
    asset!("bundles/claude-code/tools/Bash/manifest.json"),
    asset!("bundles/claude-code/tools/Config/manifest.json"),
    asset!("bundles/claude-code/tools/Edit/manifest.json"),
    asset!("bundles/claude-code/tools/Glob/manifest.json"),
    asset!("bundles/claude-code/tools/Grep/manifest.json"),
    asset!("bundles/claude-code/tools/ListMcpResources/manifest.json"),
    asset!("bundles/claude-code/tools/NotebookEdit/manifest.json"),
    asset!("bundles/claude-code/tools/Read/manifest.json"),
    asset!("bundles/claude-code/tools/ReadMcpResource/manifest.json"),
    asset!("bundles/claude-code/tools/Task/manifest.json"),
    asset!("bundles/claude-code/tools/TodoWrite/manifest.json"),
    asset!("bundles/claude-code/tools/WebFetch/manifest.json"),
    asset!("bundles/claude-code/tools/WebSearch/manifest.json"),
    asset!("bundles/claude-code/tools/Write/manifest.json"),
    asset!("extensions/tools/bash/manifest.json"),
    asset!("extensions/tools/edit/manifest.json"),
    asset!("extensions/tools/find/manifest.json"),
    asset!("extensions/tools/grep/manifest.json"),
    asset!("extensions/tools/ls/manifest.json"),
    asset!("extensions/tools/read/manifest.json"),
    asset!("extensions/tools/write/manifest.json"),
    asset!("models.toml"),
    asset!("presets/additions.toml"),
    asset!("presets/claude-code.toml"),
    asset!("presets/default.toml"),
    asset!("presets/pi.toml"),
    asset!("presets/stud.toml"),
    asset!("presets/template.toml"),
    asset!("sections/claude-code/agent-memory.md"),
    asset!("sections/claude-code/bindings.toml"),
    asset!("sections/claude-code/censoring-policy.md"),
    asset!("sections/claude-code/claude-md.md"),
    asset!("sections/claude-code/conversational-style.md"),
    asset!("sections/claude-code/data-policy.md"),
    asset!("sections/claude-code/do-not-litter.md"),
    asset!("sections/claude-code/environment.md"),
    asset!("sections/claude-code/file-read-limits.md"),
    asset!("sections/claude-code/glob-docs.md"),
    asset!("sections/claude-code/grep-docs.md"),
    asset!("sections/claude-code/large-files.md"),
    asset!("sections/claude-code/main.md"),
    asset!("sections/claude-code/mcp-servers.md"),
    asset!("sections/claude-code/output-style.md"),
    asset!("sections/claude-code/past-sessions.md"),
    asset!("sections/claude-code/proactive-suggestions.md"),
    asset!("sections/claude-code/respect-conventions.md"),
    asset!("sections/claude-code/search-replace.md"),
    asset!("sections/claude-code/security-policy.md"),
    asset!("sections/claude-code/slash-commands.md"),
    asset!("sections/claude-code/todo.md"),
    asset!("sections/claude-code/tool-use-formatting.md"),
    asset!("sections/claude-code/tools/askuserquestion.md"),
    asset!("sections/claude-code/tools/bash-git.md"),
    asset!("sections/claude-code/tools/bash.md"),
    asset!("sections/claude-code/tools/config.md"),
    asset!("sections/claude-code/tools/edit.md"),
    asset!("sections/claude-code/tools/glob.md"),
    asset!("sections/claude-code/tools/grep.md"),
    asset!("sections/claude-code/tools/listmcpresources.md"),
    asset!("sections/claude-code/tools/notebookedit.md"),
    asset!("sections/claude-code/tools/read.md"),
    asset!("sections/claude-code/tools/readmcpresource.md"),
    asset!("sections/claude-code/tools/task-agents.md"),
    asset!("sections/claude-code/tools/task.md"),
    asset!("sections/claude-code/tools/todowrite.md"),
    asset!("sections/claude-code/tools/webfetch.md"),
    asset!("sections/claude-code/tools/websearch.md"),
    asset!("sections/claude-code/tools/write.md"),
    asset!("sections/claude-code/verify-with-tools.md"),
    asset!("sections/compaction/instructions.md"),
    asset!("sections/default/answers.md"),
    asset!("sections/default/approach.md"),
    asset!("sections/default/environment.md"),
    asset!("sections/default/identity.md"),
    asset!("sections/default/instructions.md"),
    asset!("sections/default/limits.md"),
    asset!("sections/stud/system.md"),
    asset!("sections/template/template.md"),
    asset!("settings.json"),
    asset!("variables.toml"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[allow(clippy::disallowed_methods)] // the test looks at the folder that the list claims to be
    fn walk(dir: &Path, root: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, found);
            } else {
                let path = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                found.push(path);
            }
        }
    }

    #[test]
    fn the_list_is_the_folder() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let mut found = Vec::new();
        walk(&root, &root, &mut found);
        found.sort();
        let listed: Vec<&str> = ASSETS.iter().map(|(path, _)| *path).collect();
        assert_eq!(listed, found, "each file in assets/ has one line in ASSETS, sorted");
    }
}
