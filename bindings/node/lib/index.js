// The classes of the package. What they do is in `index.d.ts`; each operation is the native part's.
'use strict'

const {
  BUILD, ENGINE, REQUEST, USAGE, count, event, file, hookEvent, json, listOf, messages, options, string, suggestion, tool, type,
} = require('./arguments.js')
const { PrefaceError, usage } = require('./error.js')
const { addHook, call, callSync } = require('./native.js')

/** Who knows it may make a prompt, a store or a conversation. */
const INSIDE = Symbol('inside')

function refuseOutside(key, name, instead) {
  if (key !== INSIDE) throw usage(`a \`${name}\` is not made with \`new\``, `call ${instead}`)
}

class Preface {
  #home

  constructor(given) {
    this.#home = options(given, ENGINE, 'new Preface').home
  }

  static async fromSnapshot(snapshot) {
    const text = typeof snapshot === 'string' ? snapshot : JSON.stringify(json(snapshot, 'snapshot'))
    return new Prompt(INSIDE, await call('replay', text))
  }

  presets() {
    return callSync('presets', { home: this.#home }).value
  }

  async build(given) {
    const { signal, ...build } = options(given, BUILD, 'build')
    return new Prompt(INSIDE, await call('build', this.#inputs(build), undefined, signal))
  }

  buildSync(given) {
    const { signal, ...types } = BUILD
    return new Prompt(INSIDE, callSync('build', this.#inputs(options(given, types, 'buildSync'))))
  }

  async conversation(given) {
    const { id, store, signal, ...build } = options(given, { ...BUILD, id: string, store: storeType }, 'conversation')
    string(id, 'id')
    const { handle } = store === undefined ? {} : store[INSIDE]
    return new Conversation(INSIDE, await call('conversation', { id, build: this.#inputs(build) }, handle, signal))
  }

  #inputs({ cwd = file('.', 'cwd'), ...rest }) {
    const named = Object.entries(rest).map(([key, value]) => [NAMES[key] ?? key, value])
    return { home: this.#home, cwd, options: Object.fromEntries(named) }
  }
}

/** The options that the engine spells otherwise. */
const NAMES = { trustPins: 'trust_pins', timeZone: 'time_zone', templateText: 'template_text' }

/** Gives parts, spans or blocks, which follow each other, the place at which each begins. */
function placed(items, start, item) {
  return items.map((each) => {
    const made = item(each, start)
    start = each.end
    return made
  })
}

class Prompt {
  #handle
  #details

  constructor(key, { value, text, handle } = {}) {
    refuseOutside(key, 'Prompt', '`build` or `Preface.fromSnapshot`')
    this.#handle = handle
    this.text = text
    Object.assign(this, value)
    Object.freeze(this)
  }

  get parts() {
    return this.#read().parts
  }

  get blocks() {
    return this.#read().blocks
  }

  get absent() {
    return this.#read().absent
  }

  get staticPrefix() {
    return this.#read().staticPrefix
  }

  get tokens() {
    return this.#read().tokens
  }

  get fingerprint() {
    return this.#read().fingerprint
  }

  get tools() {
    return this.#read().tools
  }

  /** Returns what few callers read, and is read at once. */
  #read() {
    if (this.#details) return this.#details
    const { text } = this
    const { parts, blocks, staticEnd, ...rest } = callSync('details', null, this.#handle).value
    this.#details = {
      ...rest,
      staticPrefix: text.slice(0, staticEnd),
      parts: placed(parts, 0, ({ id, end, spans, ...part }, start) => ({
        id,
        text: text.slice(start, end),
        start,
        end,
        ...part,
        spans: placed(spans, start, (span, from) => ({ start: from, ...span })),
      })),
      blocks: placed(blocks, 0, ({ end, stability }, start) => ({ text: text.slice(start, end), stability })),
    }
    return this.#details
  }

  toString() {
    return this.text
  }

  toJSON() {
    return JSON.parse(callSync('document', null, this.#handle).text)
  }

  snapshot() {
    return callSync('snapshot', null, this.#handle).text
  }

  request(format, given) {
    const input = { format: string(format, 'format'), options: options(given, REQUEST, 'request') }
    return new PromptRequest(INSIDE, callSync('request', input, this.#handle))
  }

  aiSdk(provider, given) {
    const known = ['anthropic']
    if (!known.includes(string(provider, 'provider'))) {
      const help = suggestion(provider, known) ?? 'for a service without marks, pass `prompt.text`'
      throw usage(`no marks of the AI SDK are known for: \`${provider}\``, help)
    }
    const { system = [] } = this.request('anthropic', options(given, { model: REQUEST.model }, 'aiSdk')).params
    return system.map(({ text, cache_control: cacheControl }) => ({
      role: 'system',
      content: text,
      ...(cacheControl && { providerOptions: { anthropic: { cacheControl } } }),
    }))
  }
}

class PromptRequest {
  #params

  constructor(key, { value, text } = {}) {
    refuseOutside(key, 'PromptRequest', '`request` of a prompt or of a conversation')
    this.body = text
    Object.assign(this, value)
    Object.freeze(this)
  }

  get params() {
    return (this.#params ??= JSON.parse(this.body))
  }

  toJSON() {
    return this.params
  }
}

class Store {
  constructor(key, made) {
    refuseOutside(key, 'Store', '`Store.memory` or `Store.sqlite`')
    Object.defineProperty(this, INSIDE, { value: made })
  }

  static memory() {
    return new Store(INSIDE, callSync('store', {}))
  }

  static sqlite(database) {
    return new Store(INSIDE, callSync('store', { file: file(database, 'file') }))
  }
}

const functionType = type('a function', (value) => (typeof value === 'function' ? value : undefined))
const storeType = type('a Store', (value) => (value instanceof Store ? value : undefined))

class Conversation {
  #handle
  #state
  #events = []
  /** The operation that was called last. They go one after the other: each request extends the one before. */
  #last = Promise.resolve()

  constructor(key, { value, text, handle } = {}) {
    refuseOutside(key, 'Conversation', '`conversation` of a `Preface`')
    this.#state = { ...value, text }
    this.#handle = handle
  }

  get id() {
    return this.#state.id
  }

  get text() {
    return this.#state.text
  }

  get isNew() {
    return this.#state.isNew
  }

  get diagnostics() {
    return this.#state.diagnostics
  }

  get tools() {
    return this.#state.tools
  }

  remind(given) {
    this.#events.push(event(given, 'event'))
  }

  on(name, given) {
    hookEvent(name, 'event')
    const listener = functionType(given, 'callback')
    // It returns, whatever the callback does: the native part waits for it on another thread.
    const answer = (asked) => {
      try {
        const answer = listener(JSON.parse(asked))
        return JSON.stringify({ answer: answer == null ? {} : json(answer, 'answer') })
      } catch (error) {
        return JSON.stringify({ error: String(error?.message ?? error) })
      }
    }
    this.#next(async () => addHook(name, listener.name || 'program', this.#handle, answer))
  }

  async submit(text, given = []) {
    const input = { text: string(text, 'text'), messages: messages(given, 'messages') }
    return (await this.#run('submit', input)).value
  }

  async finish() {
    await this.#run('finish', null)
  }

  async setActiveTools(names) {
    await this.#run('setActiveTools', listOf(string)(names, 'names'))
  }

  async registerTool(given) {
    const named = tool(given, 'tool')
    await this.#run('registerTool', typeof named === 'string' ? { name: named } : named)
  }

  async reload() {
    return (await this.#run('reload', null)).value
  }

  async request(format, given) {
    const { cacheKey, ...types } = REQUEST
    const input = { format: string(format, 'format'), options: options(given, types, 'request') }
    const events = this.#events.splice(0)
    return new PromptRequest(INSIDE, await this.#run('request', input, events))
  }

  async compact() {
    return (await this.#run('compact', null)).value
  }

  async refresh() {
    return (await this.#run('refresh', null)).value
  }

  async recordUsage(number, given) {
    await this.#run('recordUsage', { number: count(number, 'number'), ...options(given, USAGE, 'recordUsage') })
  }

  async close() {
    await this.#next(() => call('close', null, this.#handle))
  }

  async [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    await this.close()
  }

  #run(operation, input, events = []) {
    return this.#next(async () => {
      // They stay there until a request has gone through.
      if (events.length > 0) callSync('remind', events, this.#handle)
      const { value, text } = await call(operation, input, this.#handle)
      this.#state = value.state
      return { value: value.result, text }
    })
  }

  #next(operation) {
    const next = this.#last.then(operation)
    this.#last = next.catch(() => {})
    return next
  }
}

module.exports = { Conversation, Preface, PrefaceError, Prompt, PromptRequest, Store }
