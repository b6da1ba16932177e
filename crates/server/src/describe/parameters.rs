//! What the parameters of a path and a query look like. One name means the same wherever it stands.

use utoipa::openapi::{
    KnownFormat, RefOr, Required, Schema, SchemaFormat,
    path::{Parameter, ParameterIn},
    schema::{Object, SchemaType, Type},
};

/// The id of a conversation: no control characters, not `.` or `..`.
const ID: &str = r"^(\.{0,2}[^.\x00-\x1f\x7f-\x9f]|\.{3})[^\x00-\x1f\x7f-\x9f]*$";
/// The name of a template.
const NAME: &str = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";
/// A label.
const LABEL: &str = "^[A-Za-z][A-Za-z0-9._-]{0,63}$";

/// Says what the value of a parameter looks like, as far as its name tells.
pub(super) fn complete(parameter: &mut Parameter) {
    let Some(RefOr::T(Schema::Object(object))) = &mut parameter.schema else { return };
    // What may be left out has no word for nothing.
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
