/// <reference lib="esnext.disposable" />

/** JSON as a request has it: what a service defines is not defined again here. */
type Json = any

/** A path, or the URL of a file, such as `new URL('./app', import.meta.url)`. */
export type PathLike = string | URL

/**
 * The handling of text from the project, which may come from strangers.
 *
 * - `recorded`: includes what the user has recorded as trusted; the rest is left out, with a diagnostic.
 * - `require`: as `recorded`, and the build fails with the kind `untrusted` where text is left out.
 * - `once`: includes all text of the project in this one build. Nothing is recorded.
 * - `deny`: includes no text of the project.
 */
export type Trust = 'recorded' | 'require' | 'once' | 'deny'

/** How long bytes stay the same: for every conversation, within one, or for one turn. */
export type Stability = 'static' | 'conversation' | 'turn'

export interface PrefaceOptions {
  /**
   * A directory in the place of the user's home directory; then no environment variable but `PATH` is read. For services and
   * tests, whose prompts must not depend on who runs them. Without it settings and trust records are the user's.
   */
  home?: PathLike | undefined
}

/** A tool that the model may call. */
export interface Tool {
  name: string
  /** The description that the model reads. */
  description?: string | undefined
  /** The JSON Schema of the arguments. */
  inputSchema?: { [key: string]: Json } | undefined
  /** The line for the list of tools in the prompt; without it the description is used. */
  snippet?: string | undefined
  /** Guidelines for the use of the tool. */
  guidelines?: readonly string[] | undefined
  /** Has the service check arguments against the schema, where it can. */
  strict?: boolean | undefined
  /** Where the definition came from, for people. */
  source?: string | undefined
}

/** The value of a variable: a text, a flag, or a list of texts or of records. */
export type VariableValue = string | boolean | readonly string[] | readonly { readonly [field: string]: string | null }[]

/** Something that happened and calls for a reminder. `docs/reference/reminders.md` lists the types and their fields. */
export interface ReminderEvent {
  type: string
  [field: string]: unknown
}

/** The inputs of a prompt. What is not given comes from the user's settings, else from the preset. */
export interface PromptOptions {
  /** The directory; the working directory without it. */
  cwd?: PathLike | undefined
  /** A preset, or a profile of the user, by name. */
  preset?: string | undefined
  /** A profile file, before `preset`. */
  profile?: PathLike | undefined
  /** The model, as the service names it. */
  model?: string | undefined
  /** The active tools, by name or with their definitions. */
  tools?: readonly (string | Tool)[] | undefined
  /** The agent whose prompt it is; without it that of the main conversation. */
  agent?: string | undefined
  /** Variables by name, `type:name`, with the types of their declarations. `null` removes one. */
  variables?: { readonly [name: string]: VariableValue | null } | undefined
  /** Options of the profile, and settings by their path, such as `sections.git.when`. */
  settings?: { readonly [path: string]: Json } | undefined
  /** The handling of text from the project: `recorded` without it. */
  trust?: Trust | undefined
  /** An export of `preface trust export`, as text or parsed: its files are trusted while their content is what was exported. */
  trustPins?: string | { readonly [key: string]: Json } | undefined
  /** The most tokens. Sections are cut by their priority, with a diagnostic each. */
  budget?: number | undefined
  /** The tokenizer, such as `estimate:bytes4` or `o200k`. */
  tokenizer?: string | undefined
  /** The instant, RFC 3339, in the place of now. */
  now?: string | Date | undefined
  /** The time zone, such as `Europe/Berlin`, in the place of the machine's. */
  timeZone?: string | undefined
  /** The stored template, for a profile that takes one, such as `template`: `NAME`, `NAME@LABEL` or `NAME@3`. */
  template?: string | undefined
  /** The text of the template, in place of a stored one. */
  templateText?: string | undefined
  /** Events that call for a reminder in the messages of a request. */
  events?: readonly ReminderEvent[] | undefined
}

export interface BuildOptions extends PromptOptions {
  /** Rejects the promise with its reason. A build that has begun goes on, and its result is dropped. */
  signal?: AbortSignal | undefined
}

export interface ConversationOptions extends BuildOptions {
  /** Where the prompt and the requests are stored. Without it the conversation holds its prompt itself, and requests are not recorded. */
  store?: Store | undefined
  /** Your id: 1 to 255 bytes without control characters. */
  id: string
}

