//! The prompt in a node's reply, and what must be true of it by itself: it is whole, and it is of the requested
//! conversation.

use super::{blake3, http::Reply, json::Value};

/// A prompt that a node returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The conversation.
    pub id: String,
    /// The revision.
    pub revision: u64,
    /// The prompt, without a compaction's instructions.
    pub text: String,
    /// The digest, by the node.
    pub fingerprint: String,
    /// True where this request built it, by the node.
    pub constructed: bool,
    /// The version of the template that it was built from.
    pub version: Option<u64>,
}

/// Returns a template whose prompts can be checked: they name their conversation at both ends, and differ whenever they
/// are built. `mark` distinguishes templates.
pub fn template(mark: &str) -> String {
    format!(
        "conversation [prompt:conversation_id]\ntemplate {mark}\nat [system:time] on [system:hostname] in \
         [prompt:cwd]\n[file:now.txt]\nend [prompt:conversation_id]"
    )
}

impl Answer {
    /// Reads a document of a conversation.
    pub fn read(document: &Value) -> Result<Answer, String> {
        let text = |key: &str| document.get(key).text().ok_or_else(|| format!("`{key}` is no text"));
        let mut prompt = text("system_prompt")?.to_owned();
        if let Some(instructions) = document.get("instructions").text() {
            let end = format!("\n\n{instructions}");
            let before = prompt
                .strip_suffix(&end)
                .ok_or("a compaction's prompt does not end with its instructions")?;
            prompt = before.to_owned();
        }
        Ok(Answer {
            id: text("conversation_id")?.to_owned(),
            revision: document.get("revision").count().ok_or("`revision` is no number")?,
            text: prompt,
            fingerprint: text("fingerprint")?.to_owned(),
            constructed: *document.get("constructed") == Value::Bool(true),
            version: document.get("template").get("version").count(),
        })
    }

    /// Reads a reply about a conversation, and checks it by itself.
    pub fn of(reply: &Reply, id: &str) -> Result<Answer, String> {
        let answer = Answer::read(&Value::parse(&reply.body)?)?;
        answer.check(id)?;
        Ok(answer)
    }

    /// Reads an explanation, and checks that its parts and their spans cover the prompt.
    pub fn explained(reply: &Reply, id: &str) -> Result<Answer, String> {
        let value = Value::parse(&reply.body)?;
        let answer = Answer::read(value.get("prompt"))?;
        answer.check(id)?;
        let document = value.get("document");
        if document.get("text").text() != Some(&answer.text) {
            return Err("the explanation is of another text".to_owned());
        }
        let parts = document.get("parts").list();
        tile(parts, 0, answer.text.len())?;
        for part in parts {
            let (from, to) = range(part)?;
            tile(part.get("spans").list(), from, to)?;
        }
        Ok(answer)
    }

    /// Reads a page of the earlier prompts of a conversation; the second is where the next page starts.
    pub fn past(reply: &Reply, id: &str) -> Result<(Vec<Answer>, Option<String>), String> {
        let page = Value::parse(&reply.body)?;
        let mut past = Vec::new();
        for item in page.get("items").list() {
            let answer = Answer::read(item)?;
            answer.check(id)?;
            past.push(answer);
        }
        Ok((past, page.get("next").text().map(str::to_owned)))
    }

    /// Checks what must be true whatever the other replies are.
    pub fn check(&self, id: &str) -> Result<(), String> {
        if self.id != id {
            return Err(format!("`{id}` was requested and `{}` returned", self.id));
        }
        let digest = format!("blake3:{}", blake3::hex(self.text.as_bytes()));
        if self.fingerprint != digest {
            return Err(format!("the fingerprint is {} and the text's {digest}", self.fingerprint));
        }
        let first = self.text.lines().next().unwrap_or_default();
        let last = self.text.lines().next_back().unwrap_or_default();
        if first != format!("conversation {id}") || last != format!("end {id}") {
            return Err(format!("the prompt of another, or half of one: `{first}` … `{last}`"));
        }
        Ok(())
    }

    /// Returns the mark of the template that it was built from.
    pub fn mark(&self) -> Option<&str> {
        self.text.lines().nth(1)?.strip_prefix("template ")
    }
}

