//! Many conversations begin at once on two nodes.

use preface_store::{InsertOutcome, PageRequest};
use preface_testkit::contract::{
    Nodes,
    samples::{actor, first, id},
    server::PostgresServer,
};

/// Of ten first prompts for each of 200 conversations, all get one, and it is that conversation's.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_text_for_each_conversation() {
    const CONVERSATIONS: usize = 200;
    const RIVALS: usize = 10;
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.new_database();
    let nodes = Nodes::new(vec![
        crate::open(&server.url(&database)).await,
        crate::open(&server.url(&database)).await,
    ]);
    let outcomes = nodes
        .at_once(CONVERSATIONS * RIVALS, |number, store| async move {
            let (conversation, rival) = (number % CONVERSATIONS, number / CONVERSATIONS);
            let name = format!("c{conversation}");
            let mine = first(&name, &format!("{name}: {rival} {}", "x".repeat(3000)));
            let head = match store.create(mine.clone(), &actor()).await.expect("it answers") {
                InsertOutcome::New => mine.head,
                InsertOutcome::Existing(head) => *head,
            };
            (conversation, head)
        })
        .await;
    for (conversation, head) in outcomes {
        let kept = nodes.other().head(&id(&format!("c{conversation}"))).await.unwrap().expect("it is there");
        assert_eq!(kept, head, "all get what is kept");
        assert!(head.text.starts_with(&format!("c{conversation}: ")), "{}", head.text);
    }
    let mut entries = 0;
    let mut request = PageRequest::first(PageRequest::MOST);
    loop {
        let page = nodes.first().audit(&request).await.unwrap();
        entries += page.items.len();
        match page.next {
            Some(next) => request.after = Some(next),
            None => break,
        }
    }
    assert_eq!(entries, CONVERSATIONS, "each began once");
}
