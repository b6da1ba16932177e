//! Inside a turn nothing changes: the text is fixed when the turn begins, what could not be read included.

use preface_engine::{
    ASSETS, BuildOptions, BuildResult, Conversation, Engine, TrustChoice, core::audit::AuditEvent,
};
use preface_testkit::MemorySystem;

const GLOBAL: &str = "/home/user/.stud/system.md";
const PROJECT: &str = "/work/.stud/system.md";

fn machine() -> MemorySystem {
    MemorySystem::new().with_bundle(ASSETS).with_file(GLOBAL, "G1").with_file(PROJECT, "P1")
}

fn turn(system: &MemorySystem) -> BuildResult {
    let mut request = BuildOptions::in_dir("/work");
    request.preset = Some("stud".into());
    request.trust = TrustChoice::Once;
    Engine::new(system).build(&request).expect("a turn is built")
}

#[test]
fn requests_of_one_turn_are_equal_whatever_happens_to_the_files() {
    let system = machine();
    let BuildResult { prompt, mut snapshot, .. } = turn(&system);
    assert_eq!(prompt.text, "G1\n\nP1");
    system.put_file(GLOBAL, "G2");
    system.cut(PROJECT);
    system.clear_touches();
    for _ in 0..3 {
        let again = Engine::rebuild(&mut snapshot).expect("a snapshot is rebuilt");
        assert_eq!(again, prompt, "text, sources, notes and log are those of the turn");
    }
    assert_eq!(system.touches(), [], "nothing is looked at inside a turn");
    assert_eq!(turn(&system).prompt.text, "G2", "the next turn reads again");
}

#[test]
fn a_failed_read_stays_failed_inside_its_turn() {
    let system = machine().with_unreadable(GLOBAL);
    system.cut(PROJECT);
    let BuildResult { prompt, mut snapshot, .. } = turn(&system);
    assert_eq!(prompt.text, "");
    system.put_file(GLOBAL, "mended");
    system.put_file(PROJECT, "written");
    assert_eq!(Engine::rebuild(&mut snapshot).expect("a snapshot is rebuilt"), prompt);
    assert_eq!(turn(&system).prompt.text, "mended\n\nwritten");
}

#[test]
fn each_file_is_read_once_in_a_turn() {
    let system = machine();
    turn(&system);
    assert_eq!((system.reads(GLOBAL), system.reads(PROJECT)), (1, 1));
    turn(&system);
    assert_eq!((system.reads(GLOBAL), system.reads(PROJECT)), (2, 2));
}

#[test]
fn the_environment_is_not_read() {
    // The provider gets no variables: the same files give the same bytes whatever they are.
    let system = machine().with_var("P1", "changed").with_var("MY_SECRET", "hunter2");
    assert_eq!(turn(&system).prompt.text, "G1\n\nP1");
}

#[test]
fn a_conversation_reads_again_before_each_turn_and_never_inside_one() {
    let system = machine();
    let mut request = BuildOptions::in_dir("/work");
    request.preset = Some("stud".into());
    request.trust = TrustChoice::Once;
    let setup = Conversation::setup(std::sync::Arc::new(system.clone()), request);
    let (mut conversation, mut history) = (setup.start().expect("a conversation"), Vec::new());
    assert!(conversation.submit("one", &mut history).expect("a turn"));
    assert_eq!(conversation.request(&history).prompt.text, "G1\n\nP1");
    system.put_file(GLOBAL, "G2");
    assert_eq!(conversation.request(&history).prompt.text, "G1\n\nP1", "inside of a turn nothing changes");
    conversation.finish();
    conversation.submit("two", &mut history).expect("a turn");
    assert_eq!(conversation.request(&history).prompt.text, "G2\n\nP1");
    conversation.finish();
    system.cut(PROJECT);
    conversation.submit("three", &mut history).expect("a turn");
    assert_eq!(conversation.request(&history).prompt.text, "G2");
    let contributions = |audit: &[AuditEvent]| {
        audit.iter().filter(|event| matches!(event, AuditEvent::ContextContributionMade { .. })).count()
    };
    assert_eq!(contributions(&conversation.base().audit), 1, "each turn has its own event");
}
