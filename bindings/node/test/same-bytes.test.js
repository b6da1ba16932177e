// The bytes are those of the command: on the files and turns of `cases/`, and on each preset with several options. What a case
// expects is not looked at, so that a turn is used wherever the API has its keys.
'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { test } = require('node:test')
const { Preface, PrefaceError } = require('preface')
const { place } = require('./common.js')

const { BINARY, CASES } = process.env

/** Builds with the command: its document, or its error. */
function byCommand({ home, cwd, project, preset, profile, model, agent, tools, now, zone, budget, trust, set = [] }) {
  const words = ['build', '--format', 'json', '--no-store']
  const flag = (name, value) => value !== undefined && words.push(name, String(value))
  flag('-C', cwd ?? project)
  flag('--preset', preset)
  flag('--profile', profile)
  flag('--model', model)
  flag('--agent', agent)
  flag('--tools', tools && (tools.length > 0 ? tools.join(',') : 'none'))
  flag('--now', now)
  flag('--tz', zone)
  flag('--budget', budget)
  flag('--trust', trust)
  for (const each of set) flag('--set', each)
  const ran = spawnSync(BINARY, words, { cwd: project, env: { PATH: process.env.PATH, HOME: home }, encoding: 'utf8' })
  if (ran.status === 0) return { document: JSON.parse(ran.stdout) }
  const { message, code } = JSON.parse(ran.stderr.trim().split('\n').at(-1)).error
  // The one code that the command takes from another program.
  return { error: { message, code: code === 'HeadlessTrustRequired' ? 'trust/required' : code } }
}

/** Builds with the package. */
async function byLibrary({ home, cwd, project, zone, set = [], ...options }) {
  const settings = Object.fromEntries(set.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]))
  try {
    const prompt = await new Preface({ home }).build({ ...options, timeZone: zone, settings, cwd: cwd ?? project })
    const document = prompt.toJSON()
    assert.equal(prompt.text, document.text)
    return { document }
  } catch (error) {
    if (!(error instanceof PrefaceError)) throw error
    const { message, code } = error
    return { error: { message, code } }
  }
}

/** Removes what differs: the command names the flags of its call in the help of diagnostics. */
function withoutHelp({ document, error }) {
  return document ? { document: { ...document, diagnostics: document.diagnostics.map(({ help, ...rest }) => rest) } } : { error }
}

/** Compares both. The first build is for what a profile writes at its first use. */
async function compare(turn, name) {
  await byLibrary(turn)
  const expected = withoutHelp(byCommand(turn))
  assert.deepEqual(withoutHelp(await byLibrary(turn)), expected, name)
  return expected
}

const KEYS = ['cwd', 'preset', 'profile', 'model', 'agent', 'tools', 'now', 'zone', 'budget', 'trust', 'set']

/** Reads the keys of a turn, as long as they are on one line each and the API has them. */
function turnOf(block) {
  const turn = {}
  for (const line of block.split('\n').filter(Boolean)) {
    const [, key, value] = /^([a-z_]+) = (.+)$/.exec(line) ?? []
    if (!KEYS.includes(key)) return undefined
    try {
      turn[key] = JSON.parse(value.replaceAll(/(?<!["\w])'([^'"]*)'/g, '"$1"'))
    } catch {
      return undefined
    }
  }
  // An object has each key once.
  const paths = (turn.set ?? []).map((each) => each.split('=')[0])
  if (new Set(paths).size < paths.length) return undefined
  return turn.trust === 'ask' ? { ...turn, trust: undefined } : turn
}

/** Writes the files of a case and yields its turns. What cannot be written as a plain file is passed over. */
function* turnsOf(text, home, project) {
  const step = /^`([^`\n]+)`:\n(`{3,})([^\n]*)\n([\s\S]*?)\n?^\2$|^```toml turn\n([\s\S]*?)^```$/gm
  for (const [, name, , kind, content, turn] of text.matchAll(step)) {
    if (turn !== undefined) {
      const read = turnOf(turn)
      if (read) yield { ...read, home, project, cwd: read.cwd && path.join(project, read.cwd), profile: read.profile && at(read.profile, home, project) }
    } else if (!kind.includes('escaped') && !name.startsWith('/') && !name.startsWith('bundled/')) {
      const file = at(name, home, project)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      if (!fs.existsSync(file) || fs.statSync(file).isFile()) fs.writeFileSync(file, `${content}\n`)
    }
  }
}

const at = (name, home, project) => (name.startsWith('~/') ? path.join(home, name.slice(2)) : path.join(project, name))

test('the turns of the cases have the bytes of the command', async () => {
  const counts = { turns: 0, errors: 0, files: 0 }
  for (const topic of fs.readdirSync(CASES, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    for (const file of fs.readdirSync(path.join(CASES, topic.name)).filter((name) => name.endsWith('.md'))) {
      const [head, ...rest] = fs.readFileSync(path.join(CASES, topic.name, file), 'utf8').split(/^(?=## )/m)
      counts.files += 1
      for (const [index, one] of (rest.length > 0 ? rest : ['']).entries()) {
        const root = path.join(place, 'cases', topic.name, file, String(index))
        const [home, project] = [path.join(root, 'home'), path.join(root, 'project')]
        for (const directory of [home, project]) fs.mkdirSync(directory, { recursive: true })
        for (const turn of turnsOf(head + one, home, project)) {
          const name = `${topic.name}/${file}, ${one.split('\n')[0]}: ${JSON.stringify(turn)}`
          const { error } = await compare({ now: '2026-11-23T12:00:00Z', zone: 'UTC', ...turn }, name)
          counts.turns += 1
          counts.errors += error ? 1 : 0
        }
      }
    }
  }
  console.log(`# same bytes: ${counts.turns} turns of ${counts.files} case files, ${counts.errors} of them errors`)
  assert.ok(counts.turns > 100, 'cases have turns that the API can express')
  assert.ok(counts.errors > 0 && counts.errors < counts.turns / 4)
})

test('each preset with each option has the bytes of the command', async () => {
  const root = path.join(place, 'presets')
  const [home, project] = [path.join(root, 'home'), path.join(root, 'project')]
  for (const directory of [home, path.join(project, 'src')]) fs.mkdirSync(directory, { recursive: true })
  fs.writeFileSync(path.join(project, 'AGENTS.md'), 'Use tabs. Größe: \u{1f600}\r\n')
  fs.writeFileSync(path.join(project, 'src/CLAUDE.md'), '# Rules\n\nAnswer in JSON.')
  spawnSync('git', ['init', '--quiet', '--initial-branch', 'main'], { cwd: project })
  const options = [
    {},
    { trust: 'once' },
    { trust: 'deny', model: 'claude-opus-5-5', tools: ['read', 'bash'] },
    { trust: 'require' },
    { trust: 'once', cwd: path.join(project, 'src'), tools: [] },
    { trust: 'once', budget: 900 },
    { model: 'gpt-6.2-sol', zone: 'Europe/Berlin', set: ['systemPrompt=You help with [system:os].'] },
    { agent: 'no-such-agent' },
  ]
  for (const preset of new Preface({ home }).presets()) {
    for (const option of options) {
      const turn = { home, project, preset, now: '2026-11-23T12:00:00Z', zone: 'UTC', ...option }
      await compare(turn, JSON.stringify(turn))
    }
  }
})
