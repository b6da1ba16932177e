//! Reads a directory in the form of the public prompt catalog, and compiles each `${…}` in it to the small tree that
//! `preface-core` works out. This is the one crate that knows JavaScript: a parser, no engine. Nothing is run here.
