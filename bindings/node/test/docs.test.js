// The blocks of TypeScript in the documentation run, one after the other, with clients that take a request as those of services do.
'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const typescript = require('typescript')
const { home, project } = require('./common.js')

const PAGES = ['docs/tasks/use-it-from-typescript.md', 'docs/tasks/a-support-bot.md', 'packages/node/preface/README.md']
const AsyncFunction = (async () => {}).constructor

/** A client that answers every request. */
const answers = async (params) => {
  assert.ok(params.model && (params.messages ?? params.input).length > 0)
  return { content: [{ type: 'text', text: 'Done.' }], usage: { input_tokens: 10, output_tokens: 2 } }
}
const MODULES = { '@ai-sdk/anthropic': { anthropic: (model) => model }, ai: { generateText: answers } }
const load = (name) => MODULES[name] ?? require(name)

for (const page of PAGES) {
  test(`each block of ${page} runs`, async () => {
    process.env.HOME = home
    process.chdir(project)
    const text = fs.readFileSync(path.join(process.env.CHECKOUT, page), 'utf8')
    for (const [, name, content] of text.matchAll(/^`([^`\n]+)`:\n```\w+\n(.*?)^```$/gms)) {
      const file = name.startsWith('~/') ? path.join(home, name.slice(2)) : path.join(project, name)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, content)
    }
    const blocks = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block)
    assert.ok(blocks.length > 0)
    const client = { messages: { create: answers }, responses: { create: answers } }
    let names = { anthropic: client, openai: client, client, messages: [{ role: 'user', content: 'Fix the tests.' }], exports: {}, require: load }
    for (const block of blocks) {
      const made = [...block.matchAll(/^(?:const|await using) (\w+) =/gm)].map(([, name]) => name)
      const imported = [...block.matchAll(/^import \{ (.*?) \} from/gm)].flatMap(([, list]) => list.split(', '))
      // What a block makes is there for those after it.
      const source = block.replace(/^import (\{.*?\}) from ('.*?')/gm, 'const $1 = require($2)') + `\nreturn { ${[...made, ...imported].join(', ')} }`
      const { outputText } = typescript.transpileModule(`async function block() {\n${source}\n}`, { compilerOptions: { target: 'ES2022' } })
      const own = Object.keys(names).filter((name) => !made.includes(name) && !imported.includes(name))
      const run = new AsyncFunction(...own, `${outputText}\nreturn block()`)
      names = { ...names, ...(await run(...own.map((name) => names[name]))) }
      // Later blocks send with a client again.
      names.anthropic = client
    }
  })
}
