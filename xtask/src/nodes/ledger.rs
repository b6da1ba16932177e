//! The replies so far, and whether they agree: one text for each revision of a conversation, built once, never older
//! than what somebody knew before, and still there at the end.

use super::answer::Answer;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
};

/// The most faults that are listed.
const MOST_FAULTS: usize = 10;

/// All replies.
#[derive(Debug, Default)]
pub struct Ledger {
    conversations: BTreeMap<String, BTreeMap<u64, Revision>>,
    /// Conversations whose first turn was sent and got no reply.
    in_doubt: BTreeSet<String>,
    /// The mark of each version of the template.
    marks: BTreeMap<u64, String>,
    faults: Vec<String>,
    more: usize,
}

/// A prompt, by the replies.
#[derive(Debug, PartialEq, Eq)]
struct Revision {
    fingerprint: String,
    /// The number of replies with `constructed: true`.
    built: u32,
}

impl Ledger {
    /// Records a fault.
    pub fn fault(&mut self, what: impl Display) {
        match self.faults.len() < MOST_FAULTS {
            true => self.faults.push(what.to_string()),
            false => self.more += 1,
        }
    }

    /// Notes a reply with this status. `floor` is the revision that was known before the request.
    pub fn note(&mut self, answer: &Answer, status: u16, floor: u64) {
        let Answer { id, revision, fingerprint, constructed, .. } = answer;
        self.in_doubt.remove(id);
        if *revision < floor {
            self.fault(format_args!("{id}: revision {revision} was answered when {floor} was known"));
        }
        if (status == 201) != (*constructed && *revision == 1) {
            self.fault(format_args!("{id}: revision {revision}, {status}, constructed: {constructed}"));
        }
        if let (Some(version), Some(mark)) = (answer.version, answer.mark()) {
            self.note_template(version, mark);
        }
        let known = self.conversations.entry(id.clone()).or_default().entry(*revision);
        let known = known.or_insert_with(|| Revision { fingerprint: fingerprint.clone(), built: 0 });
        known.built += u32::from(*constructed);
        let (built, first) = (known.built, known.fingerprint.clone());
        if first != *fingerprint {
            self.fault(format_args!("{id}: two texts for revision {revision}: {first} and {fingerprint}"));
        }
        if built > 1 {
            self.fault(format_args!("{id}: {built} requests built revision {revision}"));
        }
    }

    /// Notes that nobody knows whether a conversation was begun.
    pub fn doubt(&mut self, id: &str) {
        if !self.conversations.contains_key(id) {
            self.in_doubt.insert(id.to_owned());
        }
    }

    /// Notes the mark of a version of the template, as a reply has it.
    pub fn note_template(&mut self, version: u64, mark: &str) {
        let known = self.marks.entry(version).or_insert_with(|| mark.to_owned()).clone();
        if known != mark {
            self.fault(format_args!("version {version} of the template is `{known}` and `{mark}`"));
        }
    }

    /// Returns the newest revision of a conversation that is known; 0 where it is not known at all.
    pub fn newest(&self, id: &str) -> u64 {
        self.conversations.get(id).and_then(|known| known.keys().next_back().copied()).unwrap_or(0)
    }

    /// Returns the conversations that were begun for certain.
    pub fn begun(&self) -> Vec<String> {
        self.conversations.keys().cloned().collect()
    }

    /// Returns those that nobody knows about.
    pub fn in_doubt(&self) -> Vec<String> {
        self.in_doubt.iter().cloned().collect()
    }

    /// Returns the versions of the template that are known.
    pub fn versions(&self) -> Vec<u64> {
        self.marks.keys().copied().collect()
    }

    /// Returns the number of prompts that were built, by the replies.
    pub fn built(&self) -> u64 {
        self.conversations.values().flat_map(BTreeMap::values).map(|revision| u64::from(revision.built)).sum()
    }

    /// Compares what is kept of a conversation, oldest or newest first, with everything that was answered about it.
    pub fn read_back(&mut self, id: &str, kept: &[Answer]) {
        let kept: BTreeMap<u64, &Answer> = kept.iter().map(|answer| (answer.revision, answer)).collect();
        let newest = kept.keys().next_back().copied().unwrap_or(0);
        if !kept.keys().copied().eq(1..=newest) {
            self.fault(format_args!("{id}: revisions are missing below {newest}"));
        }
        let mut lost = Vec::new();
        for (revision, known) in self.conversations.get(id).into_iter().flatten() {
            match kept.get(revision) {
                None => lost.push(format!("{id}: revision {revision} is lost")),
                Some(answer) if answer.fingerprint != known.fingerprint => {
                    lost.push(format!(
                        "{id}: revision {revision} was {} and is {}",
                        known.fingerprint, answer.fingerprint
                    ));
                }
                Some(_) => {}
            }
        }
        for fault in lost {
            self.fault(fault);
        }
    }