/** Builds system prompts on this machine. It reads nothing before it builds one. */
export class Preface {
  constructor(options?: PrefaceOptions)

  /**
   * Builds the prompt of a saved snapshot again, that of `Prompt.snapshot` or of `preface build --save-snapshot`, as text or
   * parsed. The machine is not accessed, and the bytes are the same.
   */
  static fromSnapshot(snapshot: string | { readonly [key: string]: Json }): Promise<Prompt>

  /** Returns the names of the presets that ship with the package. */
  presets(): string[]

  /**
   * Builds a prompt on the thread pool. Files are read, and no model is called.
   *
   * @throws {PrefaceError} An option is not valid, a profile cannot be read, text that must not be cut is larger than the
   * budget, or text is untrusted with `trust: 'require'`. Everything else is a diagnostic of the prompt.
   */
  build(options?: BuildOptions): Promise<Prompt>

  /** As `build`, on this thread: for hooks and configuration files. */
  buildSync(options?: PromptOptions): Prompt

  /**
   * Opens a conversation in a store: its first call builds the prompt and stores it, later ones read it. A later call with
   * other options gets the stored prompt, and diagnostics about what differs. Without a store the prompt is built by each call.
   */
  conversation(options: ConversationOptions): Promise<Conversation>
}

/** A system prompt that has the origin of each of its bytes. `JSON.stringify` gives what `preface build --format json` prints. */
export class Prompt {
  private constructor()

  readonly text: string
  /** The preset or profile that made it. */
  readonly preset: string
  /** The digest of the text, `blake3:` and 64 hexadecimal digits. */
  readonly fingerprint: string
  /** The tokens of the text, counted with the tokenizer of the prompt. */
  readonly tokens: number
  /** The parts, in order. Their texts, one after the other, are the text. */
  readonly parts: readonly Part[]
  /** The runs of parts that stay the same equally long: cut where caches may end. Their texts, one after the other, are the text. */
  readonly blocks: readonly Block[]
  /** The sections that are not in the prompt, with the reasons. */
  readonly absent: readonly Absent[]
  /** What was left out, cut, changed or looks wrong. */
  readonly diagnostics: readonly Diagnostic[]
  /** The beginning of the text that is equal for every conversation. */
  readonly staticPrefix: string
  /** The active tools, as a request has them. */
  readonly tools: readonly Tool[]

  /** Returns the text. */
  toString(): string
  /** Returns the document of `docs/reference/json/build.json`. Its ranges are bytes of UTF-8. */
  toJSON(): { [key: string]: Json }
  /** Returns everything that the prompt was built from, as JSON. Texts of files and values of variables are readable in it. */
  snapshot(): string
  /** Returns the prompt with messages and tools, in the JSON of a service. */
  request<F extends Format>(format: F, options?: PromptRequestOptions): PromptRequest<F>
  /**
   * Returns the prompt for the `system` (or `instructions`) of the Vercel AI SDK: a message for each block, with the marks at
   * which the provider caches.
   */
  aiSdk(provider: 'anthropic', options?: { model?: string | undefined }): AiSdkSystemMessage[]
}

/** A part of a prompt. The separator before it belongs to it. */
export interface Part {
  /** The id of its section. */
  readonly id: string
  readonly text: string
  /** Its place: `prompt.text.slice(start, end)`. */
  readonly start: number
  readonly end: number
  readonly stability: Stability
  /** Its tokens, counted by itself. */
  readonly tokens: number
  /** True if text was cut from it. */
  readonly isCut: boolean
  /** The origin of each of its characters, in order and without a gap. */
  readonly spans: readonly Span[]
}

/** A run of a prompt with one origin: `prompt.text.slice(start, end)`. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly origin: Origin
}

/** The place that text of a prompt came from. `label` is that place for people; `bytes` are those of the file or template. */
export type Origin = { readonly label: string } & (
  | {
      readonly type: 'file'
      readonly path: string
      readonly bytes: readonly [number, number]
      readonly scope: 'bundled' | 'global' | 'project'
    }
  | { readonly type: 'profile'; readonly profile: string; readonly key: string }
  | { readonly type: 'variable'; readonly name: string; readonly source: string }
  | {
      readonly type: 'template'
      readonly name: string
      readonly version: number | null
      readonly bytes: readonly [number, number]
    }
  | { readonly type: 'caller'; readonly argument: string }
  | { readonly type: 'hook'; readonly hook: string; readonly event: string }
)

