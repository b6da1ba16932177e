// The API, with `require`.
'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { test } = require('node:test')
const { Preface, PrefaceError, Prompt, Store } = require('preface')
const { engine, fixed, place, project } = require('./common.js')

const history = [{ role: 'user', content: 'Fix the tests.' }]

test('a build takes every option', async () => {
  const profile = path.join(place, 'one.toml')
  fs.writeFileSync(profile, 'extends = "template"\n')
  const prompt = await engine.build({
    ...fixed,
    profile,
    preset: 'default',
    model: 'claude-opus-5-5',
    tools: ['read', { name: 'deploy', description: 'Deploys a branch.', inputSchema: { type: 'object' }, strict: true }],
    variables: { 'app:name': 'Tea', 'app:none': null },
    settings: {},
    trust: 'deny',
    budget: 8_000,
    tokenizer: 'o200k',
    templateText: 'Name: [app:name], model: [prompt:model]',
    events: [],
    signal: new AbortController().signal,
  })
  assert.equal(prompt.text, 'Name: Tea, model: claude-opus-5-5')
  assert.equal(prompt.toJSON().tokens.counter, 'o200k')
})

test('a promise, `buildSync` and a string of it have the same bytes', async () => {
  const prompt = await engine.build({ ...fixed, trust: 'once' })
  assert.equal(engine.buildSync({ ...fixed, trust: 'once' }).text, prompt.text)
  assert.equal(String(prompt), prompt.text)
  assert.equal(`${prompt}`, prompt.text)
  assert.match(prompt.text, /Use tabs\. Größe: \u{1f600}/u)
})

test('the directory is a path, a URL, or the working directory', async () => {
  const prompt = await engine.build({ ...fixed, trust: 'once' })
  assert.equal((await engine.build({ ...fixed, cwd: pathToFileURL(project), trust: 'once' })).text, prompt.text)
  const before = process.cwd()
  process.chdir(project)
  const { cwd, ...here } = fixed
  const pending = engine.build({ ...here, trust: 'once' })
  process.chdir(before)
  assert.equal((await pending).text, prompt.text, 'it is the working directory at the call')
})

test('parts, spans and blocks tile the text, in the units of JavaScript', async () => {
  const prompt = await engine.build({ ...fixed, preset: 'claude-code', trust: 'once', tools: ['read', 'bash'] })
  assert.equal(prompt.parts.map((part) => part.text).join(''), prompt.text)
  assert.equal(prompt.blocks.map((block) => block.text).join(''), prompt.text)
  let end = 0
  for (const part of prompt.parts) {
    assert.equal(part.start, end)
    assert.equal(prompt.text.slice(part.start, part.end), part.text)
    for (const span of part.spans) {
      assert.equal(span.start, end)
      end = span.end
    }
    assert.equal(part.end, end)
  }
  assert.equal(end, prompt.text.length)
  assert.equal(prompt.staticPrefix, prompt.blocks[0].text)
})

test('the origin of a text is the file that it is from', async () => {
  const prompt = await engine.build({ ...fixed, trust: 'once' })
  const spans = prompt.parts.flatMap((part) => part.spans)
  const found = spans.find(({ origin }) => origin.type === 'file' && origin.scope === 'project')
  assert.equal(found.origin.label, 'AGENTS.md')
  assert.deepEqual(found.origin, { type: 'file', path: 'AGENTS.md', bytes: [0, 23], scope: 'project', label: 'AGENTS.md' })
})

test('what is untrusted is left out with a diagnostic, or an error', async () => {
  const prompt = await engine.build(fixed)
  assert.doesNotMatch(prompt.text, /Use tabs/)
  const [diagnostic] = prompt.diagnostics.filter(({ code }) => code === 'trust/untrusted')
  assert.equal(diagnostic.severity, 'warning')
  assert.ok(prompt.absent.some(({ section, reason }) => section === 'project-context' && reason === 'no_text'))
  await assert.rejects(engine.build({ ...fixed, trust: 'require' }), { name: 'PrefaceError', kind: 'untrusted' })
})

