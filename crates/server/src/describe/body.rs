//! What a body looks like that may be left out: there is one or there is none, and no word for nothing.

use utoipa::openapi::{
    RefOr, Required, Schema,
    request_body::RequestBody,
    schema::{SchemaType, Type},
};

/// Says whether a body is needed.
pub(super) fn complete(body: &mut RequestBody) {
    let mut needed = Required::True;
    for content in body.content.values_mut() {
        let RefOr::T(content) = content else { continue };
        if let Some(RefOr::T(Schema::OneOf(one))) = &mut content.schema
            && let Some(nothing) = one.items.iter().position(is_null)
        {
            one.items.remove(nothing);
            needed = Required::False;
            if one.items.len() == 1 {
                content.schema = one.items.pop();
            }
        }
    }
    body.required = Some(needed);
}

fn is_null(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null))
}
