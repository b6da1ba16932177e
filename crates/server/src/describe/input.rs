//! The parameters of a path and a query, and the bodies that may be left out, as the description has them. A parameter of one name
//! is the same in every operation.

use utoipa::openapi::{
    KnownFormat, RefOr, Required, Schema, SchemaFormat,
    path::{Parameter, ParameterIn},
    request_body::RequestBody,
    schema::{Object, SchemaType, Type},
};

/// The id of a conversation: no control characters, not `.` or `..`.
const ID: &str = r"^(\.{0,2}[^.\x00-\x1f\x7f-\x9f]|\.{3})[^\x00-\x1f\x7f-\x9f]*$";
/// The name of a template.
const NAME: &str = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";
/// A label.
const LABEL: &str = "^[A-Za-z][A-Za-z0-9._-]{0,63}$";

/// Adds the pattern and the limits that values of a parameter of its name have.
pub(super) fn complete_parameter(parameter: &mut Parameter) {
    let Some(RefOr::T(Schema::Object(object))) = &mut parameter.schema else { return };
    // A parameter that may be left out is never null.
    if let SchemaType::Array(kinds) = &object.schema_type
        && let Some(kind) = kinds.iter().find(|kind| **kind != Type::Null)
    {
        object.schema_type = SchemaType::Type(kind.clone());
    }
    if parameter.parameter_in != ParameterIn::Path {
        return;
    }
    parameter.required = Required::True;
    match parameter.name.as_str() {
        "id" => text(object, ID, 255),
        "name" => text(object, NAME, 64),
        "label" => text(object, LABEL, 64),
        "version" => object.format = Some(SchemaFormat::KnownFormat(KnownFormat::Int64)),
        _ => {}
    }
}

fn text(object: &mut Object, pattern: &str, most: usize) {
    object.pattern = Some(pattern.to_owned());
    (object.min_length, object.max_length) = (Some(1), Some(most));
}

/// Marks a body as required or optional; an optional one is left out, never null.
pub(super) fn complete_body(body: &mut RequestBody) {
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
