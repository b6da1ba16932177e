//! The JSON of an origin, for the description of the service. It repeats the shape that serde writes:
//! the fields of a file are beside the others there, which clients' generators do not understand as a composition.

use super::Origin;
use crate::scope::Scope;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema},
};

/// Where text came from.
#[derive(ToSchema)]
#[schema(as = Origin)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(dead_code, reason = "only its description is used")]
enum Shape {
    /// Bytes of a file.
    #[schema(title = "SourceOrigin")]
    Source {
        /// The layer.
        scope: Scope,
        /// The file.
        path: String,
        /// The range of bytes.
        span: [usize; 2],
        /// True if the bytes are no UTF-8 and are replaced by a replacement character.
        #[schema(default = false)]
        lossy: Option<bool>,
    },
    /// A text of the profile.
    #[schema(title = "LiteralOrigin")]
    Literal {
        /// The profile; `bundled` for a default that no profile sets, `--set` for a value of the caller.
        profile: String,
        /// The key in the profile.
        key: String,
    },
    /// The value of a variable.
    #[schema(title = "VariableOrigin")]
    Variable {
        /// The variable, `type:name`.
        key: String,
        /// The source of the value.
        source: String,
    },
    /// Bytes of a stored template.
    #[schema(title = "StoredOrigin")]
    Stored {
        /// The template.
        template: String,
        /// The version; none if it is the default.
        version: Option<u64>,
        /// The range of bytes.
        span: [usize; 2],
    },
    /// A text of the caller.
    #[schema(title = "CallerOrigin")]
    Caller {
        /// The flag or API field.
        flag: String,
    },
    /// The reply of a hook.
    #[schema(title = "HookOrigin")]
    Hook {
        /// The hook.
        hook: String,
        /// At which event.
        event: String,
    },
}

impl PartialSchema for Origin {
    fn schema() -> RefOr<Schema> {
        Shape::schema()
    }
}

impl ToSchema for Origin {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Shape::schemas(schemas);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{caller, file, literal, variable};
    use serde_json::{Value, json};

    #[test]
    fn the_shape_is_what_serde_writes() {
        let shape = serde_json::to_value(Origin::schema()).unwrap();
        let shapes = shape["oneOf"].as_array().unwrap();
        let stored = Origin::Stored { template: "main".into(), version: Some(3), span: 0..4 };
        let event = crate::hook::HookEvent::ALL[0];
        let hook = Origin::Hook { hook: "check".into(), event };
        let origins = [file("A.md", 1..2), literal("join"), variable("a:b"), stored, caller("--x"), hook];
        assert_eq!(origins.len(), shapes.len());
        for origin in origins {
            let json = serde_json::to_value(&origin).unwrap();
            let one = shapes.iter().find(|one| one["properties"]["kind"]["enum"] == json!([json["kind"]]));
            let one = one.unwrap_or_else(|| panic!("no shape for {json}"));
            let known = one["properties"].as_object().unwrap();
            for key in json.as_object().unwrap().keys() {
                assert!(known.contains_key(key), "{key} of {json}");
            }
            for key in one["required"].as_array().unwrap().iter().filter_map(Value::as_str) {
                assert!(json.get(key).is_some(), "{key} of {json}");
            }
        }
    }
}
