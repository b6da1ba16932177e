//! The servers of all layers with their recordings, as `preface list servers` shows them.

use crate::{
    Error,
    input::recordings::recalled,
    list::{Build, scopes::ScopesReport},
};
use preface_core::{
    diagnostic::Diagnostics,
    mcp_servers::{RecordedBy, Recording},
    turn::Tool,
};
use preface_host::mcp_recordings;
use serde::Serialize;
use std::collections::BTreeMap;

/// The recording of a server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecordingInfo {
    /// The author of the recording.
    pub by: RecordedBy,
    /// The file, for people.
    pub path: String,
    /// The time of the recording, RFC 3339; `None` if it was written by hand.
    pub recorded: Option<String>,
    /// The age of the recording in seconds.
    pub age: Option<u64>,
    /// The version of the protocol.
    pub protocol: Option<String>,
    /// The name that the server reports for itself.
    pub calls_itself: Option<String>,
    /// The number of tools.
    pub tools: usize,
    /// The number of prompts.
    pub prompts: usize,
    /// The number of resources.
    pub resources: usize,
    /// The whole recording.
    #[serde(skip)]
    pub recording: Recording,
}

/// The servers of all layers, and what is known of them.
#[derive(Clone, Debug)]
pub struct ServersReport {
    /// The entries of all layers.
    pub scopes: ScopesReport,
    /// The recordings of the servers that may run, by name.
    pub known: BTreeMap<String, RecordingInfo>,
    /// Their tools, as a build with this profile would define them; none if it takes no tools of servers.
    pub tools: Vec<Tool>,
    /// The names of the tools that a build of this request uses, without those of servers: the ones that it names, else the
    /// profile's.
    pub used: Vec<String>,
    /// The files of a project that list servers beside `mcp.json`.
    pub files: Vec<String>,
}

impl Build<'_> {
    /// Returns the servers of all layers with their recordings. No server is contacted.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn servers(&self) -> Result<ServersReport, Error> {
        let (inputs, mut snapshot) = (&self.inputs, self.snapshot()?);
        let context = inputs.context(&self.engine);
        let servers = &inputs.entries.mcp.servers;
        let mut diagnostics = Diagnostics::new();
        let recorded = recalled(servers, &context, &mut diagnostics);
        let now = self.engine.system().now();
        let mut known = BTreeMap::new();
        for (server, recorded) in servers.iter().zip(recorded) {
            let Some(recorded) = recorded else { continue };
            let path = match recorded.by {
                RecordedBy::Hand => mcp_recordings::hand_path(&server.name, inputs.places()),
                RecordedBy::Preface => mcp_recordings::path(server, self.engine.system(), inputs.places()),
            };
            let recording = recorded.recording.clone();
            let at = recording.recorded.as_deref().and_then(|at| at.parse::<jiff::Timestamp>().ok());
            let age = at.map(|at| u64::try_from(now.duration_since(at).as_secs()).unwrap_or_default());
            let described = &recording.described;
            known.insert(
                server.name.clone(),
                RecordingInfo {
                    by: recorded.by,
                    path: path.map(|path| inputs.places().shown(&path)).unwrap_or_default(),
                    recorded: recording.recorded.clone(),
                    age,
                    protocol: recording.protocol.clone(),
                    calls_itself: recording.calls_itself.clone(),
                    tools: described.tools.len(),
                    prompts: described.prompts.len(),
                    resources: described.resources.len(),
                    recording,
                },
            );
        }
        diagnostics.retain(|diagnostic| !snapshot.diagnostics.contains(diagnostic));
        snapshot.diagnostics.append(&mut diagnostics);
        let own = snapshot.turn.tools.iter().filter(|tool| !tool.is_of_server());
        let used = own.map(|tool| tool.name.clone()).collect();
        let files = snapshot.profile.mcp.files.clone();
        let tools = inputs.entries.server_tools.clone();
        Ok(ServersReport { scopes: self.scopes_of(snapshot)?, known, tools, used, files })
    }
}
