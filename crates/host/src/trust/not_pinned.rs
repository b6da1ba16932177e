//! What a granted command may load that its permit has no digest of, so that a grant shows it.

use super::permit::{Action, Permit, quoted};
use std::path::Path;

/// Programs that read files of the working directory by themselves, and what they read.
const READERS: &[(&[&str], &str)] = &[
    (&["make", "gmake", "bmake"], "Makefile and whatever it includes"),
    (&["ninja", "samu"], "build.ninja and whatever it includes"),
    (&["cmake", "ctest"], "CMakeLists.txt and whatever it includes"),
    (
        &["npm", "npx", "yarn", "pnpm", "pnpx", "bun", "bunx", "corepack"],
        "package.json, its scripts and node_modules",
    ),
    (&["cargo"], "Cargo.toml, .cargo/config.toml, build scripts and the sources of the project"),
    (&["go"], "go.mod and the sources of the project"),
    (&["just"], "justfile and whatever it imports"),
    (&["task"], "Taskfile.yml and whatever it includes"),
    (&["rake", "bundle", "bundler"], "Rakefile, Gemfile and what they load"),
    (&["mvn", "gradle", "ant", "sbt"], "the build files of the project"),
    (&["dotnet"], "the project files and the sources of the project"),
    (&["docker", "docker-compose", "podman", "nerdctl"], "Dockerfile, compose files and images"),
    (&["git"], "the configuration and the hooks of the repository"),
    (
        &["uv", "uvx", "pipx", "poetry", "pdm", "hatch", "tox", "nox", "pytest"],
        "pyproject.toml, the environment and the modules of the project",
    ),
    (&["composer"], "composer.json and its scripts"),
    (&["mix"], "mix.exs and the sources of the project"),
    (&["direnv"], ".envrc"),
    (&["nix", "nix-shell"], "flake.nix, shell.nix and what they import"),
];

/// Programs that run another program, whose words follow.
const WRAPPERS: &[&str] = &[
    "env", "nice", "ionice", "nohup", "time", "timeout", "setsid", "stdbuf", "sudo", "doas", "xargs", "exec",
];

/// Shells, whose scripts may source others.
const SHELLS: &[&str] =
    &["sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "busybox", "pwsh", "powershell", "cmd"];

/// Interpreters, by the start of their names: `python3.12` is `python`.
const INTERPRETERS: &[&str] = &[
    "python", "pypy", "node", "nodejs", "deno", "ruby", "perl", "php", "lua", "tclsh", "Rscript", "julia",
    "java",
];

/// Variables that make a program load code.
const LOADING: &[&str] = &[
    "BASH_ENV",
    "CLASSPATH",
    "ENV",
    "GIT_CONFIG_GLOBAL",
    "JAVA_TOOL_OPTIONS",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LUA_PATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PHPRC",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
];

impl Permit {
    /// Returns a line for everything that the command may load and no digest covers.
    #[must_use]
    pub fn not_pinned(&self) -> Vec<String> {
        let Action::Command { argv, env, files, directory, .. } = &self.action else { return Vec::new() };
        let mut lines = Vec::new();
        let has_script = !files.is_empty();
        for (index, word) in argv.iter().enumerate() {
            let name = program_name(word);
            // Behind a wrapper any word may be the program: `timeout 5 make`.
            let wrapped = index > 0 && WRAPPERS.contains(&program_name(&argv[0]).as_str());
            if index > 0 && !wrapped {
                break;
            }
            if let Some((_, what)) = READERS.iter().find(|(names, _)| names.contains(&name.as_str())) {
                lines.push(format!("runs {}, which reads {what}: not pinned", quoted(&name)));
            } else if SHELLS.contains(&name.as_str()) {
                let rest = &argv[index + 1..];
                let is_text = rest.iter().any(|word| is_command_flag(word));
                lines.push(match (is_text, has_script) {
                    (true, _) => format!(
                        "runs {} with a text of commands: the programs and files that they name are not pinned",
                        quoted(&name)
                    ),
                    (false, true) => format!("runs {}: what its script sources by a path is not pinned", quoted(&name)),
                    (false, false) => format!("runs {}: what it reads is not pinned", quoted(&name)),
                });
            } else if is_interpreter(&name) {
                lines.push(match has_script {
                    true => format!(
                        "runs {}: modules that it finds in the working directory or by a path are not pinned",
                        quoted(&name)
                    ),
                    false => format!(
                        "runs {}, which loads code that no word of the command names: not pinned",
                        quoted(&name)
                    ),
                });
            }
        }
        let inside = |path: &str| directory.as_ref().is_some_and(|(dir, _)| Path::new(path).starts_with(dir));
        lines.extend(files.iter().filter(|(path, _)| !inside(path)).map(|(path, _)| {
            format!("starts with a copy of {}: modules and files beside it are not available", quoted(path))
        }));
        if let Some((path, _)) = directory {
            lines.push(format!(
                "starts with a copy of {}: what it loads from elsewhere in the project is not pinned",
                quoted(path)
            ));
        }
        lines.extend(
            env.iter()
                .filter(|(name, _)| LOADING.contains(&name.as_str()))
                .map(|(name, _)| format!("gets {}, which may name code to load: not pinned", quoted(name))),
        );
        lines
    }
}

/// Returns the last name of a path, without what Windows appends to programs.
fn program_name(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain = name.strip_suffix(".exe").or_else(|| name.strip_suffix(".cmd"));
    plain.unwrap_or(name).to_owned()
}

fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.iter().any(|known| {
        name.strip_prefix(known)
            .is_some_and(|rest| rest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.')))
    })
}

/// Returns whether a word makes the next one a text of commands: `-c`, `-lc`, `/c`, `-Command`.
fn is_command_flag(word: &str) -> bool {
    let short = |rest: &str| {
        rest.len() <= 4 && rest.ends_with('c') && rest.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    word.strip_prefix('-').is_some_and(short) || ["/c", "/C", "-Command", "-command", "-e"].contains(&word)
}
