#!/usr/bin/env node
// Starts the program of this platform's package with the same arguments, streams and environment, and ends as it does.
// The package is looked up here, at each start: a script at install time would not run under `--ignore-scripts`.
'use strict'

const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const path = require('node:path')
const { name, optionalDependencies } = require('../package.json')

const PREFIX = '@preface/'
const packages = Object.keys(optionalDependencies)
const wanted = `${PREFIX}${process.platform}-${process.arch}`

function fail(message, help) {
  process.stderr.write(`error: ${message}\nhelp: ${help}\n`)
  process.exit(1)
}

/** Returns the path of the program. */
function program() {
  if (!packages.includes(wanted)) {
    const there = packages.map((each) => each.slice(PREFIX.length)).join(', ')
    fail(
      `npm has no program of ${name} for ${process.platform}-${process.arch}, only for ${there}`,
      'build it from the source with Rust: cargo install --path crates/cli',
    )
  }
  try {
    const manifest = require.resolve(`${wanted}/package.json`)
    return path.join(path.dirname(manifest), 'bin', process.platform === 'win32' ? 'preface.exe' : 'preface')
  } catch {
    fail(
      `the package \`${wanted}\`, which has the program, is not installed`,
      `install ${name} again, without \`--omit=optional\` or \`--no-optional\`; a lock file or a \`node_modules\` from another ` +
        'platform lacks it too: delete both, then install',
    )
  }
}

// A terminal sends these to every process in the foreground, so the program has them already.
const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
const fromTerminal = ['SIGINT', 'SIGQUIT']

const file = program()
const forwarded = process.platform === 'win32' ? ['SIGINT', 'SIGBREAK'] : [...fromTerminal, 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']
let child
// Before the program starts, whose first output may make somebody send one.
for (const signal of forwarded) {
  process.on(signal, () => {
    if (!(terminal && fromTerminal.includes(signal))) child.kill(signal)
  })
}
child = spawn(file, process.argv.slice(2), { stdio: 'inherit' })
child.on('error', (error) => {
  fail(`the program cannot be started: ${error.message}`, `install ${name} again, or make the file executable: ${file}`)
})
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code)
  // Ends by the signal that ended the program, so that a shell or a supervisor sees the same.
  for (const each of forwarded) process.removeAllListeners(each)
  process.kill(process.pid, signal)
  // Node ignores a few signals.
  setTimeout(() => process.exit(128 + constants.signals[signal]), 100)
})
