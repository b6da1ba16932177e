//! The suite that each backend must pass, one law a function. [`contract!`](crate::contract!) makes a test of each.
//!
//! A law gets [`Nodes`]: several stores on one set of data, as several processes would have them, empty at the start. It
//! holds for all of them together.
//!
//! ```text
//! async fn nodes() -> (Nodes, impl Sized) { … }
//! preface_testkit::contract!(nodes);
//! ```

pub mod audits;
pub mod bytes;
pub mod conversations;
pub mod histories;
pub mod listings;
pub mod lives;
pub mod races;
pub mod requests;
pub mod samples;
pub mod server;
pub mod templates;

use preface_store::Store;
use std::{future::Future, sync::Arc};

/// Several stores on one set of data.
#[derive(Clone, Debug)]
pub struct Nodes(Vec<Arc<dyn Store>>);

impl Nodes {
    /// Takes stores that share their data; there must be one at least.
    #[must_use]
    pub fn new(stores: Vec<Arc<dyn Store>>) -> Self {
        assert!(!stores.is_empty(), "a law needs a store");
        Nodes(stores)
    }

    /// Returns the first.
    #[must_use]
    pub fn first(&self) -> &dyn Store {
        self.0[0].as_ref()
    }

    /// Returns the last: another than the first if there are several.
    #[must_use]
    pub fn other(&self) -> &dyn Store {
        self.0[self.0.len() - 1].as_ref()
    }

    /// Returns one by its number, counting round and round.
    #[must_use]
    pub fn turn(&self, number: usize) -> Arc<dyn Store> {
        Arc::clone(&self.0[number % self.0.len()])
    }

    /// Runs one task for each number below `count`, all at once, each with a store in turn; returns their results.
    ///
    /// # Panics
    /// A task does.
    pub async fn at_once<T, F>(&self, count: usize, task: impl Fn(usize, Arc<dyn Store>) -> F) -> Vec<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let gate = Arc::new(tokio::sync::Barrier::new(count));
        let tasks: Vec<_> = (0..count)
            .map(|number| {
                let (gate, work) = (Arc::clone(&gate), task(number, self.turn(number)));
                tokio::spawn(async move {
                    gate.wait().await;
                    work.await
                })
            })
            .collect();
        let mut results = Vec::with_capacity(count);
        for task in tasks {
            results.push(task.await.expect("a task ends"));
        }
        results
    }
}

/// Runs a law to its end, on several threads.
///
/// # Panics
/// The law is broken.
pub fn hold<T>(law: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build();
    runtime.expect("a runtime starts").block_on(law)
}

/// Makes a test of each law. Takes a path to an `async fn` that returns [`Nodes`](crate::contract::Nodes) on data that is
/// nobody else's, and whatever has to live as long as they do.
#[macro_export]
macro_rules! contract {
    ($make:path) => {
        $crate::contract!(@tests $make;
            audits::calls_without_effect_have_no_entry,
            audits::each_change_has_an_entry_with_its_detail,
            audits::entries_never_hold_a_text,
            audits::old_entries_are_trimmed,
            bytes::any_text_of_a_prompt_comes_back,
            bytes::any_text_of_a_template_comes_back,
            bytes::ids_are_data,
            bytes::short_texts_are_data,
            bytes::short_texts_with_nul_are_kept_or_refused_as_a_whole,
            conversations::a_conversation_that_began_again_has_another_seal,
            conversations::a_first_prompt_stays,
            conversations::a_seal_of_a_former_life_replaces_nothing,
            conversations::a_stale_delete_changes_nothing,
            conversations::a_stale_replace_changes_nothing,
            conversations::every_field_comes_back,
            conversations::replace_keeps_when_it_began,
            conversations::times_are_to_the_millisecond,
            conversations::unknown_ids_return_nothing,
            histories::a_page_loses_nothing_that_is_built_again,
            histories::delete_forgets_the_past,
            histories::purge_forgets_the_oldest_first,
            histories::purge_leaves_new_ones,
            histories::purge_leaves_what_is_used,
            histories::the_past_is_filed_whole,
            listings::a_limit_out_of_bounds_is_the_nearest,
            listings::a_page_goes_on_behind_what_was_forgotten,
            listings::a_place_that_was_never_given_is_empty,
            listings::a_template_filter_takes_its_own,
            listings::an_id_prefix_is_taken_literally,
            listings::lists_are_sorted_by_bytes,
            listings::pages_tile_audit_templates_and_past,
            listings::pages_tile_the_conversations,
            listings::pages_tile_while_others_write,
            lives::a_closed_store_returns_errors,
            lives::a_probe_changes_nothing,
            lives::a_store_has_one_identity,
            lives::a_store_is_well,
            lives::a_token_keeps_its_role_and_expiry,
            lives::access_names_are_unique,
            lives::acknowledged_writes_outlive_a_close,
            races::accesses_race,
            races::deletes_race,
            races::first_prompts_of_many_conversations_race,
            races::first_prompts_race,
            races::labels_race,
            races::purges_race,
            races::replacements_race,
            races::versions_from_nothing_race,
            races::versions_race,
            requests::a_list_of_requests_is_bounded,
            requests::a_record_of_a_request_is_replaced,
            requests::requests_are_not_in_the_audit,
            requests::requests_count_from_one,
            requests::requests_go_with_their_conversation,
            requests::requests_race,
            requests::requests_race_with_a_deletion,
            templates::a_label_is_on_one_version,
            templates::a_note_makes_a_version,
            templates::a_reset_is_a_version,
            templates::a_stale_writer_changes_nothing,
            templates::an_import_keeps_author_and_time,
            templates::declarations_belong_to_a_version,
            templates::lists_leave_texts_out,
            templates::unchanged_text_adds_none,
            templates::versions_count_from_one,
        );
    };
    (@tests $make:path; $($module:ident::$law:ident,)*) => {
        $(
            #[test]
            fn $law() {
                $crate::contract::hold(async {
                    let (nodes, _kept) = $make().await;
                    $crate::contract::$module::$law(&nodes).await;
                });
            }
        )*
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_law_is_in_the_list_once() {
        let modules = [
            ("audits", include_str!("audits.rs")),
            ("bytes", include_str!("bytes.rs")),
            ("conversations", include_str!("conversations.rs")),
            ("listings", include_str!("listings.rs")),
            ("lives", include_str!("lives.rs")),
            ("histories", include_str!("histories.rs")),
            ("races", include_str!("races.rs")),
            ("requests", include_str!("requests.rs")),
            ("templates", include_str!("templates.rs")),
        ];
        let mut laws: Vec<String> = Vec::new();
        for (module, source) in modules {
            let names = source.lines().filter_map(|line| line.strip_prefix("pub async fn "));
            laws.extend(
                names.map(|rest| format!("{module}::{},", rest.split('(').next().unwrap_or_default())),
            );
        }
        laws.sort();
        let listed: Vec<&str> = include_str!("mod.rs")
            .lines()
            .map(str::trim)
            .skip_while(|line| !line.starts_with("$crate::contract!(@tests $make;"))
            .skip(1)
            .take_while(|line| *line != ");")
            .collect();
        assert_eq!(listed, laws, "the list of `contract!` holds every law, sorted");
    }
}
