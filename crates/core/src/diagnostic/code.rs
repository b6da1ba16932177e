//! The codes of diagnostics: one table with the spelling, the severities, the meaning and, if there is one, the fixed remedy.
//!
//! A code is spelled `topic/kebab-case`; `OrderingRewrite` alone is not, because it is the name of an audit event, too, which is fixed.
//! `docs/reference/diagnostics.md` is generated from the table.

use super::{Remedy, Severity};
use crate::lint::hidden::escape_hidden;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{borrow::Cow, fmt};

struct CodeInfo {
    spelling: &'static str,
    severities: &'static [Severity],
    meaning: &'static str,
    remedy: Option<&'static str>,
}

macro_rules! optional {
    () => {
        None
    };
    ($value:literal) => {
        Some($value)
    };
}

macro_rules! codes {
    ($($variant:ident $spelling:literal [$($severity:ident),+] $meaning:literal $(=> $remedy:literal)?;)+) => {
        /// The stable code of a diagnostic. Codes are ordered by their spelling.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DiagnosticCode {
            $(#[doc = $meaning] $variant,)+
        }

        impl DiagnosticCode {
            /// All codes, sorted by their spelling.
            pub const ALL: &'static [DiagnosticCode] = &[$(DiagnosticCode::$variant,)+];

            fn row(self) -> &'static CodeInfo {
                match self {
                    $(DiagnosticCode::$variant => &CodeInfo {
                        spelling: $spelling,
                        severities: &[$(Severity::$severity),+],
                        meaning: $meaning,
                        remedy: optional!($($remedy)?),
                    },)+
                }
            }
        }
    };
}

impl DiagnosticCode {
    /// Returns the spelling that every surface uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.row().spelling
    }

    /// Returns the part of the spelling before the slash, all of it if there is no slash.
    #[must_use]
    pub fn topic(self) -> &'static str {
        self.as_str().split_once('/').map_or(self.as_str(), |(topic, _)| topic)
    }

    /// Returns true if it is about the texts of instruction files, and so about a prompt alone.
    #[must_use]
    pub fn is_of_instructions(self) -> bool {
        matches!(self.topic(), "context" | "imports" | "instructions" | "rules")
    }

    /// Returns the severities that its diagnostics can have, the usual one first.
    #[must_use]
    pub fn severities(self) -> &'static [Severity] {
        self.row().severities
    }

    /// Returns one sentence about what happened.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// Returns what to do about it, where that is the same for all its diagnostics.
    #[must_use]
    pub fn remedy(self) -> Option<&'static str> {
        self.row().remedy
    }

    /// Returns the same as the help of a diagnostic.
    ///
    /// ```
    /// use preface_core::diagnostic::{DiagnosticCode, Remedy};
    /// assert_eq!(DiagnosticCode::ScopeCollision.help().as_deref(), Some("rename one of them"));
    /// ```
    #[must_use]
    pub fn help(self) -> Option<Remedy> {
        let remedy = self.remedy()?.trim_end_matches('.');
        let first = remedy.chars().next()?;
        let words: String = first.to_lowercase().chain(remedy[first.len_utf8()..].chars()).collect();
        Some(words.into())
    }
}

impl fmt::Display for DiagnosticCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for DiagnosticCode {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for DiagnosticCode {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(from)?;
        let known = Self::ALL.iter().copied().find(|code| code.as_str() == text);
        known.ok_or_else(|| {
            D::Error::custom(format_args!("unknown diagnostic code `{}`", escape_hidden(&text)))
        })
    }
}

