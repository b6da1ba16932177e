// The API, with `import`.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import * as preface from 'preface'
import common from './common.js'

test('`import` and `require` give the same classes', async () => {
  const required = createRequire(import.meta.url)('preface')
  assert.deepEqual(Object.keys(preface).sort(), Object.keys(required).sort())
  assert.equal(preface.Preface, required.Preface)
  const prompt = await common.engine.build(common.fixed)
  assert.ok(prompt instanceof preface.Prompt)
})

test('the AI SDK sends the blocks with their marks', async () => {
  const { generateText } = await import('ai')
  const { createAnthropic } = await import('@ai-sdk/anthropic')
  const prompt = await common.engine.build({ ...common.fixed, preset: 'claude-code', model: 'claude-opus-5-5' })
  const bodies = []
  const anthropic = createAnthropic({
    apiKey: 'none',
    async fetch(_address, { body }) {
      bodies.push(JSON.parse(body))
      const message = { type: 'message', id: 'msg_1', role: 'assistant', model: 'claude-opus-5-5', stop_reason: 'end_turn' }
      return Response.json({
        ...message,
        content: [{ type: 'text', text: 'Done.' }],
        usage: { input_tokens: 1, output_tokens: 1 },
      })
    },
  })
  const { text } = await generateText({
    model: anthropic('claude-opus-5-5'),
    instructions: prompt.aiSdk('anthropic'),
    prompt: 'Fix the tests.',
  })
  assert.equal(text, 'Done.')
  const { system } = prompt.request('anthropic').params
  assert.deepEqual(bodies[0].system, system, 'they arrive as preface sends them')
})