export interface Block {
  readonly text: string
  /** The stability of its least stable part. */
  readonly stability: Stability
}

export interface Absent {
  readonly section: string
  readonly reason: 'condition' | 'no_text' | 'empty' | 'replaced' | 'merged' | 'disabled' | 'unordered' | 'budget'
  /** The reason, for people. */
  readonly why: string
}

/** Something that was left out, cut, changed or looks wrong. */
export interface Diagnostic {
  /** The code, which stays the same over versions: `trust/untrusted`. `docs/reference/diagnostics.md` lists them. */
  readonly code: string
  readonly severity: 'error' | 'warning' | 'info'
  readonly message: string
  /** What to do next. */
  readonly help: string | null
  readonly location: Location | null
}

export interface Location {
  readonly path: string
  /** The line and the column, from 1. */
  readonly line: number | null
  readonly column: number | null
}

export type Format = 'anthropic' | 'bedrock-converse' | 'gemini' | 'openai-chat' | 'openai-compatible' | 'openai-responses'

export interface RequestOptions {
  /** The model; without it the one that the prompt was built for. */
  model?: string | undefined
  /** The history, oldest message first, as `docs/reference/messages.md` describes it: also messages of Anthropic and OpenAI. */
  messages?: readonly object[] | object | undefined
  /** The most tokens of the answer. */
  maxOutputTokens?: number | undefined
  /** The lifetime of the cache marks as the service writes it, such as `1h`; without it that of the model. */
  cacheTtl?: string | undefined
  /** Makes it the request of a compaction: the instructions stand behind the prompt in this request alone. */
  compaction?: string | undefined
}

export interface PromptRequestOptions extends RequestOptions {
  /** The id that requests with the same prefix share. */
  cacheKey?: string | undefined
}

/** A request, ready to be sent to the service. `JSON.stringify` gives its body. */
export class PromptRequest<F extends Format = Format> {
  private constructor()

  /** The body: JSON in one line, with a line end. The same inputs give the same bytes. */
  readonly body: string
  /** The body as an object, for the client of the service. It has no `model` if none was named. */
  readonly params: RequestParams[F]
  /** Its number in the conversation, from 1; `null` if it is not one of a conversation. */
  readonly number: number | null
  /** True if the request before is a prefix of this one, so that a cache is read to its end; `null` where there is none. */
  readonly extends: boolean | null
  /** What is sent in another shape or not at all, and what the service would refuse. */
  readonly diagnostics: readonly Diagnostic[]

  toJSON(): RequestParams[F]
}

/** The bodies of the services, as their clients take them. */
export interface RequestParams {
  anthropic: {
    model: string
    max_tokens: number
    system?: { type: 'text'; text: string; cache_control?: CacheControl }[]
    messages: Json[]
    tools?: Json[]
    cache_control?: CacheControl
  }
  'bedrock-converse': { system?: Json[]; messages: Json[]; toolConfig?: Json; inferenceConfig?: Json }
  gemini: { systemInstruction?: Json; contents: Json[]; tools?: Json[]; generationConfig?: Json }
  'openai-chat': {
    model: string
    messages: Json[]
    tools?: Json[]
    max_completion_tokens?: number
    prompt_cache_key?: string
  }
  'openai-compatible': { model: string; messages: Json[]; tools?: Json[]; max_tokens?: number }
  'openai-responses': {
    model: string
    input: Json[]
    tools?: Json[]
    max_output_tokens?: number
    prompt_cache_key?: string
    prompt_cache_options?: { ttl: '30m' | '12h' }
  }
}

type CacheControl = { type: 'ephemeral'; ttl?: '5m' | '1h' }

export type AiSdkSystemMessage = {
  role: 'system'
  content: string
  providerOptions?: { anthropic: { cacheControl: CacheControl } }
}

/** Where prompts and requests of conversations are stored. */
export class Store {
  private constructor()

  /** Makes a store in memory. */
  static memory(): Store
  /** Opens a store in a SQLite file, which is made where it does not exist. Several processes can share it. */
  static sqlite(file: PathLike): Store
}

