// Loads the native part, and carries out its operations. It is in the package of this platform, beside the program.
'use strict'

const { PrefaceError } = require('./error.js')

const PACKAGE = `@preface/${process.platform}-${process.arch}`

/** Returns the native part. The package is looked up here: a script at install time would not run under `--ignore-scripts`. */
function load() {
  try {
    return require(`${PACKAGE}/preface.node`)
  } catch (cause) {
    const isMissing = cause.code === 'MODULE_NOT_FOUND'
    const error = new PrefaceError(
      isMissing
        ? `the package \`${PACKAGE}\`, which has the native part of preface, is not installed`
        : `the native part of preface cannot be loaded: ${cause.message}`,
      {
        kind: 'config',
        code: 'node/native',
        help: isMissing
          ? 'install preface again, without `--omit=optional` or `--no-optional`; a lock file or a `node_modules` from ' +
            'another platform lacks it too: delete both, then install'
          : 'it needs glibc on Linux; with musl (Alpine), start the command `preface`, which needs no libc',
      },
    )
    error.cause = cause
    throw error
  }
}

let loaded
const native = () => (loaded ??= load())

/** Returns the value of a reply with a long text and the handle for later operations; throws its error. */
function unwrap({ json, text, handle }) {
  const { value, error } = JSON.parse(json)
  if (error !== undefined) throw new PrefaceError(error.message, error)
  return { value, text, handle }
}

/** Carries out an operation on this thread. */
function callSync(operation, input, handle) {
  return unwrap(native().callSync(operation, JSON.stringify(input), handle))
}

/** Carries out an operation on the thread pool. One that is aborted goes on there, and its result is dropped. */
async function call(operation, input, handle, signal) {
  signal?.throwIfAborted()
  const reply = native().call(operation, JSON.stringify(input), handle)
  if (signal === undefined) return unwrap(await reply)
  let abort
  const aborted = new Promise((_resolve, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
  })
  try {
    return unwrap(await Promise.race([reply, aborted]))
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Adds a hook to a conversation. */
function addHook(event, name, handle, callback) {
  native().on(event, name, handle, callback)
}

module.exports = { addHook, call, callSync }
