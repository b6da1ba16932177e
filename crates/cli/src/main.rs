//! The `preface` command.
fn main() {}
