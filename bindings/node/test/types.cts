// The same types with `require`.
import preface = require('preface')

const engine: preface.Preface = new preface.Preface()
const prompt: preface.Prompt = engine.buildSync()
export const text: string = prompt.text