codes! {
    OrderingRewrite "OrderingRewrite" [Warning, Info] "An `ordering.json` changes the order in which hooks run.";
    AgentNoSkill "agent/no-skill" [Warning] "An agent file names a skill that cannot be used.";
    AgentTool "agent/tool" [Warning] "A tool rule of an agent file has no effect.";
    AgentsCut "agents/cut" [Info] "Not all agents, or descriptions in full, are listed to the model.";
    AgentsUnused "agents/unused" [Warning] "The profile has no agents: agent files have no effect.";
    AuditWithoutCorrelation "audit/no-correlation" [Error] "Audit events without a correlation id were not written.";
    AuditUnavailable "audit/unavailable" [Error] "The audit log cannot be locked or written.";
    BudgetCut "budget/cut" [Warning] "A section was shortened to fit a token limit.";
    BudgetDropped "budget/dropped" [Warning] "A section was left out to fit a token limit.";
    BudgetNear "budget/near" [Warning] "The exact count of tokens may exceed the limit." => "Count with an exact tokenizer.";
    BudgetOver "budget/over" [Warning, Error] "The prompt has more tokens than the budget allows.";
    CacheBelowMinimum "cache/below-minimum" [Info] "The stable beginning of a request is smaller than what the service caches.";
    CacheMarks "cache/marks" [Warning] "The service refuses a cache mark of a message; it was left out.";
    CacheStability "cache/stability" [Warning, Info] "A section is declared more stable than a variable in it." => "Leave out `stability`: a section is as stable as the least stable variable in it.";
    CacheTtl "cache/ttl" [Warning] "The model or the format does not offer the chosen lifetime of a cache." => "Choose one that `cache_ttl` in the row of the model lists.";
    CacheVolatileEarly "cache/volatile-early" [Warning, Info] "A section that changes comes before one that does not: caches are lost early." => "Move it behind, for example with `arrange = \"stability\"`.";
    CatalogDamaged "catalog/damaged" [Error] "An imported catalog cannot be read, changed, or does not have the pinned digest." => "Import the catalog again.";
    CatalogExists "catalog/exists" [Error] "Other texts were imported under this version.";
    CatalogLeftOut "catalog/left-out" [Warning] "A file was left out of the import.";
    CatalogMissing "catalog/missing" [Error] "A catalog is not imported.";
    CatalogNoPrompt "catalog/no-prompt" [Error, Info] "The catalog has no prompt of this name.";
    CatalogNotPinned "catalog/not-pinned" [Info] "The catalog was chosen by version only, without a digest." => "Pin its digest in the option `catalog`.";
    CatalogNotWritten "catalog/not-written" [Error] "The directory of imported catalogs cannot be changed.";
    CatalogParameter "catalog/parameter" [Warning] "A tool description names a parameter that the schema lacks." => "Define it in `[tool_texts.TOOL.parameters]` of the profile.";
    CatalogRefused "catalog/refused" [Error, Warning] "What is named is no catalog, or no version of one.";
    CatalogUnbound "catalog/unbound" [Info] "A value is not bound by the profile, whose own text is used." => "Bind it in `[catalog.bind]` of the profile.";
    Failed "cli/failed" [Error] "The command failed.";
    Stopped "cli/stopped" [Error] "The command was stopped by a signal.";
    Usage "cli/usage" [Error] "The command or call was used wrongly.";
    CommandCut "command/cut" [Info, Warning] "Not all slash commands, or descriptions in full, are listed to the model.";
    ContextDuplicate "context/duplicate" [Info] "The text of an instruction file is already included.";
    ContextImport "context/import" [Warning] "An instruction file imports another file, and imports are not resolved." => "Write the text into the file, or set `imports = \"insert\"` for the section in a profile.";
    ContextShadowed "context/shadowed" [Info] "Another instruction file is used in its place.";
    ConversationAgent "conversation/agent" [Warning] "The turn names another agent than the stored prompt was built for." => "Give the agent a conversation of its own.";
    ConversationKept "conversation/kept" [Info] "The profile keeps its prompt over a compaction.";
    ConversationOptions "conversation/options" [Warning] "The turn sets an option that the stored prompt was not built with." => "A compaction or a refresh builds the prompt for it.";
    ConversationTools "conversation/tools" [Warning, Info] "The turn has other tools or definitions than the stored prompt was built for." => "A refresh builds the prompt for them, and so does a compaction unless the profile keeps its prompt.";
    ConversationToolsRevoked "conversation/tools-revoked" [Warning] "The trust in a project was revoked: requests are sent without its tools." => "Grant it again, then refresh the conversation, to have them back.";
    ContextProviderFailed "extension/context-provider-failed" [Warning] "The program of a context provider failed or was late; its text is absent.";
    ContractVersionMismatch "extension/contract-version" [Error, Warning] "A manifest has a contract version that is not supported.";
    RequiredCoreVersionMismatch "extension/core-version" [Error, Warning] "A manifest requires another version of preface.";
    ExclusiveSlotConflict "extension/exclusive-slot" [Warning] "Another context provider has the exclusive slot.";
    ExtensionIncomplete "extension/incomplete" [Warning] "The manifest of an active extension lacks a key." => "Add it to the manifest.";
    FragmentKindInvalid "extension/kind-invalid" [Error, Warning] "`kind` of a context provider is not known.";
    DiscoveryManifestInvalid "extension/manifest-invalid" [Error, Warning] "A manifest cannot be read or is not JSON.";
    RegistrationConflict "extension/name-conflict" [Error, Warning] "Two extensions of one layer have the same name." => "Rename one of them.";
    ExtensionNamed "extension/named" [Info] "`active` in the settings names the extension.";
    ExtensionNeedsGrant "extension/needs-grant" [Info, Warning] "An extension or MCP server of the project is not granted, or changed since." => "Review it, then grant it.";
    FragmentBudgetNegative "extension/negative-budget" [Error, Warning] "`maxTokens` of a manifest is negative.";
    ExtensionOtherKind "extension/other-kind" [Info] "A context provider of another kind than `system-message` has no part in the prompt.";
    ExtensionPassedOver "extension/passed-over" [Warning] "Extensions lie in a directory that is not read or is no category.";
    ShapeInvalid "extension/shape-invalid" [Error, Warning] "A manifest lacks a required key, or has a value of another shape.";
    UnknownConfigKey "extension/unknown-config-key" [Warning] "A setting is not declared in the manifest.";
    FileAboveRoots "file/above-roots" [Info] "The repository begins above the roots: its instruction files and status were not read.";
    FileFollowed "file/followed" [Info] "A link that leads out of the project was followed, as allowed.";
    FileLink "file/link" [Warning, Info] "A link is broken, is not followed, or could lead out of the project." => "Correct the link, or put the file in its place.";
    FileMissing "file/missing" [Warning, Info, Error] "A file or directory that is named does not exist.";
    FileNotUtf8 "file/not-utf8" [Warning, Error] "A file is not UTF-8: its bad bytes became U+FFFD, or, in UTF-16 or UTF-32, it was left out." => "Save the file as UTF-8.";
    FileOutside "file/outside" [Warning] "A file is outside of what the project may read.";
    FileTooLarge "file/too-large" [Warning, Error] "A file is too large and was left out." => "Shorten the file.";
    FileUnreadable "file/unreadable" [Warning, Error] "A file cannot be read, is not regular, or is not valid." => "Allow reading it, correct it, or remove it.";
    ForgedEscaped "forged/escaped" [Warning, Info] "What imitates the structure of a prompt was escaped." => "See where the text comes from, and whether it is meant to mislead the model.";
    ForgedHeading "forged/heading" [Warning] "A text imitates a heading that preface writes." => "Change the heading, or remove the line.";
    ForgedMarker "forged/marker" [Warning] "A text imitates a marker of a chat format." => "Remove it, or write its first character as an entity, such as `&lt;`.";
    ForgedRole "forged/role" [Warning] "A text imitates the start of a turn, such as `System:`." => "Write a backslash before it, such as `\\System:`, or change the beginning of the line.";
    ForgedTag "forged/tag" [Warning] "A text imitates a tag that preface writes." => "Remove it, or write `&lt;` for its `<`.";
    GitBranchCut "git/branch-cut" [Warning] "The name of a git branch was cut.";
    GitBroken "git/broken" [Warning] "The repository is damaged, or git failed.";
    GitNoCommit "git/no-commit" [Info] "The branch has no commit yet." => "Make a commit.";
    GitNoWorkTree "git/no-work-tree" [Info] "The directory is a git directory and not a work tree." => "Use a work tree.";
    GitOwner "git/owner" [Warning] "The repository belongs to another user." => "Work in its root, or change its owner.";
    GitUnsupported "git/unsupported" [Warning] "The refs are a reftable, or git cannot be run.";
    HiddenBlank "hidden/blank" [Warning, Info] "A text has unusual or very many blanks or line ends." => "Write a space or a line feed in their place, or delete them.";
    HiddenCharacter "hidden/character" [Warning, Error, Info] "A text has characters that are not seen, or change others." => "Delete the characters, or write them as `\\u{…}` in a text about them.";
    HiddenComment "hidden/comment" [Warning, Info] "A text has an HTML comment outside of code." => "Remove the comment if it is not meant for the model.";
    HiddenMore "hidden/more" [Warning] "More hidden text was found than is reported." => "Correct the places that are reported, and look again.";
    HiddenValue "hidden/value" [Warning, Info] "The value of a variable has hidden or unusual characters." => "See where the value comes from, and change it there.";
    HistoryEdited "history/edited" [Warning] "A message of an earlier request changed or is gone.";
    HookEmptyPrompt "hook/empty-prompt" [Warning] "A hook answered with an empty prompt, which changes nothing." => "`\"replace_with_empty\": true` sends an empty prompt.";
    HookError "hook/error" [Error, Warning] "A hook failed, or a skill that it expands cannot be read.";
    HookInvalidAttachment "hook/invalid-attachment" [Error, Warning] "A manifest or an `ordering.json` names a slot that does not exist or fit.";
    HookRemoved "hook/removed" [Info] "A hook removed sections or text from the prompt.";
    StaleOverride "hook/stale-override" [Warning] "A hook changed the tools, but another hook replaced their text.";
    ImportsCycle "imports/cycle" [Warning] "A file imports itself." => "Remove the import from one of the files.";
    ImportsHops "imports/hops" [Warning] "The chain of imports is too long." => "Import the file from one that is nearer.";
    ImportsLeftOut "imports/left-out" [Info] "The imported file is excluded, included on its own, or was not read.";
    ImportsLimit "imports/limit" [Warning] "Imports are too many or too large." => "Import less, or each file once.";
    ImportsMissing "imports/missing" [Warning] "An imported file does not exist, or cannot be read as text." => "Correct the path, or write it in backticks.";
    ImportsOutside "imports/outside" [Warning] "An imported file is outside of what may be read, or git ignores it." => "Copy the file into the work tree, or import it from a file of your own.";
    InstructionsCut "instructions/cut" [Warning] "An agent reads only a part of an instruction file, or nothing." => "Shorten it, or move what is read on demand into files of their own.";
    InstructionsExcluded "instructions/excluded" [Info] "A setting excludes an instruction file.";
    InstructionsLimit "instructions/limit" [Warning] "Only the nearest directories were searched for instruction files." => "Work in a directory that is less deep.";
    InstructionsLong "instructions/long" [Info] "An instruction file is long, and every request pays for it.";
    InstructionsOneAgent "instructions/one-agent" [Info] "Only one known agent reads an instruction file or a skill.";
    InstructionsUnread "instructions/unread" [Info, Warning] "What looks like instructions is not read by this profile, or by any agent.";
    KeyUnknown "key/unknown" [Warning, Info] "A key of a manifest, a Markdown head, a hook's answer or a message list does not exist or has no effect.";
    LayerDirectory "layer/directory" [Warning] "A directory cannot be read, or was searched already under another name.";
    LayerInside "layer/inside-project" [Warning] "The global layer or the state directory is inside the project and not used.";
    LayerNone "layer/none" [Info, Warning] "A layer has no directory of its own.";
    LayerSections "layer/sections" [Warning] "Sections of a layer cannot be read, are too many, or too large.";
    LayerTwoGlobals "layer/two-globals" [Warning] "Two global directories exist, and only one is used." => "Put the files into one of the two, and remove the other.";
    LayerVariable "layer/variable" [Warning] "The value of an environment variable is no directory that can be used.";
    LayerWritable "layer/writable" [Warning] "Other users can write in the global layer.";
    LockChanged "lock/changed" [Error] "The prompt is not made of what the lock file records." => "Review the changes, then write the file again with `preface build --lock FILE`.";
    LoggerFailed "logger/failed" [Warning] "A logger wrote nothing.";
    MarkdownField "markdown/field" [Warning] "A field in the head of a Markdown file lacks or has a wrong value.";
    MarkdownHead "markdown/head" [Warning, Info] "The head of a Markdown file is not valid YAML." => "Correct the lines between the two `---`: a text with marks of YAML needs quotes.";
    MarkdownTooMany "markdown/too-many" [Warning] "Markdown files or directories are too many or too deep; the rest was left out." => "Move what is not needed out of the directory.";
    McpClash "mcp/clash" [Warning] "Another tool has the name of one of an MCP server, which was left out.";
    McpServerConfigInvalid "mcp/config-invalid" [Error, Warning] "An `mcp.json` or one of its servers is not valid.";
    McpCut "mcp/cut" [Info, Warning] "A text of an MCP server is too long.";
    McpHidden "mcp/hidden" [Warning] "A text of an MCP server has hidden characters." => "Read what is hidden before the server is used.";
    McpInactive "mcp/inactive" [Warning] "An MCP server is not active and was not queried.";
    McpLate "mcp/late" [Warning] "An MCP server did not answer in time." => "Give it a longer deadline.";
    McpNoRecording "mcp/no-recording" [Info] "An MCP server has no recording." => "Refresh the server.";
    McpProtocol "mcp/protocol" [Warning] "What an MCP server sends or lists is not valid, listed twice, or more than is read." => "Report it to the author of the server.";
    McpRecording "mcp/recording" [Warning, Info] "A recording cannot be read or written, or a description written by hand replaces it.";
    McpRefused "mcp/refused" [Warning] "An MCP server refused a request, or may not be started.";
    McpSecret "mcp/secret" [Warning] "The answer of an MCP server repeats a value that it was given.";
    McpSse "mcp/sse" [Warning] "An MCP server uses the SSE transport, which is not supported." => "Use its streamable HTTP address.";
    McpUnknown "mcp/unknown" [Warning] "The settings switch an MCP server that no layer has.";
    McpUnknownKey "mcp/unknown-key" [Warning] "An `mcp.json` has a key that does not exist.";
    McpUnreachable "mcp/unreachable" [Warning] "An MCP server cannot be started or reached, or did not answer.";
    McpUnsetVariable "mcp/unset-variable" [Warning] "An MCP server needs an environment variable that is not set." => "Set the variable.";
    MessagesExcluded "messages/excluded" [Info] "The command of a message was run with `!!`.";
    MessagesLeftOut "messages/left-out" [Warning] "A message that a hook added is not valid.";
    MessagesSystem "messages/system" [Warning] "The profile leaves messages of role `system` out.";
    OrderingManifestDuplicateExtId "ordering/duplicate" [Error] "An `ordering.json` lists a hook twice.";
    OrderingManifestMalformed "ordering/malformed" [Error] "An `ordering.json` is not valid JSON of the expected shape.";
    OrderingUnknownHook "ordering/unknown-hook" [Info] "An `ordering.json` names a hook that is not active.";
    OrderingManifestUnreadable "ordering/unreadable" [Warning] "An `ordering.json` cannot be read.";
    PrefixChanged "prefix/changed" [Warning] "A request does not extend the one before it.";
    ProfileClosed "profile/closed" [Info] "The profile is closed: sections and `systemPrompt` of your files have no effect.";
    ProfileGuidelines "profile/guidelines" [Info] "The guidelines of a profile replace those that it extends.";
    ProfileInvalid "profile/invalid" [Error] "A profile file is not valid.";
    ProfileOption "profile/option" [Warning] "A section names a context provider that does not exist, or gives it a wrong option.";
    ProgramInsideProject "program/inside-project" [Info] "A program lies inside the project and was not started." => "Name the program by its absolute path.";
    ProjectReplaces "project/replaces" [Warning] "The project replaces or switches off something of the user.";
    ProjectRuns "project/runs" [Info, Warning] "A file of a project makes an agent run a program, connect, or use tools without a question." => "Look at it before you start the agent here.";
    PromptCustom "prompt/custom" [Warning, Info] "`systemPrompt.custom` of the settings is the whole prompt.";
    SuppressedError "prompt/file-left-out" [Warning] "The prompt file of a layer cannot be read or is not valid.";
    PromptIgnored "prompt/ignored" [Warning] "`systemPrompt`, or a key below it, has no effect on this prompt.";
    ReminderEmpty "reminder/empty" [Info] "The text of a reminder is empty.";
    ReminderInvalid "reminder/invalid" [Warning] "A reminder file is not valid.";
    ReminderNone "reminder/none" [Warning] "The profile has no reminders: events have no effect." => "Add one: a file in `reminders` of your own directory.";
    RequestBeta "request/beta" [Info] "A field of the body needs a beta header." => "Let your agent send the header.";
    RequestBlockUnsupported "request/block-unsupported" [Warning] "The format has no place for a block of a message.";
    RequestIdRewritten "request/id-rewritten" [Info] "The service does not accept the id of a call; it was rewritten.";
    RequestLeftOut "request/left-out" [Info] "A field, a reasoning or an empty text has no place in the format, or the service refuses it.";
    RequestModelUnknown "request/model-unknown" [Info, Warning] "The request names no model, or an unknown one." => "Name a model, or add a row for it to `models.toml` in your own directory.";
    RequestMoved "request/moved" [Info] "The format or the model takes a part of a message only in a message of the user.";
    RequestNameRewritten "request/name-rewritten" [Warning] "The service does not accept the name of a tool; it was rewritten." => "Give the tool a name of at most 64 letters, digits, `_` and `-`; otherwise your agent must map the name of a call back.";
    RequestRefused "request/refused" [Error] "The service refuses these messages, or two calls or tools of one name.";
    RequestSchema "request/schema" [Warning] "The schema of a tool has parts that the service ignores.";
    RequestSchemaRefused "request/schema-refused" [Error] "The service refuses this schema of a tool." => "Change the schema, or leave the tool out of the request.";
    RequestUnpairedCall "request/unpaired-call" [Error] "A call in the history has no result, or a result no call before it." => "Add the message that lacks, or remove the other.";
    RulesDirectory "rules/directory" [Warning] "A directory of rules cannot be read, or was read already.";
    RulesHead "rules/head" [Warning] "The head of a rule file, or a pattern in it, is not valid." => "Correct the lines between the two `---`.";
    RulesLimit "rules/limit" [Warning] "Rules are too many or too deep; the rest was left out." => "Put rules together, or remove some.";
    RulesWaiting "rules/waiting" [Info] "None of the files of a rule is in use.";
    ScaffoldCreated "scaffold/created" [Info] "A file was created from the preset." => "Edit it or delete it; it is not created again.";
    ScaffoldSkipped "scaffold/skipped" [Warning] "A file of the preset was not created.";
    ScopeCollision "scope/collision" [Warning] "Two entries have the same name; the first is used." => "Rename one of them.";
    ScopeDisabled "scope/disabled" [Info] "A setting disables an extension, a prompt file or an MCP server.";
    ScopeEnabled "scope/enabled" [Warning, Info] "A stronger layer enables what another layer disables.";
    ScopeShadows "scope/shadows" [Info, Warning] "An entry hides one of a weaker layer with the same name.";
    ScopeUnknown "scope/unknown" [Warning] "No layer has the agent, output style or extension that is named.";
    SecretKey "secret/key" [Warning] "A text has what looks like a key, a token or a password." => "Revoke it, then remove it from the text.";
    SectionMoved "section/moved" [Info] "The profile arranges sections by stability." => "`arrange = \"listed\"` keeps each section in its place.";
    SectionNotForProjects "section/not-for-projects" [Warning] "A project changes a section that it may not change.";
    SectionNotInOrder "section/not-in-order" [Warning] "The section of a text is not part of this prompt.";
    SectionReplaced "section/replaced" [Info] "The text of a section is that of another layer.";
    SectionUnknown "section/unknown" [Warning] "A file or setting names a section that does not exist, or is no section id.";
    SettingsHidden "settings/hidden" [Warning] "A value has no effect because another one overrides it.";
    SettingsIgnored "settings/ignored" [Warning, Error] "A project may not set this, it is not granted, or its value allows nothing.";
    SettingsLiteralEnvValue "settings/literal-env-value" [Warning] "`env` in a settings file holds a literal value, which may be a secret." => "Write a reference to an environment variable in its place.";
    SettingsLoosened "settings/loosened" [Warning] "The settings of a project add entries to `securityMode.allowlist`.";
    SettingsMoreNotes "settings/more-notes" [Warning, Error, Info] "A settings file has more diagnostics than are reported.";
    SettingsPlaced "settings/placed" [Warning] "The settings of a project place an extension of another layer.";
    ConfigSchemaViolation "settings/schema-violation" [Warning, Error] "A value does not match its schema; that of a lower layer is used.";
    SettingsShapeClash "settings/shape-clash" [Warning] "Two layers give values of different shapes; the stronger layer is used.";
    SettingsShapeInvalid "settings/shape-invalid" [Error] "A settings file or one of its values does not have the expected shape.";
    SettingsShared "settings/shared" [Warning] "Settings of preface in a file of another program are ignored.";
    UnknownTopLevelKey "settings/unknown-key" [Error] "A key at the top level is not a setting.";
    SettingsUnknownOption "settings/unknown-option" [Warning] "The profile does not have an option or variable, or its value does not fit.";
    SkillDuplicate "skill/duplicate" [Info] "A skill is the same file as another one.";
    SkillIgnored "skill/ignored" [Warning, Info] "An ignore file lists a skill, it is too deep, or an ignore file was not used.";
    SkillInvalid "skill/invalid" [Warning] "A skill is not valid, or a path that names skills cannot be read.";
    BlankSource "source/blank" [Warning] "A file has no text, or only white space." => "Remove the file, or write something into it.";
    EmptyHidesGlobal "source/empty-hides-global" [Warning] "An empty file hides that of another layer; neither is used." => "Remove the empty file to use the other.";
    SourceHidden "source/hidden" [Info] "Another file is used in its place.";
    TemplateDepth "template/depth" [Error] "A template nests its blocks too deeply and cannot be used.";
    TemplateFile "template/file" [Warning, Info] "A file does not exist, cannot be read as text, is too large, or is outside of what may be read.";
    TemplateMore "template/more" [Warning] "A template has more findings than are reported.";
    TemplateNearMiss "template/near-miss" [Info] "A text in brackets or braces may have been meant as a tag.";
    TemplateTooLarge "template/too-large" [Error, Warning] "A template, its output, or its values are too large.";
    TemplateUnbalanced "template/unbalanced" [Warning] "A tag of a block has no partner or no list, and is kept as text.";
    TemplateUnknownName "template/unknown-name" [Warning] "A variable's type has no such name; the variable is absent.";
    TemplateUnknownValue "template/unknown-value" [Warning] "A test compares with a value that is not declared.";
    TemplateUnregisteredType "template/unregistered-type" [Warning] "No provider has variables of this type: the tag is blank or text.";
    TemplateUnused "template/unused" [Warning, Info] "The profile takes no template, or no store is open.";
    TemplateUtcDate "template/utc-date" [Info] "`system:date` is the day in UTC.";
    TemplateVolatileEarly "template/volatile-early" [Info] "A value that changes with every build comes before text that does not change." => "Put the value near the end.";
    ToolDescription "tool/description" [Error] "The descriptions of tools could not be rendered.";
    ToolLeftOut "tool/left-out" [Warning] "A tool's manifest is not valid or not trusted, or a setting disables it.";
    ToolNoSchema "tool/no-schema" [Info] "A tool without a schema is sent as one that takes any object." => "Its manifest may give `inputSchema`.";
    ToolUnknown "tool/unknown" [Warning] "The caller or a hook names a tool that does not exist.";
    TrustBranch "trust/branch" [Warning] "The name of this branch is not part of the grant.";
    TrustChanged "trust/changed" [Warning] "A project file changed since the grant, or is not in it; it is included." => "Review it, then grant it again.";
    TrustCoverage "trust/coverage" [Warning] "With a grant no prompt could be built.";
    TrustEntryInvalid "trust/entry-invalid" [Error] "A path or an action cannot be recorded in the trust store.";
    TrustRequired "trust/required" [Error] "The command needs a project that is trusted." => "Review it, then grant it.";
    TrustScopeViolation "trust/scope-violation" [Error, Info] "The trust store is inside the project; nothing can be granted." => "Set `PREFACE_HOME` or `XDG_STATE_HOME` to a directory outside of the project.";
    TrustStoreUnavailable "trust/store-unavailable" [Error] "The trust store cannot be used; every project is untrusted.";
    TrustUntrusted "trust/untrusted" [Warning, Info] "A project file or value is not trusted and was left out." => "Review it, then grant it.";
    VariableClock "variable/clock" [Warning] "The clock or the time zone cannot be read.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_by_spelling() {
        assert!(
            DiagnosticCode::ALL.is_sorted_by(|a, b| a.as_str() < b.as_str()),
            "`codes!` must stay sorted"
        );
    }

    #[test]
    fn a_spelling_is_a_topic_and_kebab_case() {
        let is_kebab = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        };
        for code in DiagnosticCode::ALL.iter().filter(|code| **code != DiagnosticCode::OrderingRewrite) {
            let (topic, rest) = code.as_str().split_once('/').expect("a topic");
            assert!(is_kebab(topic) && is_kebab(rest), "{code}");
        }
    }

    #[test]
    fn a_code_is_read_as_it_is_written() {
        for code in DiagnosticCode::ALL {
            let json = serde_json::to_string(code).unwrap();
            assert_eq!(json, format!("\"{code}\""));
            assert_eq!(serde_json::from_str::<DiagnosticCode>(&json).unwrap(), *code);
        }
        let error = serde_json::from_str::<DiagnosticCode>("\"trust/hold\"").unwrap_err();
        assert_eq!(error.to_string(), "unknown diagnostic code `trust/hold`");
    }
}
