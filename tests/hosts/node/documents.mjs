// The guest of documents in Node: `node documents.mjs COMPONENT` prints a small post (docs/GUEST.md). It needs host.mjs beside it.
// `node documents.mjs COMPONENT CORPUS OUT` prints the SHA-256 of all answers to a corpus, and has another folder than `guest`.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

import { Guest, write } from './host.mjs'

const POST = '---\ntitle: A post\n---\nAbout [another one](/posts/another).\n'

// The arguments of each function. The name of a case in the corpus is the name of its function.
const calls = {
  'read-post': (source, one) => ['document', 'readPost', source, { publicUrl: one['public-url'] }],
  'read-front-matter': source => ['document', 'readFrontMatter', source],
  'read-sidecar': source => ['document', 'readSidecar', source],
  edit: (source, one) => ['document', 'edit', source, one.changes.map(({ name, json }) => ({ name, json: json ?? undefined }))],
  preview: source => ['document', 'preview', source],
  'template-check': source => ['templateCheck', 'check', source],
  'script-check': source => ['scriptCheck', 'check', source],
  inspect: source => ['image', 'inspect', source],
  'make-thumbnail': (source, one) => ['image', 'makeThumbnail', source, one.side],
}

const [component, corpus, out = 'guest'] = process.argv.slice(2)
await write(component, out)
const guest = new Guest(resolve(out))
if (corpus) await run()
else console.log(JSON.stringify(await guest.call(...calls['read-post'](new TextEncoder().encode(POST), {}))))
guest.end()

async function run() {
  const cases = JSON.parse(readFileSync(corpus, 'utf8'))
  const source = ({ file, hex, text, times = 1 }) => {
    if (file) return new Uint8Array(readFileSync(resolve(dirname(corpus), file)))
    return hex ? new Uint8Array(Buffer.from(hex, 'hex')) : new TextEncoder().encode(text.repeat(times))
  }
  const digest = createHash('sha256')
  for (const [name, entries] of Object.entries(cases)) {
    for (const one of entries) digest.update(`${JSON.stringify(await guest.call(...calls[name](source(one), one)))}\n`)
  }
  console.log(digest.digest('hex'))

  const durations = []
  for (const name of ['read-post', 'make-thumbnail']) {
    const [first] = cases[name]
    const times = []
    for (let n = 0; n < 100; n++) {
      const begun = process.hrtime.bigint()
      await guest.call(...calls[name](source(first), first))
      times.push(Number(process.hrtime.bigint() - begun))
    }
    durations.push(`${Math.round(times.sort((a, b) => a - b)[50] / 1000)} µs`)
  }
  console.error(durations.join(', '))
}
