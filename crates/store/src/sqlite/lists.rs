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
    let mut conditions: Vec<String> = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    let mut add = |condition: &str, value: Value| {
        values.push(value);
        conditions.push(condition.replace('?', &format!("?{}", values.len())));
    };
    let mut index = "conversations_by_time";
    if let Some(name) = &filter.template {
        index = "conversations_by_template";
        add("template = ?", name.as_str().to_owned().into());
    }
    if let Some(prefix) = filter.id_prefix.as_deref().filter(|prefix| !prefix.is_empty()) {
        let end = prefix_end(prefix);
        if has_few_matches(&transaction, prefix, end.as_deref())? {
            index = "conversations_by_id";
        }
        add("id >= ?", prefix.to_owned().into());
        if let Some(end) = end {
            add("id < ?", end.into());
        }
    }
    // After a key come those of the same millisecond with a greater id, then all that are older: two ranges of the index.
    let mut items = Vec::new();
    let ranges: Vec<(String, Vec<Value>)> = match start {
        PageStart::Behind(place) => {
            let at = place.at.as_millisecond();
            let (here, there) = (values.len() + 1, values.len() + 2);
            vec![
                (
                    format!("created_at = ?{here} AND id > ?{there}"),
                    vec![at.into(), place.id.to_string().into()],
                ),
                (format!("created_at < ?{here}"), vec![at.into()]),
            ]
        }
        PageStart::Top | PageStart::Nowhere => vec![("true".to_owned(), Vec::new())],
    };
    for (range, more) in ranges {
        let missing = request.entries() + 1 - items.len();
        let mut conditions = conditions.clone();
        conditions.push(range);
        let mut values = values.clone();
        values.extend(more);
        values.push(i64::try_from(missing).unwrap_or(i64::MAX).into());
        let sql = format!(
            "SELECT {HEAD} FROM conversations INDEXED BY {index} WHERE {} \
             ORDER BY created_at DESC, id LIMIT ?{}",
            conditions.join(" AND "),
            values.len()
        );
        let mut statement = transaction.prepare_cached(&sql)?;
        for head in statement.query_map(params_from_iter(values), read_summary)? {
            items.push(head?);
        }
    }
    Ok(Page::cut(items, request.entries(), ConversationKey::of))
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
