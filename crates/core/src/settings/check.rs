//! A parsed file against the schema: what does not fit is dropped with a note, the rest stays.

use super::{
    key_path::KeyPath,
    node::{Node, Table, Tree},
    notes::{Notes, shown},
    schema::Shape,
};
use crate::{
    diagnostic::{Diagnostic, Severity},
    suggestion::did_you_mean,
};

pub(super) const SHAPE_INVALID: &str = "Validation/SettingsShapeInvalid";
pub(super) const UNKNOWN_TOP_LEVEL_KEY: &str = "Validation/UnknownTopLevelKey";

/// Keeps what fits. `None` when the value itself does not.
pub(super) fn keep_valid(node: Node, shape: Shape, path: &mut KeyPath, notes: &mut Notes) -> Option<Node> {
    let node = match (shape, &node.tree) {
        (Shape::Short { key, .. }, Tree::Text(_)) => node.under(key),
        _ => node,
    };
    if let Some(fault) = fault(&node, shape) {
        notes.add(Severity::Error, || {
            let message = format!("`{}` {fault}", shown(&path.to_string()));
            Diagnostic::error(SHAPE_INVALID, message).at(node.place())
        });
        return None;
    }
    let Node { source, key_span, span, tree } = node;
    let tree = match tree {
        Tree::Table(table) => Tree::Table(keep_known(table, shape, path, notes)),
        other => other,
    };
    Some(Node { source, key_span, span, tree })
}

fn keep_known(table: Table, shape: Shape, path: &mut KeyPath, notes: &mut Notes) -> Table {
    let later = matches!(shape, Shape::Fallback(_));
    let mut kept = Table::default();
    for (key, node) in table.into_iter() {
        let below = match shape.under(&key) {
            // A layer's directive about the entry, not a value of the extension.
            Some(below) if !later || key == "disable" => below,
            _ if later => Shape::Any,
            _ => {
                notes.add(Severity::Error, || unknown_key(&key, &node, shape, path));
                continue;
            }
        };
        path.0.push(key);
        let valid = keep_valid(node, below, path, notes);
        // Calls push and pop in pairs, so the last key is this one.
        let key = path.0.pop().unwrap_or_default();
        if let Some(node) = valid {
            kept.put(key, node);
        }
    }
    kept
}

fn unknown_key(key: &str, node: &Node, shape: Shape, path: &KeyPath) -> Diagnostic {
    let (code, whole) = if path.0.is_empty() {
        (UNKNOWN_TOP_LEVEL_KEY, shown(key))
    } else {
        (SHAPE_INVALID, format!("{}.{}", shown(&path.to_string()), shown(key)))
    };
    let note = Diagnostic::error(code, format!("unknown setting `{whole}`")).at(node.key_place());
    match (did_you_mean(key, shape.names()), key) {
        (_, "mcp" | "mcpServers") if path.0.is_empty() => note.help("MCP servers are listed in `mcp.json`"),
        (Some(near), _) => note.help(format!("did you mean `{near}`?")),
        (None, "$schema") if path.0.is_empty() => note.help("remove it; settings have one schema"),
        (None, _) => {
            let names: Vec<String> = shape.names().map(|name| format!("`{name}`")).collect();
            note.help(format!("known here: {}", names.join(", ")))
        }
    }
}

/// Says what is wrong with the value itself (not with what is below it), as the end of a sentence.
pub(super) fn fault(node: &Node, shape: Shape) -> Option<String> {
    let fits = match (&node.tree, shape) {
        (Tree::Null, _) | (_, Shape::Any) => true,
        (Tree::Text(text), Shape::Path) => return path_fault(text),
        (Tree::Text(_), Shape::Text) | (Tree::Flag(_), Shape::Flag) => true,
        (Tree::Text(word), Shape::Choice(words)) => {
            if words.contains(&word.as_str()) {
                return None;
            }
            let near = did_you_mean(word, words.iter().copied());
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Some(format!("must be {}, not `{}`{near}", shape.expected(), shown(word)));
        }
        (Tree::Number(_), Shape::Integer { least }) => {
            node.as_integer().is_some_and(|integer| least.is_none_or(|least| integer >= least))
        }
        (Tree::List(items), Shape::Texts(_)) => {
            match items.iter().position(|item| item.as_text().is_none()) {
                Some(at) => {
                    return Some(format!(
                        "must be an array of strings, but item {} is {}",
                        at,
                        items[at].described()
                    ));
                }
                None => true,
            }
        }
        (Tree::Table(_), Shape::Record(..) | Shape::ById { .. } | Shape::Fallback(_)) => true,
        (Tree::Table(_) | Tree::Text(_), Shape::Short { .. }) => true,
        _ => false,
    };
    (!fits).then(|| format!("must be {}, not {}", shape.expected(), node.described()))
}

/// The longest path, in characters.
const LONGEST_PATH: usize = 4096;

fn path_fault(path: &str) -> Option<String> {
    if path.trim().is_empty() {
        return Some("must not be blank".to_owned());
    }
    let length = path.chars().count();
    if length > LONGEST_PATH {
        return Some(format!("must be at most {LONGEST_PATH} characters long, not {length}"));
    }
    if path.split(['/', '\\']).any(|component| component == "..") {
        return Some("must not contain `..`".to_owned());
    }
    None
}
