//! The parts of the OpenAPI description that all operations share: roles, and the problems of any request.

mod input;
mod query;

pub(crate) use query::QueryParameters;

use crate::{Problem, guard};
use axum::http::Method;
use preface_engine::store::TokenRole;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Components, ContentBuilder, HeaderBuilder, Object, ObjectBuilder, OpenApi, PathItem, Ref, RefOr,
        ResponseBuilder, Schema, Type,
        path::Operation,
        security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme},
    },
};

/// The name of the access token among the security schemes.
const TOKEN: &str = "token";

/// The problems that any request can meet before or behind its handler.
const PROBLEMS: [(&str, &str); 9] = [
    ("400", "The request is invalid or has no single `Host`."),
    ("401", "The access token is missing, unknown or expired."),
    ("403", "The request comes from another site, or the role of the token is insufficient."),
    ("408", "The body did not arrive in time."),
    ("413", "The body is too large."),
    ("421", "The service does not allow the host of the request."),
    ("500", "Internal error, or a failure of the store."),
    ("503", "Overloaded, or the store does not respond. Try again later."),
    ("504", "The request took too long."),
];

const NOT_JSON: (&str, &str) = ("415", "The content type is not `application/json`.");

/// Completes a description.
pub(crate) fn complete(mut api: OpenApi) -> OpenApi {
    let components = api.components.get_or_insert_with(Default::default);
    components.schemas.entry(Problem::name().into_owned()).or_insert_with(Problem::schema);
    let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
    name_inner_objects(components);
    components.security_schemes.insert(TOKEN.to_owned(), token.into());
    for (path, item) in &mut api.paths.paths {
        for (method, operation) in operations(item) {
            describe(path, &method, operation);
        }
    }
    api
}

/// Gives a name to each object inside a variant of a union: generators of clients cannot name them.
fn name_inner_objects(components: &mut Components) {
    let mut named = Vec::new();
    for (union_name, schema) in &mut components.schemas {
        let RefOr::T(Schema::OneOf(union)) = schema else { continue };
        for variant in &mut union.items {
            let RefOr::T(Schema::Object(variant)) = variant else { continue };
            let tag = variant.properties.values().find_map(only_value);
            for (property, inner) in &mut variant.properties {
                let is_object =
                    matches!(inner, RefOr::T(Schema::Object(object)) if !object.properties.is_empty());
                if is_object {
                    let name = format!("{union_name}_{}", tag.as_deref().unwrap_or(property));
                    let object = std::mem::replace(inner, Ref::from_schema_name(&name).into());
                    named.push((name, object));
                }
            }
        }
    }
    components.schemas.extend(named);
}

/// Returns the value of a property that can have one value only, such as the tag of a variant.
fn only_value(property: &RefOr<Schema>) -> Option<String> {
    let RefOr::T(Schema::Object(Object { enum_values: Some(values), .. })) = property else { return None };
    let [value] = values.as_slice() else { return None };
    value.as_str().map(str::to_owned)
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    [
        (Method::GET, &mut item.get),
        (Method::PUT, &mut item.put),
        (Method::POST, &mut item.post),
        (Method::DELETE, &mut item.delete),
        (Method::PATCH, &mut item.patch),
    ]
    .into_iter()
    .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

fn describe(path: &str, method: &Method, operation: &mut Operation) {
    let open = guard::OPEN.contains(&path);
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter {
            input::complete_parameter(parameter);
        }
    }
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        input::complete_body(body);
    }
    let body = operation.request_body.is_some().then_some(NOT_JSON);
    for (status, about) in PROBLEMS.into_iter().chain(body) {
        if open && matches!(status, "401" | "408" | "413") {
            continue;
        }
        let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name(Problem::name()))).build();
        let response =
            ResponseBuilder::new().description(about).content("application/problem+json", problem).build();
        operation.responses.responses.entry(status.to_owned()).or_insert_with(|| response.into());
    }
    for response in operation.responses.responses.values_mut() {
        if let RefOr::T(response) = response {
            let id = HeaderBuilder::new()
                .schema(Some(ObjectBuilder::new().schema_type(Type::String).build()))
                .description(Some("The id of the request, as in the log."));
            response.headers.insert("X-Request-Id".to_owned(), id.build().into());
        }
    }
    if open {
        return;
    }
    // From this machine no token is needed.
    let token = SecurityRequirement::new(TOKEN, [""; 0]);
    operation.security = Some(vec![SecurityRequirement::default(), token]);
    let needed = guard::needed_role(method, path);
    let roles: Vec<String> = TokenRole::ALL
        .into_iter()
        .filter(|role| role.includes(needed))
        .map(|role| format!("`{}`", role.as_str()))
        .collect();
    let role = format!("Roles of an access token: {}.", roles.join(", "));
    operation.description = Some(match operation.description.take() {
        Some(about) if !about.is_empty() => format!("{about}\n\n{role}"),
        _ => role,
    });
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    #[test]
    fn objects_inside_variants_have_names() {
        let schemas = &serde_json::to_value(crate::api()).unwrap()["components"]["schemas"];
        let action = &schemas["PrivilegedAction"]["oneOf"][0]["properties"]["command"]["$ref"];
        assert_eq!(action, "#/components/schemas/PrivilegedAction_command");
        assert_eq!(schemas["PrivilegedAction_command"]["properties"]["argv"]["type"], "array");
        for (name, schema) in schemas.as_object().unwrap() {
            for variant in schema["oneOf"].as_array().into_iter().flatten() {
                for (property, inner) in variant["properties"].as_object().into_iter().flatten() {
                    assert!(inner["properties"].is_null(), "{name}: {property} has no name");
                }
            }
        }
    }

    #[test]
    fn every_operation_lists_its_problems() {
        let api = serde_json::to_value(crate::api()).unwrap();
        assert!(api["openapi"].as_str().unwrap().starts_with("3.1"));
        assert_eq!(api["components"]["securitySchemes"]["token"]["scheme"], "bearer");
        let known = api["components"]["schemas"]["Problem"]["properties"].as_object().unwrap();
        assert!(known.contains_key("request_id"));
        let mut operations = 0;
        for (path, item) in api["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                operations += 1;
                for (status, response) in operation["responses"].as_object().unwrap() {
                    let about = response["description"].as_str().unwrap_or_default();
                    assert!(!about.is_empty(), "{method} {path} {status} is empty: OpenAPI requires it");
                    assert!(response["headers"]["X-Request-Id"].is_object(), "{method} {path} {status}");
                }
                for parameter in operation["parameters"].as_array().into_iter().flatten() {
                    assert!(parameter["schema"]["type"].is_string(), "{method} {path} {parameter}");
                }
                for status in ["403", "421", "500", "503"] {
                    let schema =
                        &operation["responses"][status]["content"]["application/problem+json"]["schema"];
                    assert_eq!(schema["$ref"], "#/components/schemas/Problem", "{method} {path} {status}");
                }
                let open = crate::guard::OPEN.contains(&path.as_str());
                assert_eq!(operation["security"] == Value::Null, open, "{method} {path}");
            }
        }
        assert!(operations >= 4);
    }
}
