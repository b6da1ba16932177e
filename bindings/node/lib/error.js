'use strict'

/** The error of every call. `kind` is what a caller can do about it, `code` stays the same over versions. */
class PrefaceError extends Error {
  constructor(message, { kind, code, help = null, location = null }) {
    super(message)
    this.kind = kind
    this.code = code
    this.help = help
    this.location = location
  }
}
Object.defineProperty(PrefaceError.prototype, 'name', { value: 'PrefaceError', configurable: true, writable: true })

/** Returns the error of an argument that is not valid. */
const usage = (message, help) => new PrefaceError(message, { kind: 'usage', code: 'cli/usage', help })

module.exports = { PrefaceError, usage }
