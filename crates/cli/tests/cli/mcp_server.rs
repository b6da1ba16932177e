//! A `preface mcp serve` that a test talks to, line by line.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

/// A server that runs, begun by a client of this era's usual version. It ends with the test.
pub struct Server {
    child: Child,
    write: Option<ChildStdin>,
    read: BufReader<ChildStdout>,
    /// What it answered to `initialize`.
    pub hello: Value,
    last: u64,
}

impl Server {
    /// Starts it and says hello.
    pub fn start(sandbox: &Sandbox, flags: &str) -> Self {
        let mut server = Server::bare(sandbox, flags);
        server.hello = server.asks(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" },
            }),
        );
        server.says(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        server
    }

    /// Starts it.
    pub fn bare(sandbox: &Sandbox, flags: &str) -> Self {
        let mut command = sandbox.command(&format!("preface mcp serve {flags}"));
        let mut child = command.stdin(Stdio::piped()).spawn().expect("the binary starts");
        let write = child.stdin.take();
        let read = BufReader::new(child.stdout.take().expect("a pipe"));
        Server { child, write, read, hello: Value::Null, last: 0 }
    }

    /// Sends a line.
    pub fn says(&mut self, line: &str) {
        writeln!(self.write.as_mut().expect("a pipe"), "{line}").expect("it reads");
    }

    /// Reads a line.
    pub fn hears(&mut self) -> Value {
        let mut line = String::new();
        self.read.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("stdout is the protocol's: {error}: {line:?}"))
    }

    /// Sends a request; returns its answer.
    pub fn asks(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.says(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        let answer = self.hears();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(id)), "{answer}");
        answer
    }

    /// The text of a prompt.
    pub fn prompt(&mut self, name: &str, arguments: Value) -> String {
        let answer = self.asks("prompts/get", json!({ "name": name, "arguments": arguments }));
        let messages = answer["result"]["messages"].as_array().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(messages.len(), 1, "{answer}");
        assert_eq!((&messages[0]["role"], &messages[0]["content"]["type"]), (&json!("user"), &json!("text")));
        messages[0]["content"]["text"].as_str().expect("a text").to_owned()
    }

    /// What a tool answers programs.
    pub fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let mut answer = self.asks("tools/call", json!({ "name": name, "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], json!(false), "{answer}");
        answer["result"]["structuredContent"].take()
    }

    /// What a tool refuses, for the model that called it.
    pub fn refused(&mut self, name: &str, arguments: Value) -> String {
        let answer = self.asks("tools/call", json!({ "name": name, "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], json!(true), "{answer}");
        answer["result"]["content"][0]["text"].as_str().expect("a text").to_owned()
    }

    /// Closes its stdin: how it ended, and what it said beside the protocol.
    pub fn end(mut self) -> (Option<i32>, String) {
        drop(self.write.take());
        let mut rest = String::new();
        self.read.read_to_string(&mut rest).expect("text");
        assert_eq!(rest, "", "nothing is left to be said");
        let mut said = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
        (self.child.wait().expect("it ends").code(), said)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
