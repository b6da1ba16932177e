//! The expected output for these versions of the servers: lines of the example, or how they end after the name.

/// The lines that must be there. More may be.
pub const EXPECTED: &[&str] = &[
    "filesystem: calls itself secure-filesystem-server 0.2.0, protocol 2025-11-25: 14 tools, 0 prompts, 0 resources",
    "filesystem: tool read_text_file",
    "filesystem: tool write_file",
    "everything: calls itself mcp-servers/everything 2.0.0, protocol 2025-11-25: 13 tools, 4 prompts, 7 resources",
    "everything: instructions of 1579 bytes",
    "everything: fetched prompt `args-prompt`: 24 bytes",
    "everything: fetched resource `demo://resource/static/document/features.md`: 9889 bytes",
    "everything: tool echo",
    "everything: prompt args-prompt",
    "everything: resource demo://resource/static/document/features.md",
    "everything-http: calls itself mcp-servers/everything 2.0.0, protocol 2025-11-25: 13 tools, 4 prompts, 7 resources",
    "everything-http: instructions of 1579 bytes",
    "everything-http: fetched prompt `args-prompt`: 24 bytes",
    "everything-http: fetched resource `demo://resource/static/document/features.md`: 9889 bytes",
    "everything-http: tool echo",
    "everything-http: prompt args-prompt",
    "everything-http: resource demo://resource/static/document/features.md",
    // It supports both eras of the protocol, and the older one where the machine is too busy for it to start in nine seconds.
    "git: 12 tools, 0 prompts, 0 resources",
    "git: tool git_status",
];
