//! The variables of templates: the list of `preface list variables` and of `GET /system-prompt/variables`. It is the same for
//! every directory, needs no store and never changes while a program runs.

use preface_core::variable_info::{REGISTERED, VariableInfo};

/// Lists what templates can name: ten in the order of docs/reference/variables.md, then the others as they are registered.
///
/// ```
/// let first = preface_engine::variables()[0];
/// assert_eq!((first.kind, first.name, first.dynamic), ("system", "time", false));
/// ```
#[must_use]
pub fn variables() -> Vec<VariableInfo> {
    let mut infos = REGISTERED.clone();
    infos.sort_by_key(place);
    infos
}

/// Returns the position of a variable in lists: ten in a fixed order, then the others.
pub(crate) fn place(info: &VariableInfo) -> usize {
    let place = SEED_ORDER.iter().position(|name| *name == (info.kind, info.name));
    place.unwrap_or(SEED_ORDER.len())
}

/// The variables that are listed first, in their order.
const SEED_ORDER: [(&str, &str); 10] = [
    ("system", "time"),
    ("system", "date"),
    ("system", "os"),
    ("system", "hostname"),
    ("prompt", "cwd"),
    ("prompt", "model"),
    ("prompt", "conversation_id"),
    ("git", "branch"),
    ("git", "status"),
    ("file", "<path>"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Request};
    use preface_core::assets::ASSETS;
    use preface_host::system::testing::MemorySystem;

    #[test]
    fn the_ten_of_the_seed_come_first_and_only_file_is_open() {
        let variables = variables();
        let first: Vec<(&str, &str)> = variables[..10].iter().map(|one| (one.kind, one.name)).collect();
        assert_eq!(first, SEED_ORDER);
        for variable in &variables[..10] {
            assert_eq!(variable.dynamic, variable.kind == "file", "{}:{}", variable.kind, variable.name);
            assert!(!variable.description.is_empty() && !variable.example.is_empty());
        }
    }

    #[test]
    fn facts_are_listed_as_variables_are() {
        let system = MemorySystem::new().with_bundle(ASSETS).with_dir("/work");
        let rows = Engine::new(&system).variables(&Request::new("/work")).unwrap();
        let rows: Vec<String> = rows.into_iter().map(|row| row.name).collect();
        let registered: Vec<String> =
            variables().iter().map(|one| format!("{}:{}", one.kind, one.name)).collect();
        assert_eq!(rows, registered);
    }
}
