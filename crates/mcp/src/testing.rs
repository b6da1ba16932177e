//! A whole exchange without a server: for fuzzing.

use crate::{
    QueryLimits, ServerReply,
    exchange::{Handshake, run_exchange},
    intake::{Intake, PipeTransport},
    query::exchange_result,
    server_reply::PartialReply,
    text,
};
use preface_core::mcp_servers::ContentRequest;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split},
    runtime::Builder,
};

/// Runs an exchange with a server that answers each request with the next line of `answers`, in which `$ID` is the id of
/// the request, and closes after the last, or where no more requests come because a line was no answer. A line that starts with a blank is
/// sent together with the next.
#[must_use]
pub fn replay(answers: &[u8], limits: &QueryLimits) -> Option<ServerReply> {
    let start = Instant::now();
    let runtime = Builder::new_current_thread().enable_time().build().ok()?;
    let wants = [
        ContentRequest::Prompt { name: "p".to_owned(), arguments: BTreeMap::new() },
        ContentRequest::Resource { uri: "r:".to_owned() },
    ];
    let intake = Arc::new(Intake::new(limits.bytes));
    let mut partial = PartialReply::default();
    let outcome = runtime.block_on(async {
        let (ours, theirs) = duplex(64 << 10);
        tokio::spawn(serve_answers(theirs, answers.to_vec()));
        let (reads, writes) = split(ours);
        let lines = PipeTransport::new(reads, writes, intake.clone(), REQUEST_WAIT / 2);
        let exchange = run_exchange(lines, Handshake::Either, &wants, limits, &mut partial);
        tokio::time::timeout(Duration::from_secs(2), exchange).await.ok()
    });
    let result = exchange_result(outcome, &intake, &mut partial, String::new).map(|()| {
        partial.described.settle();
        partial.diagnostics.extend(text::warning(&partial.described));
        partial.described
    });
    let PartialReply { calls_itself, protocol, refused, diagnostics, .. } = partial;
    Some(ServerReply {
        name: String::new(),
        took: start.elapsed(),
        calls_itself,
        protocol,
        result,
        refused,
        diagnostics,
    })
}

/// The wait for a request: too short for a busy machine, but a fuzzer tries again.
const REQUEST_WAIT: Duration = Duration::from_millis(if cfg!(test) { 2000 } else { 4 });

async fn serve_answers(stream: DuplexStream, answers: Vec<u8>) {
    let (reads, mut writes) = split(stream);
    let mut questions = BufReader::new(reads).lines();
    let mut answers = answers.split(|byte| *byte == b'\n');
    while let Ok(Ok(Some(question))) = tokio::time::timeout(REQUEST_WAIT, questions.next_line()).await {
        let question: Value = serde_json::from_str(&question).unwrap_or_default();
        let (Some(id), Some(_)) = (question.get("id"), question.get("method")) else { continue };
        loop {
            let Some(answer) = answers.next() else { return };
            let mut line = with_id(answer, &id.to_string());
            line.push(b'\n');
            if writes.write_all(&line).await.is_err() {
                return;
            }
            if !answer.starts_with(b" ") {
                break;
            }
        }
    }
}

fn with_id(line: &[u8], id: &str) -> Vec<u8> {
    match line.windows(3).position(|three| three == b"$ID") {
        Some(at) => [&line[..at], id.as_bytes(), &line[at + 3..]].concat(),
        None => line.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::replay;
    use crate::QueryLimits;

    #[test]
    fn a_whole_exchange_is_read() {
        let answers = [
            r#"{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"no"}}"#,
            r#"{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}}"#,
            r#" {"jsonrpc":"2.0","id":9,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"t","description":"d"}]}}"#,
            r#"{"jsonrpc":"2.0","id":$ID,"result":{"messages":[{"role":"user","content":{"type":"text","text":"hello"}}]}}"#,
            r#"{"jsonrpc":"2.0","id":$ID,"result":{"contents":[{"uri":"r:","text":"text"}]}}"#,
        ];
        let reply = replay(answers.join("\n").as_bytes(), &QueryLimits::default()).unwrap();
        let result = reply.result.unwrap();
        assert_eq!((result.tools[0].name.as_str(), result.fetched.len()), ("t", 2));
    }
}
