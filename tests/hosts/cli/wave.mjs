// Calls of a component on wasmtime's command line, each a process: `wasmtime run --invoke 'parse("alc://packages/cot/meta")' COMPONENT`.
import { spawnSync } from 'node:child_process'

const MIB = 1 << 20
const LIMITS = ['-W', 'max-wasm-stack=524288', '-W', 'timeout=10s']

export function invoke(component, call, memory = 32 * MIB) {
  const { status, stdout, stderr, error } = spawnSync('wasmtime', ['run', ...LIMITS, '-W', `max-memory-size=${memory}`, '--invoke', call, component], {
    encoding: 'utf8', maxBuffer: 64 * MIB,
  })
  if (error || status !== 0) throw new Error(`${call.slice(0, 60)}: ${error ?? stderr}`)
  return read(stdout.trim())
}

// WAVE, in which arguments and answers are written.
export const quoted = text => `"${[...text].map(c => (/[\w ./:-]/.test(c) ? c : `\\u{${c.codePointAt(0).toString(16)}}`)).join('')}"`
export const bytes = source => `[${Array.from(source).join(', ')}]`

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

export function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.keys(value).sort().map(key => [key, sorted(value[key])]))
}

// The median of 11 calls.
export function time(call) {
  const times = []
  for (let n = 0; n < 11; n++) {
    const begun = process.hrtime.bigint()
    call()
    times.push(Number(process.hrtime.bigint() - begun))
  }
  return `${Math.round(times.sort((a, b) => a - b)[5] / 1000)} µs`
}
