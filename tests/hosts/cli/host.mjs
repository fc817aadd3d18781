// The guest on wasmtime's command line: `node host.mjs COMPONENT CORPUS` prints the SHA-256 of all answers (docs/GUEST.md). Each
// call is a process.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

import { bytes, invoke, quoted, sorted, time } from './wave.mjs'

// Fields that are `none` are not written.
const whole = (answer, ...optional) => {
  if (answer.ok) for (const name of optional) answer.ok[name] ??= null
  return sorted(answer)
}

const [component, corpus] = process.argv.slice(2)

const cases = JSON.parse(readFileSync(corpus, 'utf8'))
const source = ({ file, text, times = 1 }) =>
  file ? readFileSync(resolve(dirname(corpus), file)) : new TextEncoder().encode(text.repeat(times))
const digest = createHash('sha256')
const say = answer => digest.update(`${JSON.stringify(answer)}\n`)
for (const one of cases.extract) say(whole(invoke(component, `extract(${quoted(one.name)}, ${bytes(source(one))})`), 'doc'))
for (const [kind, id] of cases.check) say(whole(invoke(component, `check(${kind}, ${quoted(id)})`)))
for (const uri of cases.parse) say(whole(invoke(component, `parse(${quoted(uri)})`), 'id'))
console.log(digest.digest('hex'))

const [first] = cases.extract
console.error(time(() => invoke(component, `extract(${quoted(first.name)}, ${bytes(source(first))})`)))