test('variables, settings, tools and the model reach the prompt', async () => {
  const prompt = await engine.build({
    ...fixed,
    model: 'claude-opus-5-5',
    tools: [{ name: 'deploy', description: 'Deploys a branch.', inputSchema: { type: 'object', properties: {} } }],
    preset: 'template',
    templateText: 'You help with [app:name] on [system:local_date].',
    variables: { 'app:name': 'Tea' },
    now: new Date('2026-11-23T12:00:00Z'),
  })
  assert.equal(prompt.text, 'You help with Tea on 2026-11-23.')
  const [deploy] = prompt.tools
  assert.deepEqual([deploy.name, deploy.inputSchema], ['deploy', { type: 'object', properties: {} }])
  assert.equal((await engine.build({ ...fixed, tools: prompt.tools })).tools[0].description, 'Deploys a branch.')
  assert.deepEqual(prompt.request('anthropic').params.tools, [
    { name: 'deploy', description: 'Deploys a branch.', input_schema: { type: 'object', properties: {} } },
  ])
})

test('a setting reaches the prompt', async () => {
  const prompt = await engine.build({ ...fixed, settings: { 'sections.environment.disable': true } })
  assert.ok(prompt.absent.some(({ section, reason }) => section === 'environment' && reason === 'disabled'))
})

test('a snapshot gives the same bytes', async () => {
  const prompt = await engine.build({ ...fixed, trust: 'once' })
  const saved = prompt.snapshot()
  assert.equal((await Preface.fromSnapshot(saved)).text, prompt.text)
  assert.equal((await Preface.fromSnapshot(JSON.parse(saved))).fingerprint, prompt.fingerprint)
})

test('a request has prompt, messages and marks', async () => {
  const prompt = await engine.build({ ...fixed, model: 'claude-opus-5-5', preset: 'claude-code' })
  const request = prompt.request('anthropic', { messages: history, maxOutputTokens: 4096 })
  assert.equal(request.params.max_tokens, 4096)
  assert.equal(request.params.system.map(({ text }) => text).join(''), prompt.text)
  assert.deepEqual(request.params.messages[0].content[0].text, 'Fix the tests.')
  assert.equal(`${JSON.stringify(request)}\n`, request.body)
  assert.deepEqual([request.number, request.extends], [null, null])
  const responses = prompt.request('openai-responses', { model: 'gpt-6.2-sol', messages: history, cacheKey: 'k1', cacheTtl: '12h' })
  assert.equal(responses.params.prompt_cache_key, 'k1')
  assert.deepEqual(responses.params.prompt_cache_options, { ttl: '12h' })
})

test('the blocks for the AI SDK are those of the request', async () => {
  const prompt = await engine.build({ ...fixed, model: 'claude-opus-5-5' })
  const blocks = prompt.aiSdk('anthropic')
  assert.equal(blocks.map(({ content }) => content).join(''), prompt.text)
  assert.ok(blocks.length > 1 && blocks.every(({ role }) => role === 'system'))
  assert.deepEqual(blocks[0].providerOptions, { anthropic: { cacheControl: { type: 'ephemeral' } } })
  assert.equal(blocks.at(-1).providerOptions, undefined, 'what changes has no mark')
})

test('the requests of a conversation extend each other', async () => {
  const store = Store.sqlite(path.join(place, 'chat.db'))
  const options = { ...fixed, preset: 'claude-code', model: 'claude-opus-5-5', store, id: '7f3a' }
  const chat = await engine.conversation(options)
  assert.deepEqual([chat.id, chat.isNew], ['7f3a', true])
  chat.remind({ type: 'todo-list-empty' })
  const first = await chat.request('anthropic', { messages: history })
  assert.match(first.body, /<system-reminder>/)
  const later = [...history, { role: 'assistant', content: 'Done.' }, { role: 'user', content: 'Thanks.' }]
  // Both at once: they are carried out in the order of the calls.
  const [second, third] = await Promise.all([
    chat.request('anthropic', { messages: later }),
    chat.request('anthropic', { messages: [...later, { role: 'assistant', content: 'Bye.' }] }),
  ])
  assert.deepEqual([first, second, third].map(({ number }) => number), [1, 2, 3])
  assert.deepEqual([first, second, third].map((request) => request.extends), [null, true, true])
  await chat.recordUsage(2, { inputTokens: 900, cacheReadTokens: 800, outputTokens: 12 })
  assert.equal(await chat.refresh(), false)
  assert.match(await chat.compact(), /summar/i)
  await chat[Symbol.asyncDispose]()
  await assert.rejects(chat.request('anthropic'), { kind: 'usage', message: 'the conversation is closed' })

  const again = await engine.conversation(options)
  assert.deepEqual([again.isNew, again.text], [false, chat.text])
})

