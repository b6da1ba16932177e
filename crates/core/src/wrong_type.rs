//! Plain words for the messages of serde, which have names of Rust types and repeat the input at any length.

/// Returns the expected type of a field and the type of its value, from serde's message; `None` if the message is about something else.
/// `table` is the format's name for keys with values, such as `an object`.
///
/// ```
/// use preface_core::wrong_type::wrong_type;
/// let message = "invalid type: string \"high\", expected i64";
/// assert_eq!(wrong_type(message, "a table"), Some(("a whole number", "a string")));
/// assert_eq!(wrong_type("missing field `text`", "a table"), None);
/// ```
#[must_use]
pub fn wrong_type<'m>(message: &'m str, table: &'static str) -> Option<(&'m str, &'static str)> {
    let wrong = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    let (found, wanted) = wrong.rsplit_once(", expected ")?;
    Some((wanted_type(wanted, table), kind(found, table)))
}

fn kind(found: &str, table: &'static str) -> &'static str {
    match found.split([' ', '`']).next().unwrap_or_default() {
        "string" => "a string",
        "integer" | "floating" | "number" => "a number",
        "boolean" => "`true` or `false`",
        "null" | "unit" => "null",
        "map" => table,
        "sequence" => "a list",
        _ => "something else",
    }
}

fn wanted_type<'m>(wanted: &'m str, table: &'static str) -> &'m str {
    match wanted {
        _ if wanted.starts_with("struct ") => table,
        "a map" | "an object" => table,
        "a sequence" => "a list",
        "a boolean" => "`true` or `false`",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number that is not negative",
        _ => wanted,
    }
}
