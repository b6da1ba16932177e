// What a caller can do wrong.
'use strict'

const assert = require('node:assert/strict')
const { execFileSync, fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { Worker } = require('node:worker_threads')
const { Conversation, Preface, PrefaceError, Prompt, Store } = require('preface')
const { engine, fixed, home, place, project } = require('./common.js')

const circular = {}
circular.self = circular
const store = Store.memory()

/** Calls that are wrong, each with the error's text and help. */
const WRONG = [
  [() => new Preface({ hom: 'x' }), 'unknown option of `new Preface`: `hom`', 'did you mean `home`?'],
  [() => new Preface({ home: 7 }), '`home` must be a path or a file URL, not a number'],
  [() => new Preface('x'), '`new Preface` takes an object with options, not a string'],
  [() => engine.build({ preste: 'x' }), 'unknown option of `build`: `preste`', 'did you mean `preset`?'],
  [() => engine.build({ directory: '.' }), 'unknown option of `build`: `directory`', 'did you mean `cwd`?'],
  [() => engine.build({ toString: 1 }), 'unknown option of `build`: `toString`'],
  [() => engine.build(JSON.parse('{"__proto__": 1}')), 'unknown option of `build`: `__proto__`'],
  [() => engine.build('.'), '`build` takes an object with options, not a string'],
  [() => engine.build(['.']), '`build` takes an object with options, not an array'],
  [() => engine.build(null), '`build` takes an object with options, not null'],
  [() => engine.build({ preset: 5 }), '`preset` must be a string, not a number'],
  [() => engine.build({ preset: null }), '`preset` must be a string, not null'],
  [() => engine.build({ model: Symbol('x') }), '`model` must be a string, not a symbol'],
  [() => engine.build({ cwd: new URL('https://example.com/') }), /^`cwd` must be a path or a file URL: /],
  [() => engine.build({ cwd: path.join(place, 'nowhere') }), /^no such directory: /, 'name a directory'],
  [() => engine.build({ cwd: `${project}\0x` }), /^no such directory: /],
  [() => engine.build({ budget: 1.5 }), '`budget` must be a whole number, not a number'],
  [() => engine.build({ budget: -1 }), '`budget` must be a whole number, not a number'],
  [() => engine.build({ budget: NaN }), '`budget` must be a whole number, not NaN'],
  [() => engine.build({ budget: 5n }), '`budget` must be a whole number, not a bigint'],
  [() => engine.build({ now: new Date(NaN) }), '`now` must be an instant, RFC 3339, or a Date, not an object'],
  [() => engine.build({ ...fixed, now: 'yesterday' }), /yesterday/],
  [() => engine.build({ trust: 'onec' }), /^`trust` must be one of `recorded`/, 'did you mean `once`?'],
  [() => engine.build({ tools: 'read' }), '`tools` must be an array, not a string'],
  [() => engine.build({ tools: [7] }), '`tools[0]` must be the name of a tool or its definition, not a number'],
  [() => engine.build({ tools: [{ description: 'x' }] }), '`tools[0].name` must be a string, not undefined'],
  [() => engine.build({ tools: [{ name: 'x', input_schema: {} }] }), /`input_schema`$/, 'did you mean `inputSchema`?'],
  [() => engine.build({ variables: { 'app:name': 4 } }), '`variables["app:name"]` must be a string, a boolean, a list, or null to remove it, not a number'],
  [() => engine.build({ ...fixed, variables: { name: 'x' } }), /name/, /a type, a colon and a name/],
  [() => engine.build({ settings: { a: () => 1 } }), '`settings["a"]` cannot be written as JSON: it is a function'],
  [() => engine.build({ settings: { a: circular } }), /^`settings\["a"\]` cannot be written as JSON: Converting circular/],
  [() => engine.build({ ...fixed, settings: { 'a=b': 1 } }), 'the options are not valid: not the path of a setting: `a=b`'],
  [() => engine.build({ templateText: 'x\ud83d' }), '`templateText` has half of a surrogate pair', 'cut texts between characters'],
  [() => engine.build({ events: [{}] }), '`events[0].type` must be a string, not undefined'],
  [() => engine.build({ signal: 1 }), '`signal` must be an AbortSignal, not a number'],
  [() => engine.buildSync({ signal: AbortSignal.abort() }), 'unknown option of `buildSync`: `signal`'],
  [() => engine.conversation({ ...fixed, store }), '`id` must be a string, not undefined'],
  [() => engine.conversation({ ...fixed, store: {}, id: 'x' }), '`store` must be a Store, not an object'],
  [() => engine.conversation({ ...fixed, store, id: '' }), /./],
  [() => engine.buildSync(fixed).request('antropic'), 'unknown format: `antropic`', /^formats are `anthropic`/],
  [() => engine.buildSync(fixed).request(), '`format` must be a string, not undefined'],
  [() => engine.buildSync(fixed).request('anthropic', { message: [] }), /`message`$/, 'did you mean `messages`?'],
  [() => engine.buildSync(fixed).request('anthropic', { messages: 'Hi' }), '`messages` must be an object, not a string'],
  [() => engine.buildSync(fixed).request('anthropic', { messages: [{ role: 'user', content: '\udc00' }] }), '`messages` has half of a surrogate pair'],
  [() => engine.buildSync(fixed).request('anthropic', { messages: [{ content: 'Hi' }] }), /role/],
  [() => engine.buildSync(fixed).aiSdk('antropic'), /`antropic`$/, 'did you mean `anthropic`?'],
  [() => new Prompt(), 'a `Prompt` is not made with `new`'],
  [() => new Store(), 'a `Store` is not made with `new`'],
  [() => new Conversation(), 'a `Conversation` is not made with `new`'],
  [() => Store.sqlite(), '`file` must be a path or a file URL, not undefined'],
]

test('each wrong call is an error that names the key', async () => {
  for (const [call, message, help] of WRONG) {
    const error = await (async () => call())().then(() => assert.fail(String(call)), (reason) => reason)
    assert.ok(error instanceof PrefaceError, `${call}: ${error.stack}`)
    assert.deepEqual([error.kind, error.code], ['usage', 'cli/usage'], `${call}: ${error.message}`)
    message instanceof RegExp ? assert.match(error.message, message) : assert.equal(error.message, message)
    if (help instanceof RegExp) assert.match(error.help, help)
    else if (help !== undefined) assert.equal(error.help, help)
  }
})

test('`undefined` is an option that is not given', async () => {
  const options = { ...fixed, preset: undefined, budget: undefined, signal: undefined }
  assert.equal((await engine.build(options)).text, engine.buildSync(fixed).text)
})

test('a store that is a directory, and one that is no store', () => {
  assert.throws(() => Store.sqlite(place), { name: 'PrefaceError', kind: 'store' })
  const file = path.join(place, 'text.db')
  fs.writeFileSync(file, 'This is a text, and no database at all.'.repeat(50))
  assert.throws(() => Store.sqlite(file), { name: 'PrefaceError', kind: 'store' })
  assert.ok(fs.readFileSync(file, 'utf8').startsWith('This is a text'), 'it was left as it is')
})

test('snapshots that are none', async () => {
  for (const saved of ['{', '[]', '{}', {}, 'null']) {
    await assert.rejects(Preface.fromSnapshot(saved), { name: 'PrefaceError', kind: 'snapshot' })
  }
})

test('a build that is aborted rejects with the reason, before and after its start', async () => {
  const before = AbortSignal.abort()
  await assert.rejects(engine.build({ ...fixed, signal: before }), { name: 'AbortError' })
  const controller = new AbortController()
  const builds = Array.from({ length: 20 }, () => engine.build({ ...fixed, signal: controller.signal }))
  controller.abort()
  for (const result of await Promise.allSettled(builds)) assert.equal(result.reason?.name, 'AbortError')
  const own = new Error('enough')
  const other = new AbortController()
  const build = engine.build({ ...fixed, signal: other.signal })
  other.abort(own)
  await assert.rejects(build, own)
  assert.equal((await engine.build(fixed)).text, engine.buildSync(fixed).text, 'the next one is as ever')
})

test('a signal that outlives many builds has no listener left', async () => {
  const { getEventListeners } = require('node:events')
  const { signal } = new AbortController()
  for (let round = 0; round < 5; round += 1) await engine.build({ ...fixed, signal })
  await assert.rejects(engine.build({ ...fixed, preset: 'none', signal }))
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('a panic is an error, and the process goes on', { skip: process.env.RELEASE !== undefined }, async () => {
  const native = require(path.join(path.dirname(require.resolve('preface')), 'native.js'))
  for (const call of [() => native.callSync('panic', null), () => native.call('panic', null)]) {
    await assert.rejects(async () => call(), {
      name: 'PrefaceError',
      kind: 'internal',
      code: 'internal',
      message: 'internal error, this is a bug, please report it: asked for by a test',
    })
  }
  assert.equal((await engine.build(fixed)).text, engine.buildSync(fixed).text)
})

const script = (options) => `
  const { Preface } = require(${JSON.stringify(require.resolve('preface'))})
  const engine = new Preface({ home: ${JSON.stringify(home)} })
  const options = ${JSON.stringify(options)}`

test('workers build, and one that ends in the middle of a build takes nothing with it', async () => {
  const expected = engine.buildSync(fixed).text
  const code = `${script(fixed)}
    const { parentPort } = require('node:worker_threads')
    engine.build(options).then((prompt) => parentPort.postMessage(prompt.text))`
  const started = Array.from({ length: 3 }, async () => {
    const worker = new Worker(code, { eval: true })
    const [text] = await once(worker, 'message')
    await worker.terminate()
    return text
  })
  assert.deepEqual(await Promise.all(started), [expected, expected, expected])
  const busy = `${script(fixed)}
    require('node:worker_threads').parentPort.postMessage('ready')
    for (let round = 0; round < 20; round += 1) engine.build(options)`
  for (let round = 0; round < 5; round += 1) {
    const worker = new Worker(busy, { eval: true })
    await once(worker, 'message')
    await worker.terminate()
  }
  assert.equal((await engine.build(fixed)).text, expected)
})

test('a worker opens a store of its own, and one that is posted is refused', async () => {
  const store = Store.sqlite(path.join(home, 'workers.db'))
  const chat = await engine.conversation({ ...fixed, id: 'c1', store })
  const code = `${script(fixed)}
    const { Store } = require(${JSON.stringify(require.resolve('preface'))})
    const { parentPort, workerData } = require('node:worker_threads')
    const open = async (store) => (await engine.conversation({ ...options, id: 'c1', store })).text
    const own = () => open(Store.sqlite(${JSON.stringify(path.join(home, 'workers.db'))}))
    open(workerData).catch((error) => error.message).then(async (posted) => parentPort.postMessage([posted, await own()]))`
  const worker = new Worker(code, { eval: true, workerData: store })
  const [answer] = await once(worker, 'message')
  await worker.terminate()
  assert.deepEqual(answer, ['`store` must be a Store, not an object', chat.text])
})

test('a prompt that is posted to a worker arrives as data', () => {
  const prompt = engine.buildSync(fixed)
  const copy = structuredClone(prompt)
  assert.deepEqual(copy, { text: prompt.text, preset: 'default', diagnostics: prompt.diagnostics })
})

test('a process that was forked builds for itself', async () => {
  const expected = engine.buildSync(fixed).text
  const file = path.join(place, 'child.js')
  fs.writeFileSync(file, `${script(fixed)}\n engine.build(options).then((prompt) => process.send(prompt.text))`)
  const child = fork(file)
  const [text] = await once(child, 'message')
  assert.equal(text, expected)
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('a process may end while a build runs', () => {
  const code = `${script(fixed)}; for (let round = 0; round < 20; round += 1) engine.build(options); process.exit(0)`
  execFileSync(process.execPath, ['-e', code])
})

test('without the package of the platform the error has the remedy', () => {
  const code = `
    const { Preface } = require('preface')
    try { new Preface().presets() } catch ({ kind, code, message, help }) {
      console.log(JSON.stringify({ kind, code, message, help }))
    }`
  const printed = execFileSync(process.execPath, ['-e', code], { cwd: process.env.LACKING, encoding: 'utf8' })
  const error = JSON.parse(printed)
  assert.equal(error.code, 'node/native')
  assert.match(error.message, /^the package `@preface\/.+`, which has the native part of preface, is not installed$/)
  assert.match(error.help, /^install preface again, without `--omit=optional`/)
})
