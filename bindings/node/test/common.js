// What the tests share: an empty home directory, a project, and an engine that reads nothing of the machine's user.
'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { after } = require('node:test')
const { Preface } = require('preface')

const place = fs.mkdtempSync(path.join(os.tmpdir(), 'preface-node-'))
after(() => fs.rmSync(place, { recursive: true, force: true }))

const home = path.join(place, 'home')
const project = path.join(place, 'project')
fs.mkdirSync(home)
fs.mkdirSync(project)
fs.writeFileSync(path.join(project, 'AGENTS.md'), 'Use tabs. Größe: \u{1f600}\r\n')

/** Options under which a build depends on nothing but the files. */
const fixed = { cwd: project, now: '2026-11-23T12:00:00Z', timeZone: 'UTC' }

module.exports = { engine: new Preface({ home }), fixed, home, place, project }
