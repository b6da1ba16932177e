// The same classes for `import`: both ways of loading share one module, so that `instanceof` works across them.
import preface from './index.js'

export const { Conversation, Preface, PrefaceError, Prompt, PromptRequest, Store } = preface
