// Runs the guest in other hosts, on one corpus: `node run.mjs GUEST CORE TOOLS RUST HOSTILE WORK`. GUEST is the component, CORE the
// one without imports; TOOLS has what node/ and python/ list (`py/` is the virtual environment), RUST is the built Rust host, HOSTILE
// the folder of the guests that each try one forbidden thing, WORK is for what is written. What wardroom's own host says is in digest.txt, where tests/sandbox/hosts.rs holds it to it.
//
// The exit code says whether every host gave that digest for each component, and for one that calls itself 0.1.9, and whether the limits
// that it sets stop what they are for. wasmtime's command line is tried when it is there.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const [guest, core, tools, rust, hostile, work] = process.argv.slice(2).map(path => resolve(path))
const corpus = join(here, 'corpus/corpus.json')
const expected = readFileSync(join(here, 'digest.txt'), 'utf8').trim()
// Longer sources do not fit into an argument of a process.
const ARGUMENT_BYTES = 20_000
const RUN_MS = 900_000

rmSync(work, { recursive: true, force: true })
mkdirSync(work, { recursive: true })
// Where its packages are found.
copyFileSync(join(here, 'node/host.mjs'), join(tools, 'host.mjs'))

function run(program, args) {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: RUN_MS })
  if (error || status !== 0) return { failure: `${error?.message ?? signal ?? `exit ${status}`}\n${stderr ?? ''}` }
  return { digest: stdout.trim(), note: stderr.trim().split('\n').at(-1) || 'its sources are the short ones' }
}

const node = (component, cases, label) => run(process.execPath, [join(tools, 'host.mjs'), component, cases, join(work, label)])
const hosts = {
  python: (component, _, cases = corpus) => run(join(tools, 'py/bin/python'), [join(here, 'python/host.py'), component, cases]),
  node: (component, name, cases = corpus) => node(component, cases, name),
  rust: (component, _, cases = corpus) => run(rust, [component, cases]),
}

let failed = false
function report(host, name, { digest, note, failure }, wanted) {
  const good = !failure && digest === wanted
  failed ||= !good
  const said = failure ? `FAILED ${failure}` : `${good ? '' : 'FAILED '}${digest} ${note}`
  console.log(`${host.padEnd(8)} ${name.padEnd(6)} ${said}`)
}

for (const [name, component] of Object.entries({ guest, core })) {
  for (const [host, attempt] of Object.entries(hosts)) report(host, name, attempt(component, name), expected)
}

// The hosts name version 0.1.0; one that adds to it is another name of the same length.
const later = join(work, 'later.wasm')
const renamed = readFileSync(core, 'latin1').replaceAll(/(wardroom:guest\/[\w-]+@0\.1\.)0/g, (_, name) => `${name}9`)
writeFileSync(later, renamed, 'latin1')
if (!renamed.includes('wardroom:guest/package-meta@0.1.9')) throw new Error('the component has no name to change')
for (const [host, attempt] of Object.entries(hosts)) report(host, 'later', attempt(later, 'later'), expected)

// The limits of each host, and what shows that one was met. A guest whose memory is refused complains, which nothing hears in the Rust
// host, and traps.
const STOPPED = {
  loop_forever: { python: 'all fuel consumed', node: 'took more than', rust: 'wasm trap: interrupt' },
  recurse: { python: 'call stack exhausted', node: 'Maximum call stack', rust: 'call stack exhausted' },
  allocate: { python: 'unreachable', rust: 'wasi:cli/stderr' },
  huge_string: { rust: 'fuel allocated for hostcalls' },
}
const one = join(work, 'one.json')
writeFileSync(one, JSON.stringify({ extract: [{ name: 'x', text: 'return {}' }], check: [], parse: [] }))
for (const [name, words] of Object.entries({ well_behaved: { python: null, node: null, rust: null }, ...STOPPED })) {
  for (const [host, word] of Object.entries(words)) {
    const { failure } = hosts[host](join(hostile, `${name}.wasm`), name, one)
    const good = word === null ? !failure : failure?.includes(word)
    failed ||= !good
    console.log(`${host.padEnd(8)} ${name.padEnd(12)} ${good ? (word ? 'stopped' : 'ran') : `FAILED ${failure ?? 'was not stopped'}`}`)
  }
}

if (spawnSync('wasmtime', ['--version']).status === 0) {
  const cases = JSON.parse(readFileSync(corpus, 'utf8'))
  for (const { file } of cases.extract) if (file) copyFileSync(join(here, 'corpus', file), join(work, file))
  const short = ({ text, times = 1 }) => text === undefined || text.length * times <= ARGUMENT_BYTES
  writeFileSync(join(work, 'short.json'), JSON.stringify({ ...cases, extract: cases.extract.filter(short) }))
  const wanted = node(guest, join(work, 'short.json'), 'short').digest
  const shown = run('sh', [join(here, 'cli/example.sh'), guest])
  const good = shown.digest === readFileSync(join(here, 'cli/example.txt'), 'utf8').trim()
  failed ||= !good
  console.log(`cli      shown  ${good ? 'as in example.txt' : `FAILED ${shown.failure ?? shown.digest}`}`)
  for (const [name, component] of Object.entries({ guest, core })) {
    report('cli', name, run(process.execPath, [join(here, 'cli/host.mjs'), component, join(work, 'short.json')]), wanted)
  }
} else {
  console.log('cli             not there: wasmtime (https://wasmtime.dev)')
}

console.log(failed ? `expected        ${expected} (tests/hosts/digest.txt)` : 'every host gave the digest of tests/hosts/digest.txt')
process.exit(failed ? 1 : 0)