/// Checks that ranges follow each other from here to there.
fn tile(ranges: &[Value], from: usize, to: usize) -> Result<(), String> {
    let mut at = from;
    for one in ranges {
        let (start, end) = range(one)?;
        if start != at || end < start {
            return Err(format!("a gap in the explanation: {at} is followed by {start}"));
        }
        at = end;
    }
    match at == to {
        true => Ok(()),
        false => Err(format!("the explanation ends at {at} and the text at {to}")),
    }
}

fn range(one: &Value) -> Result<(usize, usize), String> {
    let ends = one.get("range").list();
    let end = |at: usize| ends.get(at).and_then(Value::count).and_then(|end| usize::try_from(end).ok());
    end(0).zip(end(1)).ok_or_else(|| "a range is no range".to_owned())
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Makes an honest answer.
    pub fn answer(id: &str, revision: u64, mark: &str) -> Answer {
        let text = format!("conversation {id}\ntemplate {mark}\nbuilt {revision}\nend {id}");
        Answer {
            id: id.to_owned(),
            revision,
            fingerprint: format!("blake3:{}", blake3::hex(text.as_bytes())),
            text,
            constructed: false,
            version: None,
        }
    }

    #[test]
    fn an_honest_answer_passes() {
        assert_eq!(answer("a-1", 1, "m").check("a-1"), Ok(()));
        assert_eq!(answer("a-1", 1, "m").mark(), Some("m"));
    }

    #[test]
    fn planted_faults_are_seen() {
        let check = |plant: fn(&mut Answer)| {
            let mut answer = answer("a-1", 1, "m");
            plant(&mut answer);
            answer.check("a-1")
        };
        assert!(check(|answer| answer.id = "a-2".to_owned()).is_err(), "another id");
        assert!(check(|answer| answer.text.push('x')).is_err(), "a byte more");
        assert!(check(|answer| *answer = self::answer("a-2", 1, "m")).is_err(), "another conversation");
        assert!(
            check(|answer| {
                *answer = self::answer("a-2", 1, "m");
                answer.id = "a-1".to_owned();
            })
            .is_err(),
            "the text of another conversation, under our id"
        );
        assert!(
            check(|answer| {
                answer.text.truncate(30);
                answer.fingerprint = format!("blake3:{}", blake3::hex(answer.text.as_bytes()));
            })
            .is_err(),
            "half a text that claims to be whole"
        );
    }

    #[test]
    fn a_gap_in_an_explanation_is_seen() {
        let explained = |spans: &str| {
            let Answer { text, fingerprint, .. } = answer("a-1", 1, "m");
            let text = crate::nodes::json::quoted(&text);
            let body = format!(
                r#"{{"prompt":{{"conversation_id":"a-1","system_prompt":{text},"revision":1,
                "fingerprint":"{fingerprint}"}},"document":{{"text":{text},
                "parts":[{{"range":[0,43],"spans":{spans}}}]}}}}"#
            );
            Answer::explained(&Reply { status: 200, headers: Vec::new(), body }, "a-1")
        };
        assert_eq!(answer("a-1", 1, "m").text.len(), 43);
        explained(r#"[{"range":[0,7]},{"range":[7,43]}]"#).unwrap();
        for spans in ["[]", r#"[{"range":[0,7]},{"range":[8,43]}]"#, r#"[{"range":[0,42]}]"#] {
            assert!(explained(spans).is_err(), "{spans}");
        }
    }

    #[test]
    fn the_instructions_of_a_compaction_are_no_part_of_the_prompt() {
        let Answer { text, fingerprint, .. } = answer("a-1", 2, "m");
        let reply = |end: &str| {
            let prompt = crate::nodes::json::quoted(&format!("{text}{end}"));
            let body = format!(
                r#"{{"conversation_id":"a-1","system_prompt":{prompt},"constructed":true,"revision":2,
                "fingerprint":"{fingerprint}","instructions":"sum up"}}"#
            );
            Answer::of(&Reply { status: 200, headers: Vec::new(), body }, "a-1")
        };
        assert_eq!(reply("\n\nsum up").unwrap().text, text);
        assert!(reply("\n\nsum").is_err() && reply("").is_err());
    }
}
