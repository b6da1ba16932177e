//! The rules of instruction files, one by one, on a machine in memory.
