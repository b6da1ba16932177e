// Checks arguments. What comes out is JSON, but for stores and signals; what is `undefined` is not given.
'use strict'

const path = require('node:path')
const { fileURLToPath } = require('node:url')
const { usage } = require('./error.js')

/** Returns what a value is, for people. */
function kindOf(value) {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (value === undefined) return 'undefined'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Makes a type: `read` returns the value as it is passed on, or `undefined` if it is not valid. */
const type = (expected, read) => (value, name) => {
  const result = read(value, name)
  if (result === undefined) throw usage(`\`${name}\` must be ${expected}, not ${kindOf(value)}`)
  return result
}

const string = type('a string', (value, name) => (typeof value === 'string' ? wellFormed(value, name) : undefined))
const boolean = type('true or false', (value) => (typeof value === 'boolean' ? value : undefined))
const count = type('a whole number', (value) => (Number.isSafeInteger(value) && value >= 0 ? value : undefined))
const object = type('an object', (value) => (isObject(value) ? value : undefined))
const array = type('an array', (value) => (Array.isArray(value) ? value : undefined))

/** Refuses half of a surrogate pair, such as a text has that was cut in the middle of an emoji: no service takes it. */
function wellFormed(text, name) {
  if (!text.isWellFormed()) throw usage(`\`${name}\` has half of a surrogate pair`, 'cut texts between characters')
  return text
}

/** A path; a relative one begins at the working directory of now, not of when the thread pool gets to it. */
const file = type('a path or a file URL', (value, name) => {
  if (typeof value === 'string') return path.resolve(wellFormed(value, name))
  if (!(value instanceof URL)) return undefined
  try {
    return fileURLToPath(value)
  } catch (error) {
    throw usage(`\`${name}\` must be a path or a file URL: ${error.message}`)
  }
})

const instant = type('an instant, RFC 3339, or a Date', (value) => {
  if (typeof value === 'string') return value
  return value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : undefined
})

/** A value that JSON has, as it is now: what the caller changes later has no effect. */
const json = (value, name) => {
  let text
  try {
    text = JSON.stringify(value)
  } catch (error) {
    throw usage(`\`${name}\` cannot be written as JSON: ${error.message.split('\n')[0]}`)
  }
  if (text === undefined) throw usage(`\`${name}\` cannot be written as JSON: it is ${kindOf(value)}`)
  // JSON has such a half as an escape, and nothing else.
  if (text.includes('\\ud')) JSON.stringify(value, (_key, each) => (typeof each === 'string' ? wellFormed(each, name) : each))
  return JSON.parse(text)
}

const jsonObject = (value, name) => json(object(value, name), name)
const messages = (value, name) => json(Array.isArray(value) ? value : object(value, name), name)

/** One of several words. */
const oneOf = (...words) => (value, name) => {
  if (words.includes(string(value, name))) return value
  const list = words.map((word) => `\`${word}\``).join(', ')
  throw usage(`\`${name}\` must be one of ${list}, not \`${value}\``, suggestion(value, words))
}

const listOf = (item) => (value, name) => array(value, name).map((each, index) => item(each, `${name}[${index}]`))

const tableOf = (item) => (value, name) =>
  Object.fromEntries(Object.entries(object(value, name)).map(([key, each]) => [key, item(each, `${name}["${key}"]`)]))

const variable = type('a string, a boolean, a list, or null to remove it', (value, name) => {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return wellFormed(value, name)
  return Array.isArray(value) ? json(value, name) : undefined
})

const event = (value, name) => {
  const read = jsonObject(value, name)
  string(read.type, `${name}.type`)
  return read
}

const tool = (value, name) => {
  if (typeof value === 'string') return value
  if (!isObject(value)) throw usage(`\`${name}\` must be the name of a tool or its definition, not ${kindOf(value)}`)
  const read = options(value, TOOL, name)
  string(read.name, `${name}.name`)
  return read
}

const pins = type('the text of `preface trust export`, or its JSON', (value, name) => {
  if (typeof value === 'string') return value
  return isObject(value) ? JSON.stringify(json(value, name)) : undefined
})

const signal = type('an AbortSignal', (value) =>
  isObject(value) && typeof value.aborted === 'boolean' && typeof value.addEventListener === 'function' ? value : undefined,
)

/** An event for which hooks are called. */
const hookEvent = oneOf('resources_discover', 'input', 'before_agent_start', 'context')

/** The keys of the objects that a caller gives, each with its type. */
const TOOL = {
  name: string,
  description: string,
  inputSchema: jsonObject,
  snippet: string,
  guidelines: listOf(string),
  strict: boolean,
  source: string,
}

const ENGINE = { home: file }

const BUILD = {
  cwd: file,
  preset: string,
  profile: file,
  model: string,
  tools: listOf(tool),
  agent: string,
  variables: tableOf(variable),
  settings: tableOf(json),
  trust: oneOf('recorded', 'require', 'once', 'deny'),
  trustPins: pins,
  budget: count,
  tokenizer: string,
  now: instant,
  timeZone: string,
  template: string,
  templateText: string,
  events: listOf(event),
  signal,
}

const REQUEST = {
  model: string,
  messages,
  maxOutputTokens: count,
  cacheKey: string,
  cacheTtl: string,
  compaction: string,
}

const USAGE = { inputTokens: count, cacheReadTokens: count, cacheWriteTokens: count, outputTokens: count }

/** Reads an object with options; each key and each type is checked. `of` names it, for people. */
function options(given, types, of) {
  if (given === undefined) return {}
  if (!isObject(given)) throw usage(`\`${of}\` takes an object with options, not ${kindOf(given)}`)
  const read = {}
  for (const [key, value] of Object.entries(given)) {
    const known = Object.keys(types)
    if (!known.includes(key)) {
      throw usage(`unknown option of \`${of}\`: \`${key}\``, suggestion(key, known) ?? `options are ${known.join(', ')}`)
    }
    if (value !== undefined) read[key] = types[key](value, key)
  }
  return read
}

function suggestion(word, known) {
  const near = didYouMean(word, known)
  return near && `did you mean \`${near}\`?`
}

/** Words that people use for an option, and that are not near to its name. */
const SYNONYMS = { directory: 'cwd', dir: 'cwd', input_schema: 'inputSchema', zone: 'timeZone', counter: 'tokenizer', events: 'reminders' }

/** Returns the word that was most likely meant, if one is near enough: one slip for every three letters. */
function didYouMean(word, known) {
  if (known.includes(SYNONYMS[word])) return SYNONYMS[word]
  const letters = word.toLowerCase().replaceAll(/[_-]/g, '')
  let best
  for (const candidate of known) {
    const slips = distance(letters, candidate.toLowerCase())
    const longer = Math.max(letters.length, candidate.length)
    const allowed = Math.min(Math.max(Math.floor(longer / 3), 1), 4)
    if (slips <= allowed && slips < longer && (best === undefined || slips < best.slips)) best = { slips, candidate }
  }
  return best?.candidate
}

/** Counts insertions, deletions, replacements and swaps of neighbors. */
function distance(from, to) {
  let before = []
  let above = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 0; row < from.length; row += 1) {
    const line = [row + 1]
    for (let column = 0; column < to.length; column += 1) {
      const replaced = above[column] + (from[row] === to[column] ? 0 : 1)
      let least = Math.min(replaced, above[column + 1] + 1, line[column] + 1)
      if (row > 0 && column > 0 && from[row] === to[column - 1] && from[row - 1] === to[column]) {
        least = Math.min(least, before[column - 1] + 1)
      }
      line.push(least)
    }
    before = above
    above = line
  }
  return above[to.length]
}

module.exports = {
  BUILD, ENGINE, REQUEST, USAGE, count, event, file, hookEvent, json, listOf, messages, options, string, suggestion, tool, type,
}
