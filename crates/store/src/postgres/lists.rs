//! Lists of conversations and of their history. The cost of a page does not depend on its position.

use super::{
    PostgresStore,
    fault::AttemptError,
    rows::{conversation, head, head_columns, one_more, time},
};
use crate::{
    ConversationId, Filter, Page, PageRequest, PromptSummary, ReplacedPrompt, StoreError,
    page::{ConversationKey, PageStart},
};
use tokio_postgres::types::{ToSql, Type};

impl PostgresStore {
    pub(super) async fn list_conversations(
        &self,
        filter: &Filter,
        request: &PageRequest,
    ) -> Result<Page<PromptSummary>, AttemptError> {
        let prefix = filter.id_prefix.as_deref().filter(|prefix| !prefix.is_empty());
        let start = request.start::<ConversationKey>();
        // No id holds such a character, and the server would not take each of them.
        if start == PageStart::Nowhere || prefix.is_some_and(|prefix| prefix.contains(char::is_control)) {
            return Ok(Page::empty());
        }
        let limit = one_more(request.entries());
        let mut values: Vec<(&(dyn ToSql + Sync), Type)> = vec![(&limit, Type::INT8)];
        let mut wanted = "TRUE".to_owned();
        let mut and = |what: &str, value, kind| {
            values.push((value, kind));
            wanted = format!("{wanted} AND {what} ${}", values.len());
        };
        let end = prefix.and_then(prefix_end);
        if let Some(prefix) = &prefix {
            and("id >=", prefix, Type::TEXT);
        }
        if let Some(end) = &end {
            and("id <", end, Type::TEXT);
        }
        let name = filter.template.as_ref().map(|name| name.as_str());
        if let Some(name) = &name {
            and("template_name =", name, Type::TEXT);
        }
        let select = concat!("SELECT ", head_columns!("''::bytea AS text"), " FROM preface_conversations");
        let order = "ORDER BY created_at DESC, id LIMIT $1";
        let place = if let PageStart::Behind(place) = &start { Some(place) } else { None };
        let last = place.map(|place| (place.at.as_millisecond(), place.id.as_str()));
        let sql = match &last {
            None => format!("{select} WHERE {wanted} {order}"),
            // Two steps along the index: the rest of that millisecond, then what is older.
            Some((at, id)) => {
                values.extend([(at as &(dyn ToSql + Sync), Type::INT8), (id, Type::TEXT)]);
                let (at, id) = (values.len() - 1, values.len());
                format!(
                    "({select} WHERE {wanted} AND created_at = ${at} AND id > ${id} {order}) UNION ALL \
                     ({select} WHERE {wanted} AND created_at < ${at} {order}) {order}"
                )
            }
        };
        let rows = self.session().await?.rows_with_plan(&sql, &values).await?;
        let heads = rows.iter().map(head).collect::<Result<_, StoreError>>()?;
        Ok(Page::cut(heads, request.entries(), ConversationKey::of))
    }

    pub(super) async fn list_history(
        &self,
        id: &ConversationId,
        request: &PageRequest,
    ) -> Result<Page<ReplacedPrompt>, AttemptError> {
        let Some(below) = start_below(request) else { return Ok(Page::empty()) };
        let sql = concat!(
            "SELECT ",
            head_columns!("text"),
            ", record, replaced_at FROM preface_past_prompts WHERE id = $1 AND revision < $2 \
             ORDER BY revision DESC LIMIT $3"
        );
        let limit = one_more(request.entries());
        let rows = self.session().await?.rows(sql, &[&id.as_str(), &below, &limit]).await?;
        let history = rows
            .iter()
            .map(|row| Ok(ReplacedPrompt { was: conversation(row)?, replaced_at: time(row, 16)? }))
            .collect::<Result<_, StoreError>>()?;
        Ok(Page::cut(history, request.entries(), |history: &ReplacedPrompt| {
            history.was.head.revision.revision
        }))
    }
}

/// Returns the exclusive upper bound of a page of a descending list; `None` if the page is empty.
pub(super) fn start_below(request: &PageRequest) -> Option<i64> {
    match request.start::<u64>() {
        PageStart::Top => Some(i64::MAX),
        PageStart::Behind(number) => i64::try_from(number).ok(),
        PageStart::Nowhere => None,
    }
}

/// Returns the least text that is greater than every text with this prefix; `None` if there is none. Texts are sorted
/// by their bytes, which for UTF-8 is by their characters.
fn prefix_end(prefix: &str) -> Option<String> {
    let mut end: Vec<char> = prefix.chars().collect();
    while let Some(last) = end.pop() {
        let next = if last == '\u{d7ff}' { Some('\u{e000}') } else { char::from_u32(u32::from(last) + 1) };
        if let Some(next) = next {
            end.push(next);
            return Some(end.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix_is_greater_than_each_text_with_it() {
        for (prefix, end) in [
            ("a", Some("b")),
            ("a%", Some("a&")),
            ("\u{d7ff}", Some("\u{e000}")),
            ("a\u{10ffff}", Some("b")),
            ("\u{10ffff}\u{10ffff}", None),
        ] {
            assert_eq!(prefix_end(prefix).as_deref(), end);
            let longest = format!("{prefix}\u{10ffff}\u{10ffff}");
            assert!(end.is_none_or(|end| *longest < *end));
        }
    }
}
