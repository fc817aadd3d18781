// The guest of documents on wasmtime's command line: `node documents.mjs COMPONENT CORPUS` prints the SHA-256 of all answers
// (docs/GUEST.md). Each call is a process.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

import { bytes, invoke, quoted, sorted, time } from './wave.mjs'

// A picture takes more memory than any other document.
const [MEMORY, PICTURE_MEMORY] = [32 << 20, 256 << 20]

// Fields that are `none` are neither written nor read.
const optional = (name, value) => (value == null ? [] : [`${name}: some(${quoted(value)})`])
const record = (...fields) => `{${fields.flat().join(', ') || ':'}}`
const change = ({ name, json }) => record(`name: ${quoted(name)}`, optional('json', json))

// The call of each function. The name of a case in the corpus is the name of its function.
const calls = {
  'read-post': (source, one) => `read-post(${source}, ${record(optional('public-url', one['public-url']))})`,
  edit: (source, one) => `edit(${source}, [${one.changes.map(change).join(', ')}])`,
  'make-thumbnail': (source, one) => `make-thumbnail(${source}, ${one.side})`,
}

const [component, corpus] = process.argv.slice(2)

function ask(name, source, one) {
  const call = calls[name]?.(bytes(source), one) ?? `${name}(${bytes(source)})`
  const answer = invoke(component, call, ['inspect', 'make-thumbnail'].includes(name) ? PICTURE_MEMORY : MEMORY)
  return sorted(Array.isArray(answer) ? { ok: answer } : whole(answer))
}

function whole(answer) {
  for (const field of answer.ok?.fields ?? (Array.isArray(answer.ok) ? answer.ok : [])) if (field.name) field.text ??= null
  for (const link of answer.ok?.links ?? []) link.language ??= null
  if (answer.ok?.format) [answer.ok.format] = Object.keys(answer.ok.format)
  return answer
}

const cases = JSON.parse(readFileSync(corpus, 'utf8'))
const source = ({ file, hex, text, times = 1 }) => {
  if (file) return readFileSync(resolve(dirname(corpus), file))
  return hex ? Buffer.from(hex, 'hex') : new TextEncoder().encode(text.repeat(times))
}
const digest = createHash('sha256')
for (const [name, entries] of Object.entries(cases)) {
  for (const one of entries) digest.update(`${JSON.stringify(ask(name, source(one), one))}\n`)
}
console.log(digest.digest('hex'))

const durations = ['read-post', 'make-thumbnail'].map(name => time(() => ask(name, source(cases[name][0]), cases[name][0])))
console.error(durations.join(', '))