    /// Checks that each prompt was built by one request with a reply: no reply was lost, and so every revision
    /// has its builder.
    pub fn all_built_once(&mut self) {
        let mut faults = Vec::new();
        for (id, revisions) in &self.conversations {
            let newest = revisions.keys().next_back().copied().unwrap_or(0);
            let built: u64 = revisions.values().map(|revision| u64::from(revision.built)).sum();
            if built != newest {
                faults.push(format!(
                    "{id}: revision {newest}, and {built} replies are of a request that built it"
                ));
            }
        }
        for fault in faults {
            self.fault(fault);
        }
    }

    /// Returns what must not have been, the first few.
    pub fn faults(&self) -> Option<String> {
        let more = if self.more > 0 { format!("\n  and {} more", self.more) } else { String::new() };
        (!self.faults.is_empty()).then(|| format!("\n  {}{more}", self.faults.join("\n  ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::answer::tests::answer;

    type Plant = fn(&mut Ledger);

    fn built(id: &str, revision: u64) -> Answer {
        Answer { constructed: true, ..answer(id, revision, "m") }
    }

    /// Two conversations; the second was compacted.
    fn honest() -> Ledger {
        let mut ledger = Ledger::default();
        ledger.doubt("a-1");
        ledger.note(&built("a-1", 1), 201, 0);
        ledger.note(&answer("a-1", 1, "m"), 200, 1);
        ledger.note(&built("a-2", 1), 201, 0);
        ledger.note(&built("a-2", 2), 200, 1);
        ledger.note(&answer("a-2", 2, "m"), 200, 1);
        ledger.note_template(7, "m");
        ledger.note(&Answer { version: Some(7), ..answer("a-2", 2, "m") }, 200, 2);
        ledger.read_back("a-2", &[answer("a-2", 2, "m"), answer("a-2", 1, "m")]);
        ledger.all_built_once();
        ledger
    }

    #[test]
    fn replies_that_agree_are_no_fault() {
        let ledger = honest();
        assert_eq!(ledger.faults(), None);
        assert_eq!((ledger.newest("a-2"), ledger.newest("none"), ledger.built()), (2, 0, 3));
        assert!(ledger.in_doubt().is_empty(), "an answer ends the doubt");
    }

    #[test]
    fn planted_faults_are_seen() {
        let plants: [(&str, Plant); 11] = [
            ("another text for one id", |ledger| ledger.note(&answer("a-1", 1, "other"), 200, 1)),
            ("a second 201", |ledger| ledger.note(&built("a-1", 1), 201, 0)),
            ("a 201 that built nothing", |ledger| ledger.note(&answer("a-1", 1, "m"), 201, 0)),
            ("a first turn that built and has status 200", |ledger| ledger.note(&built("a-3", 1), 200, 0)),
            ("two builders of one revision", |ledger| ledger.note(&built("a-2", 2), 200, 1)),
            ("an old prompt", |ledger| ledger.note(&answer("a-2", 1, "m"), 200, 2)),
            ("two texts of one version", |ledger| ledger.note_template(7, "n")),
            ("a revision is lost", |ledger| ledger.read_back("a-2", &[answer("a-2", 1, "m")])),
            ("all is lost", |ledger| ledger.read_back("a-1", &[])),
            ("a past that changed", |ledger| {
                ledger.read_back("a-2", &[answer("a-2", 2, "m"), answer("a-2", 1, "n")]);
            }),
            ("a revision that nobody built", |ledger| {
                ledger.note(&answer("a-2", 3, "m"), 200, 2);
                ledger.all_built_once();
            }),
        ];
        for (what, plant) in plants {
            let mut ledger = honest();
            plant(&mut ledger);
            assert!(ledger.faults().is_some(), "{what}");
        }
    }

    #[test]
    fn a_hole_in_the_past_is_seen() {
        let mut ledger = honest();
        ledger.note(&built("a-2", 3), 200, 2);
        ledger.read_back("a-2", &[answer("a-2", 3, "m"), answer("a-2", 2, "m")]);
        let faults = ledger.faults().unwrap();
        assert!(faults.contains("missing below 3") && faults.contains("revision 1 is lost"), "{faults}");
    }
}
