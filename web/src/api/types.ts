// Short names for the types of the service.
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Analysis = Schemas["Analysis"];
export type AnalyzeWrite = Schemas["AnalyzeWrite"];
export type BuildOptions = Partial<Schemas["BuildOptions"]>;
export type Token = Schemas["AnalyzedToken"];
export type TokenKind = Schemas["TokenKind"];
export type Note = Schemas["AnalyzedNote"];
export type Edit = Schemas["AnalyzedEdit"];
export type Preview = Schemas["Preview"];
export type Part = Schemas["AnalyzedPart"];
export type Span = Schemas["AnalyzedSpan"];
export type SpanOrigin = Schemas["SpanOrigin"];
export type Condition = Schemas["Condition"];
export type UsedVariable = Schemas["UsedVariable"];
export type VariableDeclaration = Schemas["VariableDeclaration"];
export type VariableEntry = Schemas["VariableEntry"];
export type VariablesReply = Schemas["VariablesReply"];
export type Stability = Schemas["Stability"];
export type Severity = Schemas["Severity"];
export type FilesReply = Schemas["FilesReply"];
export type ListedFile = Schemas["ListedFile"];
export type TemplateEntry = Schemas["TemplateEntry"];
export type VersionInfo = Schemas["VersionInfo"];
export type VersionReply = Schemas["VersionReply"];
export type Diff = Schemas["Diff"];
export type DiffLine = Schemas["DiffLine"];
export type ConversationItem = Schemas["ConversationItem"];
export type PromptReply = Schemas["PromptReply"];
export type HistoryItem = Schemas["HistoryItem"];
export type ExplainReply = Schemas["ExplainReply"];
export type RefreshReply = Schemas["RefreshReply"];
export type Origin = Schemas["Origin"];
export type Health = Schemas["Health"];
export type Diagnostic = Schemas["Diagnostic"];
export type ScopesReply = Schemas["ScopesReply"];
/** An extension or an MCP server of one layer. */
export type Entry = ScopesReply["entries" | "servers"][number];
export type EntryOrigin = Schemas["EntryOrigin"];
