//! Paged lists. Each page starts after a key and follows an index, so its cost does not depend on the length of the list.

use super::{
    conversations::{HEAD, read_replaced_prompt, read_summary},
    log,
    templates::{self, LISTED},
};
use crate::{
    AuditEntry, ConversationId, Filter, Page, PageRequest, PromptSummary, ReplacedPrompt, TemplateName,
    TemplateSummary, TemplateVersion,
    page::{ConversationKey, PageStart, prefix_end},
};
use rusqlite::{Connection, Row, ToSql, named_params, params_from_iter, types::Value};

/// The number of conversations with a prefix up to which they are sorted, and not looked up in the order of
/// time.
const FEW: i64 = 1000;

/// Runs a query and reads each row.
fn query_all<T>(
    connection: &Connection,
    sql: &str,
    values: &[(&str, &dyn ToSql)],
    read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare_cached(sql)?.query_map(values, read)?.collect()
}

/// Lists the entries of the audit.
pub(super) fn audit(connection: &Connection, request: &PageRequest) -> rusqlite::Result<Page<AuditEntry>> {
    let Some(below) = request.below() else { return Ok(Page::empty()) };
    let sql = "SELECT id, at, actor, action, subject, detail FROM audit WHERE id < :below ORDER BY id DESC LIMIT :n";
    let items =
        query_all(connection, sql, named_params! {":below": below, ":n": request.rows()}, log::entry)?;
    Ok(Page::cut(items, request.entries(), |entry| entry.id))
}

/// Lists the earlier prompts of a conversation.
pub(super) fn history(
    connection: &Connection,
    id: &ConversationId,
    request: &PageRequest,
) -> rusqlite::Result<Page<ReplacedPrompt>> {
    let Some(below) = request.below() else { return Ok(Page::empty()) };
    let sql = format!(
        "SELECT {HEAD}, text, record, replaced_at FROM past_prompts \
         WHERE conversation = (SELECT number FROM conversations WHERE id = :id) AND revision < :below \
         ORDER BY revision DESC LIMIT :n"
    );
    let values = named_params! {":id": id.as_str(), ":below": below, ":n": request.rows()};
    let items = query_all(connection, &sql, values, read_replaced_prompt)?;
    Ok(Page::cut(items, request.entries(), |history| history.was.head.revision.revision))
}

/// Lists the versions of a template.
pub(super) fn versions(
    connection: &Connection,
    name: &TemplateName,
    request: &PageRequest,
) -> rusqlite::Result<Page<TemplateVersion>> {
    let Some(below) = request.below() else { return Ok(Page::empty()) };
    let transaction = connection.unchecked_transaction()?;
    let sql = format!(
        "SELECT {LISTED} FROM template_versions WHERE name = :name AND version < :below \
         ORDER BY version DESC LIMIT :n"
    );
    let values = named_params! {":name": name.as_str(), ":below": below, ":n": request.rows()};
    let mut items = query_all(&transaction, &sql, values, templates::read_version)?;
    for version in &mut items {
        templates::add_labels(&transaction, version)?;
    }
    Ok(Page::cut(items, request.entries(), |version| version.version))
}

/// Lists the templates.
pub(super) fn templates(
    connection: &Connection,
    request: &PageRequest,
) -> rusqlite::Result<Page<TemplateSummary>> {
    let after = match request.start::<TemplateName>() {
        PageStart::Top => String::new(),
        PageStart::Behind(name) => name.to_string(),
        PageStart::Nowhere => return Ok(Page::empty()),
    };
    let transaction = connection.unchecked_transaction()?;
    let sql = format!(
        "SELECT {LISTED} FROM (SELECT name AS head, current FROM templates WHERE name > :after ORDER BY name LIMIT :n) \
         JOIN template_versions ON name = head AND version = current ORDER BY head"
    );
    let values = named_params! {":after": after, ":n": request.rows()};
    let mut items = Vec::new();
    for mut current in query_all(&transaction, &sql, values, templates::read_version)? {
        templates::add_labels(&transaction, &mut current)?;
        items.push(TemplateSummary { current });
    }
    Ok(Page::cut(items, request.entries(), |template| template.current.name.clone()))
}

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