test('hooks change a run, and tools the prompt', async () => {
  const chat = await engine.conversation({ ...fixed, preset: 'pi', model: 'claude-opus-5-5', id: 'a', tools: ['read', 'bash'] })
  const calls = []
  chat.on('before_agent_start', function tone(call) {
    calls.push([call.event, call.prompt, call.messages.length])
    return { system_prompt: `${call.system_prompt}\nBe brief.`, message: { content: 'By the way.' } }
  })
  chat.on('input', (call) => (call.prompt === '/help' ? { handled: true } : undefined))
  assert.equal(await chat.submit('/help'), null)
  const messages = await chat.submit('Fix the tests.')
  assert.deepEqual(messages.map(({ role }) => role), ['user', 'custom'])
  assert.deepEqual(calls, [['before_agent_start', 'Fix the tests.', 1]])
  const request = await chat.request('anthropic', { messages })
  assert.match(request.body, /Be brief\./)
  assert.doesNotMatch(chat.text, /Be brief\./)
  assert.deepEqual([request.number, request.extends], [null, null])
  await chat.finish()
  assert.doesNotMatch((await chat.request('anthropic', { messages })).body, /Be brief\./)

  await chat.setActiveTools(['read'])
  assert.deepEqual(chat.tools, ['read'])
  assert.doesNotMatch(chat.text, /- bash:/)
  await chat.registerTool({ name: 'deploy', description: 'Deploys a branch.' })
  assert.deepEqual(chat.tools, ['read', 'deploy'])
  assert.match(chat.text, /deploy/)
  assert.equal(await chat.reload(), false)
})

test('a hook that fails is reported', async () => {
  const chat = await engine.conversation({ ...fixed, preset: 'pi', id: 'a' })
  chat.on('before_agent_start', () => {
    throw new Error('no luck')
  })
  chat.on('before_agent_start', () => ({ sytem_prompt: 'x' }))
  assert.notEqual(await chat.submit('Fix the tests.'), null)
  const failed = chat.diagnostics.filter(({ code }) => code === 'hook/error').map(({ message }) => message)
  assert.equal(failed.length, 2)
  assert.match(failed[0], /no luck/)
  assert.match(failed[1], /sytem_prompt/)
  assert.throws(() => chat.on('tool_call', () => null), { kind: 'usage' })
  assert.throws(() => chat.on('input', 'x'), { kind: 'usage' })
  await assert.rejects(chat.recordUsage(1, { inputTokens: 1 }), { message: 'the conversation has no store' })
})

test('a profile may keep its prompt while the tools change', async () => {
  const store = Store.memory()
  const chat = await engine.conversation({ ...fixed, model: 'claude-opus-5-5', store, id: 'a', tools: ['read', 'bash'] })
  const { text } = chat
  await chat.setActiveTools(['read'])
  assert.equal(chat.text, text)
  const request = await chat.request('anthropic', { messages: history })
  assert.deepEqual(request.params.tools.map(({ name }) => name), ['read'])
  assert.ok(request.diagnostics.some(({ code }) => code === 'conversation/tools'))
  await chat.compact()
  assert.notEqual(chat.text, text)
})

test('a reminder goes with the next request that is made', async () => {
  const chat = await engine.conversation({ ...fixed, preset: 'claude-code', store: Store.memory(), id: 'a' })
  chat.remind({ type: 'todo-list-empty' })
  await assert.rejects(chat.request('no-such-format'), { kind: 'usage' })
  await assert.rejects(chat.request('anthropic', { messages: [{ role: 7 }] }), { kind: 'usage' })
  assert.match((await chat.request('anthropic', { messages: history })).body, /<system-reminder>/)
})

test('an error has a kind, a code, help and a place', async () => {
  const profile = path.join(place, 'broken.toml')
  fs.writeFileSync(profile, 'extends = "default"\nbudget = "many"\n')
  const error = await engine.build({ ...fixed, profile }).catch((reason) => reason)
  assert.ok(error instanceof PrefaceError && error instanceof Error)
  assert.equal(error.kind, 'config')
  assert.equal(error.location.line, 2)
  assert.ok(error.location.path.endsWith('broken.toml'))
  assert.match(error.stack, /^PrefaceError: /)
  await assert.rejects(engine.build({ ...fixed, preset: 'defualt' }), {
    kind: 'usage',
    code: 'cli/usage',
    message: 'unknown preset: `defualt`',
    help: 'did you mean `default`?',
    location: null,
  })
  await assert.rejects(engine.build({ ...fixed, budget: 1 }), { kind: 'too-large', code: 'budget/over' })
  assert.throws(() => engine.buildSync({ ...fixed, preset: 'defualt' }), PrefaceError)
})

test('the presets have names', () => {
  assert.ok(engine.presets().includes('claude-code'))
})