/** An event for which hooks are called. `docs/reference/hooks.md` has them, with what a call and an answer have. */
export type HookEvent = 'resources_discover' | 'input' | 'before_agent_start' | 'context'

/** What a hook is called with. */
export interface HookCall {
  readonly event: HookEvent
  readonly prompt?: string | null
  readonly system_prompt?: string | null
  readonly messages: readonly Json[]
  readonly tools: readonly { name: string; active: boolean; description: string | null; input_schema: Json }[]
  readonly inputs?: Json
  readonly cwd: string
  readonly reason?: 'startup' | 'reload' | null
}

/** What a hook changes. */
export interface HookAnswer {
  prompt?: string
  handled?: boolean
  system_prompt?: string
  replace_with_empty?: boolean
  message?: { content: string | object[]; [key: string]: unknown }
  active_tools?: string[]
  messages?: object[]
  skill_paths?: string[]
}

/**
 * A conversation: its prompt is built once, and each request extends the one before, so that the cache of the
 * service is read. Calls are carried out one after the other.
 */
export class Conversation {
  private constructor()

  readonly id: string
  /** The text of the prompt, without what hooks change for one run. */
  readonly text: string
  /** The names of the active tools. */
  readonly tools: readonly string[]
  /** True if the prompt was built when it was opened, false if it was stored before. */
  readonly isNew: boolean
  /** The diagnostics of the last call that built or read the prompt, or called hooks. */
  readonly diagnostics: readonly Diagnostic[]

  /**
   * Adds a hook: a function that is called with what happens, and returns what it changes, or nothing. It must not be async. An error
   * that it throws is a diagnostic. One of `resources_discover` is called by the next `reload`.
   */
  on(event: HookEvent, callback: (call: HookCall) => HookAnswer | null | undefined | void): void
  /**
   * Takes a message of the user and begins a run: what hooks change holds for the requests of this run alone. Resolves to the
   * history with the message and those that hooks added; `null` if a hook handled the message, and nothing is to be sent.
   */
  submit(text: string, messages?: readonly object[] | object): Promise<object[] | null>
  /** Ends the run: the next request has the prompt without what hooks changed. */
  finish(): Promise<void>
  /** Switches to these tools. Whether the prompt follows at once or at the next compaction is the profile's business (`rebuild`). */
  setActiveTools(names: readonly string[]): Promise<void>
  /** Registers a tool of the program. It is active if its name is new. */
  registerTool(tool: string | Tool): Promise<void>
  /** Reads settings, files, skills and extensions again. Resolves to true if the prompt changed, which is the profile's business. */
  reload(): Promise<boolean>

  /**
   * Adds an event that calls for a reminder in the next request. The reminder stays at its place in later requests; the history
   * does not have to repeat it.
   */
  remind(event: ReminderEvent): void
  /** Returns the next request, which is recorded in the store, if there is one. */
  request<F extends Format>(format: F, options?: RequestOptions): Promise<PromptRequest<F>>
  /**
   * Builds the prompt again for a history that is about to be replaced by its summary, and returns the instructions for the
   * summary: the `compaction` of the request for it.
   */
  compact(): Promise<string>
  /** Builds the prompt again. Resolves to true if it changed: the cache of the service begins anew then. */
  refresh(): Promise<boolean>
  /** Records what the service counted for a request. */
  recordUsage(number: number, usage: Usage): Promise<void>
  /** Ends the use of the conversation by this object, after the calls before. What is stored stays. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** What a service counted for a request. */
export interface Usage {
  /** All tokens of the request, cached ones included. */
  inputTokens?: number | undefined
  /** The tokens that were read from the cache. */
  cacheReadTokens?: number | undefined
  /** The tokens that were written to the cache. */
  cacheWriteTokens?: number | undefined
  /** The tokens of the answer. */
  outputTokens?: number | undefined
}

/** The reason why a call failed. */
export class PrefaceError extends Error {
  private constructor()

  readonly name: 'PrefaceError'
  /** What the caller can do about it. */
  readonly kind:
    | 'usage'
    | 'config'
    | 'untrusted'
    | 'too-large'
    | 'snapshot'
    | 'conversation'
    | 'store'
    | 'internal'
  /** The code, which stays the same over versions. `docs/reference/diagnostics.md` lists them. */
  readonly code: string
  /** What to do next. */
  readonly help: string | null
  readonly location: Location | null
}
