// The guest on wasmtime's command line: `node host.mjs COMPONENT CORPUS` prints the SHA-256 of all answers (docs/GUEST.md). Each
// call is a process: `wasmtime run --invoke 'parse("alc://packages/cot/meta")' COMPONENT`.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const LIMITS = ['-W', 'max-memory-size=33554432', '-W', 'max-wasm-stack=524288', '-W', 'timeout=10s']

// WAVE, in which arguments and answers are written.
const quoted = text => `"${[...text].map(c => (/[\w ./:-]/.test(c) ? c : `\\u{${c.codePointAt(0).toString(16)}}`)).join('')}"`
const bytes = source => `[${Array.from(source).join(', ')}]`

function read(wave) {
  const tokens = wave.match(/"(?:[^"\\]|\\.)*"|[%\w-]+|[[\](){}:,]/gsu)
  const list = (end, entry) => {
    const entries = []
    while (tokens[0] !== end) {
      if (tokens[0] === ',' || tokens[0] === ':') tokens.shift()
      else entries.push(entry())
    }
    tokens.shift()
    return entries
  }
  const field = () => {
    const name = tokens.shift().replace('%', '')
    tokens.shift()
    return [name, value()]
  }
  const payload = () => (tokens[0] === '(' ? (tokens.shift(), list(')', value)[0]) : null)
  const value = () => {
    const token = tokens.shift()
    if (token === '[') return list(']', value)
    if (token === '{') return Object.fromEntries(list('}', field))
    if (token.startsWith('"')) return text(token.slice(1, -1))
    if (/^\d+$/.test(token)) return Number(token)
    if (token === 'none') return null
    return token === 'some' ? payload() : { [token.replace('%', '')]: payload() }
  }
  return value()
}

const ESCAPES = { n: '\n', r: '\r', t: '\t' }
const text = raw =>
  raw.replace(/\\(?:u\{([0-9a-f]+)\}|(.))/gisu, (_, code, c) => (code ? String.fromCodePoint(parseInt(code, 16)) : (ESCAPES[c] ?? c)))

// Fields that are `none` are not written.
const whole = (answer, ...optional) => {
  if (answer.ok) for (const name of optional) answer.ok[name] ??= null
  return sorted(answer)
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.keys(value).sort().map(key => [key, sorted(value[key])]))
}

const [component, corpus] = process.argv.slice(2)

function invoke(call) {
  const { status, stdout, stderr, error } = spawnSync('wasmtime', ['run', ...LIMITS, '--invoke', call, component], {
    encoding: 'utf8', maxBuffer: 16 << 20,
  })
  if (error || status !== 0) throw new Error(`${call.slice(0, 60)}: ${error ?? stderr}`)
  return read(stdout.trim())
}

const cases = JSON.parse(readFileSync(corpus, 'utf8'))
const source = ({ file, text, times = 1 }) =>
  file ? readFileSync(resolve(dirname(corpus), file)) : new TextEncoder().encode(text.repeat(times))
const digest = createHash('sha256')
const say = answer => digest.update(`${JSON.stringify(answer)}\n`)
for (const one of cases.extract) say(whole(invoke(`extract(${quoted(one.name)}, ${bytes(source(one))})`), 'doc'))
for (const [kind, id] of cases.check) say(whole(invoke(`check(${kind}, ${quoted(id)})`)))
for (const uri of cases.parse) say(whole(invoke(`parse(${quoted(uri)})`), 'id'))
console.log(digest.digest('hex'))

const [first] = cases.extract
const times = []
for (let n = 0; n < 11; n++) {
  const begun = process.hrtime.bigint()
  invoke(`extract(${quoted(first.name)}, ${bytes(source(first))})`)
  times.push(Number(process.hrtime.bigint() - begun))
}
console.error(`${Math.round(times.sort((a, b) => a - b)[5] / 1000)} µs`)
