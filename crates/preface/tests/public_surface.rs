//! The public items of the library, in a file of their own: each change of the surface shows in review.

use quote::ToTokens;
use std::{collections::BTreeMap, env, fs, path::Path};
use syn::{Fields, ImplItem, Item, Visibility, visit_mut::VisitMut};

/// The most items at the root.
const MOST_ITEMS: usize = 60;

const FILE: &str = "public-surface.txt";

/// Removes what is not part of the surface: documentation, bodies, private items and fields.
struct Surface;

impl VisitMut for Surface {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<syn::Attribute>) {
        attributes.retain(|one| {
            ["non_exhaustive", "must_use", "cfg", "derive"].iter().any(|name| one.path().is_ident(name))
        });
    }

    fn visit_fields_mut(&mut self, fields: &mut Fields) {
        syn::visit_mut::visit_fields_mut(self, fields);
        let keep = |fields: syn::punctuated::Punctuated<syn::Field, syn::Token![,]>| {
            // The fields of a variant have no visibility of their own.
            fields.into_iter().filter(|field| !matches!(field.vis, Visibility::Restricted(_))).collect()
        };
        match fields {
            Fields::Named(named) => named.named = keep(std::mem::take(&mut named.named)),
            Fields::Unnamed(unnamed) => unnamed.unnamed = keep(std::mem::take(&mut unnamed.unnamed)),
            Fields::Unit => {}
        }
    }

    fn visit_item_struct_mut(&mut self, item: &mut syn::ItemStruct) {
        for field in &mut item.fields {
            if matches!(field.vis, Visibility::Inherited) {
                // Removed below.
                field.vis = syn::parse_quote!(pub(crate));
            }
        }
        syn::visit_mut::visit_item_struct_mut(self, item);
    }

    fn visit_item_impl_mut(&mut self, item: &mut syn::ItemImpl) {
        if item.trait_.is_some() {
            item.items.clear();
        }
        item.items.retain(|item| match item {
            ImplItem::Fn(function) => matches!(function.vis, Visibility::Public(_)),
            ImplItem::Const(constant) => matches!(constant.vis, Visibility::Public(_)),
            _ => false,
        });
        syn::visit_mut::visit_item_impl_mut(self, item);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.clear();
    }
}

/// Returns the names that `lib.rs` makes public, each with the path that it comes from.
fn exported(source: &Path) -> BTreeMap<String, String> {
    fn walk(tree: &syn::UseTree, path: &str, names: &mut BTreeMap<String, String>) {
        match tree {
            syn::UseTree::Path(next) => walk(&next.tree, &format!("{path}{}::", next.ident), names),
            syn::UseTree::Group(group) => group.items.iter().for_each(|next| walk(next, path, names)),
            syn::UseTree::Name(name) => {
                names.insert(name.ident.to_string(), format!("{path}{}", name.ident));
            }
            other => panic!("lib.rs exports each item by its name, not by `{}`", other.to_token_stream()),
        }
    }
    let file = syn::parse_file(&fs::read_to_string(source.join("lib.rs")).unwrap()).unwrap();
    let mut names = BTreeMap::new();
    for item in &file.items {
        match item {
            Item::Use(item) if matches!(item.vis, Visibility::Public(_)) => walk(&item.tree, "", &mut names),
            Item::Use(_) | Item::Mod(_) => {}
            other => panic!("lib.rs has modules and exports only, not `{}`", other.to_token_stream()),
        }
    }
    names
}

/// Collects the names that a file imports from the other crates of the workspace.
fn imported(tree: &syn::UseTree, names: &mut Vec<String>) {
    match tree {
        syn::UseTree::Path(next) => imported(&next.tree, names),
        syn::UseTree::Group(group) => group.items.iter().for_each(|next| imported(next, names)),
        syn::UseTree::Name(name) => names.push(name.ident.to_string()),
        syn::UseTree::Rename(name) => names.push(name.rename.to_string()),
        syn::UseTree::Glob(_) => panic!("the library imports by name"),
    }
}

/// Refuses types of the other crates of the workspace, which `names` holds.
struct Foreign(Vec<String>);

impl VisitMut for Foreign {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        let first = path.segments[0].ident.to_string();
        let is_foreign = first.starts_with("preface_") || self.0.contains(&first);
        assert!(!is_foreign, "the surface names `{}`, which lib.rs does not export", path.to_token_stream());
        syn::visit_mut::visit_path_mut(self, path);
    }
}

/// Returns the name of the type that an item is about.
fn subject(item: &Item) -> Option<String> {
    match item {
        Item::Struct(item) => Some(item.ident.to_string()),
        Item::Enum(item) => Some(item.ident.to_string()),
        Item::Impl(item) => match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        },
        _ => None,
    }
}

fn surface() -> (usize, String) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let names = exported(&source);
    let mut text = String::new();
    for (name, path) in names.iter().filter(|(_, path)| path.starts_with("preface_")) {
        text += &format!("pub use {path}; // {name}\n");
    }
    let mut files: Vec<_> = fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let mut parsed = syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap();
        parsed.attrs.clear();
        let mut foreign = Foreign(Vec::new());
        for item in &parsed.items {
            if let Item::Use(item) = item
                && let syn::UseTree::Path(path) = &item.tree
                && path.ident.to_string().starts_with("preface_")
            {
                imported(&item.tree, &mut foreign.0);
            }
        }
        foreign.0.retain(|name| !names.contains_key(name));
        parsed.items.retain(|item| subject(item).is_some_and(|name| names.contains_key(&name)));
        Surface.visit_file_mut(&mut parsed);
        let is_empty =
            |item: &Item| matches!(item, Item::Impl(one) if one.trait_.is_none() && one.items.is_empty());
        parsed.items.retain(|item| !is_empty(item));
        foreign.visit_file_mut(&mut parsed);
        if !parsed.items.is_empty() {
            text += &format!("\n{}", prettyplease::unparse(&parsed));
        }
    }
    (names.len(), text)
}

#[test]
fn the_surface_is_the_one_that_was_reviewed() {
    let (_, surface) = surface();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if env::var_os("PREFACE_PRINT").is_some() {
        fs::write(&file, &surface).unwrap();
    }
    assert!(
        fs::read_to_string(&file).unwrap_or_default() == surface,
        "the public items are not those of crates/preface/{FILE}; \
         `PREFACE_PRINT=1 cargo test -p preface --test public_surface` writes it"
    );
}

#[test]
fn the_root_stays_small() {
    let (items, _) = surface();
    assert!(items <= MOST_ITEMS, "{items} items at the root are more than {MOST_ITEMS}");
}
