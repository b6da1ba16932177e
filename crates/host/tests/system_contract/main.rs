//! One contract for every [`System`](preface_host::system::System): each check runs on the real machine and on its
//! twin in memory.
//!
//! A check is a function over a [`place::Place`], an empty directory on some machine. It belongs to one of the lists
//! below; a check that needs permissions to bite belongs to the second, which is never run as root.

#[cfg(target_os = "linux")]
mod crash;
mod faults;
mod looking;
mod os_only;
mod permissions;
mod place;
mod reading;
mod running;
mod running_os;
mod surroundings;
mod writing;

macro_rules! contract {
    ($($module:ident :: { $($check:ident,)* })*) => {
        mod os {
            $(mod $module {
                $(#[test] fn $check() { crate::$module::$check(&crate::place::Place::os()); })*
            })*
        }
        mod memory {
            $(mod $module {
                $(#[test] fn $check() { crate::$module::$check(&crate::place::Place::memory()); })*
            })*
        }
    };
}

contract! {
    looking::{
        a_directory_lists_sorted_by_bytes,
        a_directory_over_the_limit_is_too_large,
        a_list_of_no_directory_returns_its_kind,
        a_relative_path_is_nobodys,
        canonical_resolves_every_link,
        canonical_reports_what_is_wrong,
        hard_links_and_links_share_an_id,
        link_stat_does_not_follow,
        stat_follows,
    }
    reading::{
        a_directory_is_no_file,
        a_file_at_the_limit_is_read_and_one_byte_more_is_not,
        a_file_in_the_middle_of_a_path_is_missing,
        a_file_is_read_whole_with_its_stat,
        a_link_out_is_outside_also_where_nothing_is,
        a_link_that_is_absolute_and_stays_inside_is_inside,
        a_link_that_points_nowhere_dangles,
        a_loop_of_links_is_a_loop,
        a_missing_root_holds_nothing,
        a_path_too_long_is_a_loop,
        a_root_may_be_reached_through_a_link,
        a_root_that_is_a_file_holds_nothing,
        a_special_file_is_never_read,
        dots_are_followed_on_disk_and_not_in_the_text,
        links_inside_are_followed,
        missing_is_missing,
        siblings_with_a_common_prefix_are_outside,
        the_head_of_a_file_is_read_whatever_its_size,
    }
    running::{
        a_bad_end_is_no_error,
        a_program_gets_its_words_as_they_are,
        a_program_that_takes_too_long_is_late,
        a_program_that_writes_too_much_is_refused,
        a_run_needs_a_directory,
        a_missing_program_is_an_error,
    }
    surroundings::{
        bundled_files_are_found_and_listed,
        the_machine_knows_where_it_is,
    }
    writing::{
        directories_beneath_a_root_follow_no_link,
        an_append_adds_to_a_file_of_its_own,
        a_lock_excludes_and_ends_with_its_value,
        a_lock_needs_a_file_of_its_own,
        a_new_file_refuses_whatever_stands_there,
        a_replaced_file_is_another_file,
        a_rename_never_replaces,
        a_write_leaves_nothing_else_behind,
        a_write_needs_its_directory,
        a_write_sets_the_mode_whatever_was_there,
        a_write_through_a_dangling_link_creates_the_target,
        a_write_through_a_link_replaces_the_target,
        a_write_to_something_else_is_refused,
        make_dir_returns_whether_it_made_the_directory,
        make_dirs_makes_the_parents,
        one_of_many_new_writers_wins,
        remove_dir_removes_empty_directories_only,
        remove_removes_files_and_links_only,
        waiting_for_a_lock_ends_when_it_is_free,
    }
}
