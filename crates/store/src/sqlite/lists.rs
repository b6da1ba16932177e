//! The list of conversations. Each page starts after a key and follows an index, so its cost does not depend on the length of
//! the list.

use super::conversations::{HEAD, read_summary};
use crate::{
    Filter, Page, PageRequest, PromptSummary,
    page::{ConversationKey, PageStart, prefix_end},
};
use rusqlite::{Connection, params_from_iter, types::Value};

/// The number of conversations with a prefix up to which they are sorted, and not looked up in the order of
/// time.
const FEW: i64 = 1000;

/// Lists conversations.
pub(super) fn conversations(
    connection: &Connection,
    filter: &Filter,
    request: &PageRequest,
) -> rusqlite::Result<Page<PromptSummary>> {
    let start = request.start::<ConversationKey>();
    if start == PageStart::Nowhere {
        return Ok(Page::empty());
    }
    let transaction = connection.unchecked_transaction()?;
    let mut conditions = vec!["true".to_owned()];
    let mut values: Vec<Value> = Vec::new();
    let mut bind = |value: Value| {
        values.push(value);
        format!("?{}", values.len())
    };
    let mut index = "conversations_by_time";
    if let Some(name) = &filter.template {
        index = "conversations_by_template";
        conditions.push(format!("template = {}", bind(name.as_str().to_owned().into())));
    }
    if let Some(prefix) = filter.id_prefix.as_deref().filter(|prefix| !prefix.is_empty()) {
        let end = prefix_end(prefix);
        if has_few_matches(&transaction, prefix, end.as_deref())? {
            index = "conversations_by_id";
        }
        conditions.push(format!("id >= {}", bind(prefix.to_owned().into())));
        if let Some(end) = end {
            conditions.push(format!("id < {}", bind(end.into())));
        }
    }
    // After a key come those of the same millisecond with a greater id, then all that are older.
    if let PageStart::Behind(last) = start {
        let (at, id) = (bind(last.at.as_millisecond().into()), bind(last.id.to_string().into()));
        conditions.push(format!("created_at <= {at} AND (created_at < {at} OR id > {id})"));
    }
    let limit = bind(request.rows().into());
    let sql = format!(
        "SELECT {HEAD} FROM conversations INDEXED BY {index} WHERE {} ORDER BY created_at DESC, id LIMIT {limit}",
        conditions.join(" AND "),
    );
    let mut statement = transaction.prepare_cached(&sql)?;
    let items = statement.query_map(params_from_iter(values), read_summary)?;
    Ok(Page::cut(items.collect::<rusqlite::Result<_>>()?, request.entries(), ConversationKey::of))
}

/// Returns true if few conversations have a prefix.
fn has_few_matches(connection: &Connection, prefix: &str, end: Option<&str>) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM (SELECT 1 FROM conversations INDEXED BY conversations_by_id \
               WHERE id >= ?1 AND (?2 IS NULL OR id < ?2) LIMIT ?3)";
    let count: i64 = connection
        .prepare_cached(sql)?
        .query_row(rusqlite::params![prefix, end, FEW + 1], |row| row.get(0))?;
    Ok(count <= FEW)
}
