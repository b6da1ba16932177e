//! The end of a scenario: everything is read again and compared with everything that was answered.

use super::{
    answer::{Answer, template},
    cluster::{Cluster, Store},
    dice::Dice,
    http::{Call, Client, Counts, Reply},
    json::Value,
    ledger::Ledger,
};
use std::process::Command;

/// One conversation of so many is explained as well.
const EXPLAINED: usize = 20;

/// Reads everything that is stored, each conversation from another node.
pub fn all(cluster: &Cluster, counts: &Counts, ledger: &mut Ledger) {
    let mut reader =
        Reader { cluster, client: Client::new(&cluster.addresses, counts), dice: Dice::new(4711) };
    for (number, id) in ledger.begun().into_iter().enumerate() {
        match reader.prompts(&id, number % EXPLAINED == 0) {
            Ok(kept) => ledger.read_back(&id, &kept),
            Err(why) => ledger.fault(format_args!("{id}: {why}")),
        }
    }
    for id in ledger.in_doubt() {
        // It may have been kept or not, as a whole.
        let call = Call::get(format!("/conversations/{id}/system-prompt"));
        match reader.send(&call) {
            Ok(reply) if reply.status == 404 => {}
            Ok(reply) => {
                if let Err(why) = Answer::of(&reply, &id) {
                    ledger.fault(format_args!("{id}: {why}"));
                }
            }
            Err(why) => ledger.fault(format_args!("{id}: {why}")),
        }
    }
    for version in ledger.versions() {
        match reader.mark(version) {
            Ok(mark) => ledger.note_template(version, &mark),
            Err(why) => ledger.fault(format_args!("version {version} of the template: {why}")),
        }
    }
    if let Store::File(path) = &cluster.store {
        let script = "import sqlite3, sys\nprint(sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check').fetchone()[0])";
        match Command::new("python3").args(["-c", script]).arg(path).output() {
            Ok(output) if output.stdout.trim_ascii() == b"ok" => {}
            Ok(output) => ledger.fault(format_args!("the file is not whole: {output:?}")),
            Err(_) => {
                crate::print::line("    python3 is not there: SQLite's own check of the file is left out");
            }
        }
    }
}

struct Reader<'c> {
    cluster: &'c Cluster,
    client: Client<'c>,
    dice: Dice,
}

impl Reader<'_> {
    fn send(&mut self, call: &Call) -> Result<Reply, String> {
        let node = self.dice.below(self.cluster.len());
        self.client.send(node, call).map_err(|error| format!("{call}: {error}"))
    }

    fn send_ok(&mut self, call: &Call) -> Result<Reply, String> {
        match self.send(call)? {
            reply if reply.status == 200 => Ok(reply),
            Reply { status, body, .. } => Err(format!("{call}: {status} {body}")),
        }
    }

    /// Returns all prompts of a conversation.
    fn prompts(&mut self, id: &str, explain: bool) -> Result<Vec<Answer>, String> {
        let now = Answer::of(&self.send_ok(&Call::get(format!("/conversations/{id}/system-prompt")))?, id)?;
        if explain {
            let reply = self.send_ok(&Call::get(format!("/conversations/{id}/explain")))?;
            if Answer::explained(&reply, id)?.text != now.text {
                return Err("the explanation is of another prompt".to_owned());
            }
        }
        let mut kept = vec![now];
        if kept[0].revision == 1 {
            return Ok(kept);
        }
        let path = format!("/conversations/{id}/history?limit=100");
        let mut next = String::new();
        loop {
            let (past, more) = Answer::past(&self.send_ok(&Call::get(format!("{path}{next}")))?, id)?;
            kept.extend(past);
            match more {
                Some(more) => next = format!("&after={more}"),
                None => return Ok(kept),
            }
        }
    }

    /// Returns the mark of a version of the template.
    fn mark(&mut self, version: u64) -> Result<String, String> {
        let reply = self.send_ok(&Call::get(format!("/templates/main/versions/{version}")))?;
        let document = Value::parse(&reply.body)?;
        let text = document.get("template").text().unwrap_or_default();
        let mark = text.lines().nth(1).and_then(|line| line.strip_prefix("template ")).unwrap_or_default();
        match text == template(mark) {
            true => Ok(mark.to_owned()),
            false => Err(format!("nobody wrote this text: {text:?}")),
        }
    }
}
