// Builds the prompt of a directory several times and prints the shortest time in microseconds, as the example `warm_build` of the crate
// does in Rust: `warm-build.js HOME DIRECTORY TIMES`.
'use strict'

const { Preface } = require('preface')

const [home, cwd, times] = process.argv.slice(2)
const engine = new Preface({ home })
let shortest = Infinity
for (let round = 0; round < Number(times); round += 1) {
  const start = performance.now()
  engine.buildSync({ cwd, preset: 'claude-code', trust: 'once' })
  shortest = Math.min(shortest, performance.now() - start)
}
console.log(Math.round(shortest * 1000))
