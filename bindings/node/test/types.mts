// Checked with `tsc --strict`, and not run: what the types allow, and, behind `@ts-expect-error`, what they refuse.
import Anthropic from '@anthropic-ai/sdk'
import { generateText, ToolLoopAgent, type LanguageModel } from 'ai'
import OpenAI from 'openai'
import {
  Preface,
  PrefaceError,
  Store,
  type BuildOptions,
  type Conversation,
  type Diagnostic,
  type Format,
  type Origin,
  type Prompt,
  type PromptRequest,
  type Tool,
} from 'preface'

declare const model: LanguageModel
declare const history: Anthropic.MessageParam[]
declare const signal: AbortSignal

const deploy: Tool = { name: 'deploy', inputSchema: { type: 'object' }, guidelines: ['Ask first.'] }
const options: BuildOptions = { cwd: new URL('.', import.meta.url), tools: ['read', deploy], variables: { 'app:name': 'Tea', 'git:branch': null }, signal }
const engine = new Preface({ home: '/srv/preface' })
const prompt: Prompt = await engine.build(options)
const text: string = `${prompt}${engine.buildSync({ trust: 'once', now: new Date() }).text}`
const ids: string[] = prompt.parts.map((part) => part.id + part.text + part.stability)
const codes: Diagnostic['code'][] = prompt.diagnostics.map(({ code, location }) => `${code} ${location?.line ?? 0}`)

function describe(origin: Origin): string {
  switch (origin.type) {
    case 'file': return `${origin.path} ${origin.bytes[0]} ${origin.scope}`
    case 'profile': return origin.key
    case 'variable': return origin.source
    case 'template': return `${origin.name}@${origin.version ?? 'none'}`
    case 'caller': return origin.argument
    case 'hook': return origin.event
    default: return origin satisfies never
  }
}

const anthropic = new Anthropic()
const request: PromptRequest<'anthropic'> = prompt.request('anthropic', { messages: history, maxOutputTokens: 4096 })
await anthropic.messages.create(request.params)
await anthropic.messages.create({ ...request.params, stop_sequences: ['x'] })
anthropic.messages.stream(request.params)

const openai = new OpenAI()
await openai.responses.create(prompt.request('openai-responses', { messages: history }).params)
await openai.chat.completions.create(prompt.request('openai-chat').params)
await openai.chat.completions.create({ ...prompt.request('openai-compatible').params, stream: true })

const formats: Format[] = ['anthropic', 'bedrock-converse', 'gemini', 'openai-chat', 'openai-compatible', 'openai-responses']
for (const format of formats) prompt.request(format).body satisfies string

await generateText({ model, instructions: prompt.aiSdk('anthropic'), prompt: 'Hi' })
new ToolLoopAgent({ model, prepareCall: async (call) => ({ ...call, instructions: (await engine.build()).aiSdk('anthropic') }) })

{
  await using chat: Conversation = await engine.conversation({ store: Store.sqlite('chat.db'), id: '7f3a' })
  chat.remind({ type: 'file-modified', path: 'a.rs' })
  chat.on('before_agent_start', ({ system_prompt }) => ({ system_prompt: `${system_prompt ?? ''}!` }))
  chat.on('context', () => {})
  const messages: object[] | null = await chat.submit('Hi', history)
  await chat.setActiveTools(['read'])
  await chat.registerTool(deploy)
  const next = await chat.request('anthropic', { messages: messages ?? history })
  await anthropic.messages.create(next.params)
  await chat.recordUsage(next.number ?? 1, { inputTokens: 5 })
  const instructions: string = await chat.compact()
  await chat.request('anthropic', { compaction: instructions })
}

try {
  await Preface.fromSnapshot(prompt.snapshot())
} catch (error) {
  if (error instanceof PrefaceError && error.kind === 'snapshot') error.help satisfies string | null
}

// @ts-expect-error: an unknown option
await engine.build({ preste: 'default' })
// @ts-expect-error: a wrong type
await engine.build({ preset: 5 })
// @ts-expect-error: an unknown word
await engine.build({ trust: 'onec' })
// @ts-expect-error: no signal where nothing waits
engine.buildSync({ signal })
// @ts-expect-error: an unknown event
void (async (chat: Conversation) => chat.on('tool_call', () => null))
// @ts-expect-error: a conversation needs an id
await engine.conversation({ cwd: '.' })
// @ts-expect-error: an unknown format
prompt.request('antropic')
// @ts-expect-error: it is read only
prompt.text = 'x'
// @ts-expect-error: prompts are built
new (prompt.constructor as typeof Prompt)()

export { codes, describe, ids, text }
