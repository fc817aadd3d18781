// The guest's command on wasmtime's command line: `node command.mjs COMPONENT CORPUS` prints the SHA-256 of what it says of every
// source (docs/GUEST.md). They come on standard input, so that their length does not matter.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const LIMITS = ['-W', 'max-memory-size=33554432', '-W', 'max-wasm-stack=524288', '-W', 'timeout=10s']

const [component, corpus] = process.argv.slice(2)
const digest = createHash('sha256')
for (const { file, text, times = 1 } of JSON.parse(readFileSync(corpus, 'utf8')).extract) {
  const input = file ? readFileSync(resolve(dirname(corpus), file)) : text.repeat(times)
  const run = spawnSync('wasmtime', ['run', ...LIMITS, component], { input, encoding: 'utf8', maxBuffer: 16 << 20 })
  // What the guest refuses is 1; a trap is more.
  if (run.error || run.status > 1 || run.status === null) throw new Error(`${run.error ?? run.stderr}`)
  digest.update(`${JSON.stringify({ status: run.status, stderr: run.stderr, stdout: run.stdout })}\n`)
}
console.log(digest.digest('hex'))
