//! The HTTP service of preface.
