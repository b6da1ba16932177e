//! The suite that each backend must pass.
