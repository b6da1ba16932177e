//! Stores with many conversations.

use crate::BenchError;
use preface_core::prompt::fingerprint;
use preface_engine::store::{
    self, Actor, ConstructReason, PromptSummary, Revision, StoreError, StoreUrl, StoredPrompt, TemplateName,
    TemplateUsed,
};
use std::{path::Path, sync::Arc};
use tokio::{runtime::Builder, task::JoinSet};

/// The contents of a store.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The number of conversations: `c0`, `c1`, …
    pub conversations: usize,
    /// The size of each prompt.
    pub bytes: usize,
}

/// The number of writers that fill a store at once; they are committed together.
const WRITERS: usize = 256;

/// Makes a store of a shape.
pub fn fill(database: &Path, shape: Shape) -> Result<(), BenchError> {
    let wrong = |error: StoreError| BenchError::Failed(error.to_string());
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = store::open(&StoreUrl::Sqlite(database.to_owned())).await.map_err(wrong)?;
        let mut writers = JoinSet::new();
        for writer in 0..WRITERS {
            let store = store.clone();
            writers.spawn(async move {
                for number in (writer..shape.conversations).step_by(WRITERS) {
                    let kept = conversation(&format!("c{number}"), shape.bytes);
                    store.create(kept, &Actor::new("bench")).await?;
                }
                Ok::<(), StoreError>(())
            });
        }
        for done in writers.join_all().await {
            done.map_err(wrong)?;
        }
        store.close().await.map_err(wrong)
    })
}

/// A conversation as the service would keep it.
pub fn conversation(id: &str, bytes: usize) -> StoredPrompt {
    let line = format!("{id}: keep functions short, name things by what they are, test what can fail.\n");
    let mut text = line.repeat(bytes / line.len() + 1);
    text.truncate(bytes);
    let actor = Actor::new("bench");
    StoredPrompt {
        head: PromptSummary {
            id: id.parse().unwrap_or_else(|_| panic!("`{id}` is an id")),
            revision: Revision::new(1),
            bytes: text.len() as u64,
            fingerprint: fingerprint(&text),
            text: text.into(),
            cwd: "/srv/work".into(),
            model: Some("a-model".into()),
            preset: "template".into(),
            template: Some(TemplateUsed { chosen: "main".into(), name: TemplateName::main(), version: None }),
            reason: ConstructReason::FirstTurn,
            created_at: actor.at,
            constructed_at: actor.at,
        },
        record: Arc::from(RECORD),
    }
}

/// As long as the record of a prompt with one file in it.
const RECORD: &str = concat!(
    r#"{"version":1,"engine":"0.1.0","asked":{"cwd":"/srv/work","preset":"template"},"prompt":{"text":"","parts":[]},"#,
    r#""variables":[{"variable":"file:RULES.md","exists":true,"source":"RULES.md","stability":"conversation","digest":"#,
    r#""blake3:0c20f009a15ecf293423440d42a5c0bee389b53db3ab1c28241e3b6e634ed21f"}],"#,
    r#""rest":"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"}"#
);
