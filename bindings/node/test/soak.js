// 10,000 builds, on promises and in worker threads: equal results, and memory that does not grow. `soak.js HOME DIRECTORY BUILDS`.
'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { isMainThread, parentPort, Worker, workerData } = require('node:worker_threads')
const { Preface } = require('preface')

const WORKERS = 2
/** How many promises are pending at once. */
const AT_ONCE = 16

async function builds({ home, cwd, count, expected }) {
  const engine = new Preface({ home })
  const options = { cwd, preset: 'claude-code', trust: 'once', now: '2026-11-23T12:00:00Z', timeZone: 'UTC' }
  for (let done = 0; done < count; done += AT_ONCE) {
    const prompts = await Promise.all(Array.from({ length: AT_ONCE }, () => engine.build(options)))
    for (const prompt of prompts) {
      expected ??= prompt.text
      assert.equal(prompt.text, expected)
      assert.ok(prompt.request('anthropic').body.length > prompt.text.length)
    }
  }
  return expected
}

async function main() {
  const [home, cwd, total] = process.argv.slice(2)
  const half = Number(total) / 2
  const [onPromises, inWorkers] = [[], []]
  const resident = () => Math.round(process.memoryUsage.rss() / 1e6)
  let expected
  for (let round = 0; round < 10; round += 1) {
    expected = await builds({ home, cwd, count: half / 10, expected })
    onPromises.push(resident())
  }
  for (let round = 0; round < 10; round += 1) {
    const data = { home, cwd, count: half / 10 / WORKERS, expected }
    const workers = Array.from({ length: WORKERS }, () => new Worker(__filename, { workerData: data }))
    await Promise.all(workers.map((worker) => once(worker, 'exit').then(([code]) => assert.equal(code, 0))))
    inWorkers.push(resident())
  }
  console.log(`${total} builds, resident MB on promises: ${onPromises.join(' ')}, in worker threads: ${inWorkers.join(' ')}`)
  for (const sizes of [onPromises, inWorkers]) {
    // The first rounds fill caches, of the allocator too.
    const grown = sizes.at(-1) - sizes[3]
    assert.ok(grown < 30, `${grown} MB more`)
  }
}

if (isMainThread) main()
else builds(workerData).then(() => parentPort.close())
