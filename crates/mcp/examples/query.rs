//! Queries the servers that a file lists, and prints their replies, a line each: `cargo run -p preface-mcp --example query FILE`.
//!
//! The file is a list of `{"name", "command", "args", "cwd"}` or `{"name", "url"}`, each with `wants` where something is wanted
//! beside the lists. A server that is a program gets the `PATH` and the `HOME` of the caller.

#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use preface_core::mcp_servers::ContentRequest;
use preface_mcp::{QueryLimits, ServerEndpoint, ServerTarget, query_servers};
use serde::Deserialize;
use std::{env, error::Error, fs, path::PathBuf, process::ExitCode, time::Duration};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    name: String,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    cwd: Option<PathBuf>,
    url: Option<String>,
    #[serde(default)]
    wants: Vec<ContentRequest>,
}

impl Server {
    fn target(self) -> Result<ServerTarget, Box<dyn Error>> {
        let reach = match (self.command, self.url) {
            (Some(command), None) => {
                let kept = ["PATH", "HOME"].into_iter();
                ServerEndpoint::Program {
                    command,
                    args: self.args,
                    env: kept.filter_map(|name| Some((name.to_owned(), env::var(name).ok()?))).collect(),
                    cwd: self.cwd.map_or_else(env::current_dir, Ok)?,
                }
            }
            (None, Some(url)) => ServerEndpoint::Address { url, headers: Vec::new() },
            _ => return Err(format!("`{}` has either a command or a url", self.name).into()),
        };
        Ok(ServerTarget { name: self.name, reach, deadline: Duration::from_secs(60), wants: self.wants })
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let file = env::args().nth(1).ok_or("usage: query FILE")?;
    let servers: Vec<Server> = serde_json::from_str(&fs::read_to_string(file)?)?;
    let targets = servers.into_iter().map(Server::target).collect::<Result<Vec<_>, _>>()?;
    let reply = query_servers(&targets, &QueryLimits::default(), &|_| ());
    for one in &reply {
        let name = &one.name;
        for diagnostic in &one.diagnostics {
            println!("{name}: {}: {}", diagnostic.code, diagnostic.message);
        }
        let description = match &one.result {
            Ok(description) => description,
            Err(problem) => {
                println!("{name}: {}: {problem}", problem.code());
                continue;
            }
        };
        for tool in &description.tools {
            println!("{name}: tool {}", tool.name);
        }
        for prompt in &description.prompts {
            println!("{name}: prompt {}", prompt.name);
        }
        for resource in &description.resources {
            println!("{name}: resource {}", resource.uri);
        }
        for fetched in &description.fetched {
            let bytes: usize = fetched.texts.iter().map(String::len).sum();
            println!("{name}: fetched {}: {bytes} bytes", fetched.want);
        }
        let instructions = description.instructions.as_ref().map_or(0, String::len);
        println!("{name}: instructions of {instructions} bytes");
        let itself = one.calls_itself.as_deref().unwrap_or("nothing");
        let protocol = one.protocol.as_deref().unwrap_or("no version");
        let (tools, prompts) = (description.tools.len(), description.prompts.len());
        println!(
            "{name}: {:.2} s, calls itself {itself}, protocol {protocol}: {tools} tools, {prompts} prompts, {} resources",
            one.took.as_secs_f64(),
            description.resources.len(),
        );
    }
    Ok(if reply.iter().all(|one| one.result.is_ok()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
