// The npm packages of the program, as `cargo xtask node` has installed them from their files:
//   BINARY     the program that they were made from
//   COMPLETE   a directory with both packages
//   LACKING    a directory with `preface` alone
// Where a test needs a program that ends in a certain way, it lays a script in the place of the platform's package.
'use strict'

const assert = require('node:assert/strict')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { after, test } = require('node:test')

const { BINARY, COMPLETE, LACKING } = process.env
const place = fs.mkdtempSync(path.join(os.tmpdir(), 'preface-node-'))
after(() => fs.rmSync(place, { recursive: true }))

const home = path.join(place, 'home')
fs.mkdirSync(home)
const env = { PATH: process.env.PATH, HOME: home }
const command = (directory) => path.join(directory, 'node_modules/.bin/preface')
const run = (program, words, cwd = place) => spawnSync(program, words, { cwd, env })

/** Returns the command beside a program that is this script. */
function withScript(name, script) {
  const modules = path.join(place, name, 'node_modules')
  const platform = path.join(modules, `@preface/${process.platform}-${process.arch}`)
  fs.mkdirSync(path.join(platform, 'bin'), { recursive: true })
  fs.writeFileSync(path.join(platform, 'package.json'), '{}')
  fs.writeFileSync(path.join(platform, 'bin/preface'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  fs.cpSync(path.join(LACKING, 'node_modules/preface'), path.join(modules, 'preface'), { recursive: true })
  return path.join(modules, 'preface/bin/preface.js')
}

/** Starts a command and returns it once it has printed its first line. */
async function started(program) {
  const child = spawn(program, [], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

test('the version is that of the program and of the package', () => {
  const { version } = JSON.parse(fs.readFileSync(path.join(COMPLETE, 'node_modules/preface/package.json'), 'utf8'))
  const ran = run(command(COMPLETE), ['--version'])
  assert.equal(ran.stdout.toString(), `preface ${version}\n`)
  assert.equal(ran.status, 0)
})

test('a build prints the same bytes, diagnostics and exit code as the program', () => {
  const project = path.join(place, 'project')
  fs.mkdirSync(project)
  fs.writeFileSync(path.join(project, 'AGENTS.md'), 'Use tabs. Größe: \u{1f600}\r\n')
  const builds = [
    [],
    ['--preset', 'claude-code', '--model', 'claude-opus-5-5', '--tools', 'read,bash'],
    ['--trust', 'once', '--format', 'json'],
    ['--preset', 'no-such-preset'],
    ['--no-such-flag'],
  ]
  for (const words of builds) {
    const full = ['build', '--now', '2026-11-23T12:00:00Z', '--tz', 'UTC', ...words]
    const [one, other] = [BINARY, command(COMPLETE)].map((program) => run(program, full, project))
    assert.deepEqual(
      [other.status, other.stdout.toString(), other.stderr.toString()],
      [one.status, one.stdout.toString(), one.stderr.toString()],
      full.join(' '),
    )
  }
})

test('without the package of the platform the error has the remedy', () => {
  const ran = run(command(LACKING), ['build'])
  assert.equal(ran.status, 1)
  assert.equal(ran.stdout.toString(), '')
  assert.match(ran.stderr.toString(), /^error: the package `@preface\/.+`, which has the program, is not installed\n/)
  assert.match(ran.stderr.toString(), /\nhelp: install preface again, without `--omit=optional`/)
})

test('no package has a script that runs when it is installed', () => {
  for (const name of ['preface', `@preface/${process.platform}-${process.arch}`]) {
    const manifest = fs.readFileSync(path.join(COMPLETE, 'node_modules', name, 'package.json'), 'utf8')
    assert.equal(JSON.parse(manifest).scripts, undefined, name)
  }
})

test('a program that cannot be started is reported', () => {
  const wrapper = withScript('mode', 'exit 0')
  fs.chmodSync(path.join(place, `mode/node_modules/@preface/${process.platform}-${process.arch}/bin/preface`), 0o644)
  const ran = run(wrapper, [])
  assert.equal(ran.status, 1)
  assert.match(ran.stderr.toString(), /^error: the program cannot be started: .*EACCES\nhelp: install preface again, or make the file executable: /)
})

test('arguments, input and the exit code are passed through', () => {
  const wrapper = withScript('exit', 'printf "%s|" "$@"; cat; exit 42')
  const ran = spawnSync(wrapper, ['', 'two words', '--flag', '*'], { env, input: 'from stdin' })
  assert.equal(ran.stdout.toString(), '|two words|--flag|*|from stdin')
  assert.equal(ran.status, 42)
})

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  test(`${signal} reaches the program, whose exit code counts`, async () => {
    const wrapper = withScript(signal, `trap 'exit 7' ${signal.slice(3)}; echo ready; while :; do sleep 0.02; done`)
    const child = await started(wrapper)
    child.kill(signal)
    assert.deepEqual(await once(child, 'exit'), [7, null])
  })

  test(`a program that ${signal} ends ends the command by ${signal}`, async () => {
    const child = await started(withScript(`${signal}-ends`, `echo ready; exec sleep 60`))
    child.kill(signal)
    assert.deepEqual(await once(child, 'exit'), [null, signal])
  })
}
