//! The list of conversations. The cost of a page does not depend on its position.

use super::{
    PostgresStore,
    fault::AttemptError,
    rows::{head, head_columns},
};
use crate::{
    Filter, Page, PageRequest, PromptSummary, StoreError,
    page::{ConversationKey, PageStart, prefix_end},
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
        let limit = request.rows();
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
        let place = if let PageStart::Behind(place) = &start { Some(place) } else { None };
        let last = place.map(|place| (place.at.as_millisecond(), place.id.as_str()));
        // The rest of that millisecond, then what is older.
        if let Some((at, id)) = &last {
            values.extend([(at as &(dyn ToSql + Sync), Type::INT8), (id, Type::TEXT)]);
            let (at, id) = (values.len() - 1, values.len());
            wanted = format!("{wanted} AND created_at <= ${at} AND (created_at < ${at} OR id > ${id})");
        }
        let sql = format!(
            "{} WHERE {wanted} ORDER BY created_at DESC, id LIMIT $1",
            concat!("SELECT ", head_columns!("''::bytea AS text"), " FROM preface_conversations")
        );
        let rows = self.session().await?.rows_with_plan(&sql, &values).await?;
        let heads = rows.iter().map(head).collect::<Result<_, StoreError>>()?;
        Ok(Page::cut(heads, request.entries(), ConversationKey::of))
    }
}
