// Runs the guests in other hosts, each on one corpus: `node run.mjs GUEST CORE LATER DOCUMENTS TOOLS RUST HOSTILE WORK`. GUEST is the
// component of packages, CORE the one without imports, LATER what that may be in a later version, DOCUMENTS the component of documents;
// TOOLS has what node/ and python/ list (`py/` is the virtual environment), RUST the built Rust host and its examples, HOSTILE the
// folder of the guests that each try one forbidden thing, WORK is for what is written.
//
// The exit code says whether every host gave the digests of digest.txt, and whether the limits that it sets stop what they are for.
// wasmtime's command line is tried when it is there. The last lines are the table of docs/BENCHMARKS.md, measured here.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const [guest, core, later, documents, tools, rust, hostile, work] = process.argv.slice(2).map(path => resolve(path))
// `corpus` is of all answers, `short` of those without the sources that are longer than an argument of a process can be, `command`
// of what the command says of all sources, `documents` of all answers of the other component. wardroom's own host is held to the first
// and the last one, by tests/sandbox/hosts.rs.
const expected = Object.fromEntries(readFileSync(join(here, 'digest.txt'), 'utf8').trim().split('\n').map(line => line.split(' ')))
const ARGUMENT_BYTES = 20_000
const RUN_MS = 900_000

rmSync(work, { recursive: true, force: true })
mkdirSync(work, { recursive: true })
// Where its packages are found.
for (const name of ['host.mjs', 'documents.mjs']) copyFileSync(join(here, 'node', name), join(tools, name))

const corpus = join(here, 'corpus/corpus.json')
const cases = JSON.parse(readFileSync(corpus, 'utf8'))
function written(name, content) {
  const path = join(work, `${name}.json`)
  writeFileSync(path, JSON.stringify({ extract: [], check: [], parse: [], ...content }))
  return path
}
const placed = cases.extract.map(one => (one.file ? { ...one, file: join(here, 'corpus', one.file) } : one))
const bytes = ({ file, hex = '', text, times = 1 }) => (file ? statSync(file).size : text ? Buffer.byteLength(text) * times : hex.length / 2)
const short = written('short', { ...cases, extract: placed.filter(one => bytes(one) <= ARGUMENT_BYTES) })
const one = written('one', { extract: [{ name: 'x', text: 'return {}' }] })
const longer = written('longer', { extract: [{ name: 'x', text: ' ', times: 20 << 20 }] })
const empty = written('empty', { extract: [{ name: 'x', text: '' }] })

function run(program, args) {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, { cwd: work, encoding: 'utf8', timeout: RUN_MS })
  if (error || status !== 0) return { failure: `${error?.message ?? signal ?? `exit ${status}`}\n${stderr ?? ''}` }
  return { digest: stdout.trim(), time: stderr.trim().split('\n').at(-1) }
}

const node = (script, ...args) => run(process.execPath, [script, ...args])
const python = (script, ...args) => run(join(tools, 'py/bin/python'), [join(here, 'python', script), ...args])
const hosts = {
  rust: (component, _, cases) => run(join(rust, 'examples/corpus'), [component, cases]),
  python: (component, _, cases) => python('host.py', component, cases),
  node: (component, name, cases) => node(join(tools, 'host.mjs'), component, cases, join(work, name)),
}

let failed = false
function report(host, name, { digest, time, failure }, wanted) {
  const good = !failure && digest === wanted
  failed ||= !good
  const said = failure ? `FAILED ${failure}` : `${good ? '' : 'FAILED '}${digest} ${time}`
  console.log(`${host.padEnd(8)} ${name.padEnd(8)} ${said}`)
  return time
}

// Rows of the table: what a call takes in each host, and what it takes of an empty source.
const rows = {}
for (const [host, attempt] of Object.entries(hosts)) {
  rows[host] = Object.entries({ guest, core }).map(([name, component]) => {
    const time = report(host, name, attempt(component, name, corpus), expected.corpus)
    return `${time} (${attempt(component, name, empty).time})`
  })
  // The hosts name version 0.1.0.
  report(host, 'later', attempt(later, 'later', corpus), expected.corpus)
}
report('python', 'command', python('command.py', guest, corpus), expected.command)
report('rust', 'short', hosts.rust(guest, 'short', short), expected.short)

// The component of documents. Its rows are what a post takes, and what the thumbnail of a picture takes.
const blog = join(here, 'corpus/documents.json')
const blogHosts = {
  rust: (component, _, cases) => run(join(rust, 'examples/documents'), [component, cases]),
  python: (component, _, cases) => python('documents.py', component, cases),
  node: (component, name, cases) => node(join(tools, 'documents.mjs'), component, cases, join(work, name)),
}
const blogCases = Object.entries(JSON.parse(readFileSync(blog, 'utf8'))).map(([name, entries]) => {
  const placed = entries.map(one => (one.file ? { ...one, file: join(here, 'corpus', one.file) } : one))
  return [name, placed.filter(one => bytes(one) <= ARGUMENT_BYTES)]
})
const blogShort = join(work, 'documents-short.json')
writeFileSync(blogShort, JSON.stringify(Object.fromEntries(blogCases)))
const blogRows = Object.entries(blogHosts).map(([host, attempt]) => [
  host,
  report(host, 'documents', attempt(documents, 'documents', blog), expected.documents),
])
report('rust', 'd. short', blogHosts.rust(documents, 'documents', blogShort), expected['documents-short'])

// The limits of each host, and what shows that one was met. A guest whose memory is refused complains, which nothing hears in the Rust
// host, and traps.
const STOPPED = {
  loop_forever: { python: 'all fuel consumed', node: 'took more than', rust: 'wasm trap: interrupt' },
  recurse: { python: 'call stack exhausted', node: 'Maximum call stack', rust: 'call stack exhausted' },
  allocate: { python: 'unreachable', rust: 'wasi:cli/stderr' },
  huge_string: { rust: 'fuel allocated for hostcalls' },
}
for (const [name, words] of Object.entries({ well_behaved: { python: null, node: null, rust: null }, ...STOPPED })) {
  for (const [host, word] of Object.entries(words)) {
    const { failure } = hosts[host](join(hostile, `${name}.wasm`), name, one)
    const good = word === null ? !failure : failure?.includes(word)
    failed ||= !good
    console.log(`${host.padEnd(8)} ${name.padEnd(12)} ${good ? (word ? 'stopped' : 'ran') : `FAILED ${failure ?? 'was not stopped'}`}`)
  }
}

// The same limits around documents and pictures. The hostile component makes the attempt that its input names, in whichever function.
const ATTEMPTS = {
  none: { python: null, node: null, rust: null },
  loop_forever: STOPPED.loop_forever,
  recurse: STOPPED.recurse,
  allocate: STOPPED.allocate,
  'huge_text 9000000': STOPPED.huge_string,
}
const hostileDocuments = join(hostile, 'documents.wasm')
for (const [name, words] of Object.entries(ATTEMPTS)) {
  for (const attacked of ['read-post', 'make-thumbnail']) {
    const content = { 'read-post': [{ text: 'none' }], 'make-thumbnail': [{ text: 'none', side: 1 }] }
    content[attacked][0].text = name
    const cases = join(work, 'attempt.json')
    writeFileSync(cases, JSON.stringify(content))
    for (const [host, word] of Object.entries(words)) {
      const { failure } = blogHosts[host](hostileDocuments, 'hostile-documents', cases)
      const good = word === null ? !failure : failure?.includes(word)
      failed ||= !good
      const said = good ? (word ? 'stopped' : 'ran') : `FAILED ${failure ?? 'was not stopped'}`
      console.log(`${host.padEnd(8)} ${attacked} ${name.padEnd(12)} ${said}`)
    }
  }
}

// Each looks at the length before anything is copied.
for (const [host, attempt] of Object.entries(hosts)) {
  const { failure } = attempt(guest, 'guest', longer)
  const good = failure?.includes('more than 2097152 bytes')
  failed ||= !good
  console.log(`${host.padEnd(8)} 20 MiB       ${good ? 'refused' : `FAILED ${failure ?? 'was not refused'}`}`)
}

// What they show of a component alone.
const small = '"slug":"another"'
for (const [host, { digest, failure }] of Object.entries({
  python: python('documents.py', documents),
  node: node(join(tools, 'documents.mjs'), documents, '', join(work, 'documents')),
})) {
  const good = digest?.includes(small)
  failed ||= !good
  console.log(`${host.padEnd(8)} post         ${good ? 'shows its link' : `FAILED ${failure ?? digest}`}`)
}
const alone = { rust: run(join(rust, 'wardroom-guest-host'), [guest]), python: python('host.py', guest), node: node(join(tools, 'host.mjs'), guest) }
for (const [host, { digest, failure }] of Object.entries(alone)) {
  const good = digest?.includes('calls a function')
  failed ||= !good
  console.log(`${host.padEnd(8)} alone        ${good ? 'shows metadata' : `FAILED ${failure ?? digest}`}`)
}

// Node has one thread for all calls: each gets its own answer, and whatever stopped one stops no other.
const { Guest } = await import(pathToFileURL(join(tools, 'host.mjs')))
async function answers(name, folder, calls, wanted) {
  const guest = new Guest(join(work, folder))
  const settled = await Promise.allSettled(calls.map(call => guest.call(...call)))
  guest.end()
  const said = settled.map(({ value, reason }) => JSON.stringify(value) ?? `${reason}`)
  const good = said.every((answer, n) => answer.includes(wanted[n]))
  failed ||= !good
  console.log(`node     ${name.padEnd(12)} ${good ? 'each its own answer' : `FAILED ${said.join(', ')}`}`)
}
const [check, parse] = [['resourceId', 'check', 'card-id', 'x'], ['resourceId', 'parse', 'x']]
await answers('at once', 'guest', [check, parse, check], ['{"ok":null}', '{"err":', '{"ok":null}'])
const extract = ['packageMeta', 'extract', 'x', new Uint8Array()]
await answers('after a trap', 'recurse', [check, extract, check, parse], ['{"ok":null}', 'Maximum call stack', '{"ok":null}', '{"err":'])

if (spawnSync('wasmtime', ['--version']).status === 0) {
  const shown = run('sh', [join(here, 'cli/example.sh'), guest])
  const good = shown.digest === readFileSync(join(here, 'cli/example.txt'), 'utf8').trim()
  failed ||= !good
  console.log(`cli      shown    ${good ? 'as in example.txt' : `FAILED ${shown.failure ?? shown.digest}`}`)
  rows.cli = Object.entries({ guest, core }).map(([name, component]) =>
    report('cli', name, node(join(here, 'cli/host.mjs'), component, short), expected.short),
  )
  report('cli', 'command', node(join(here, 'cli/command.mjs'), guest, corpus), expected.command)
  const time = report('cli', 'd. short', node(join(here, 'cli/documents.mjs'), documents, blogShort), expected['documents-short'])
  blogRows.push(['cli', time])
} else {
  console.log('cli               not there: wasmtime (https://wasmtime.dev)')
}

console.log(failed ? `expected          ${JSON.stringify(expected)} (tests/hosts/digest.txt)` : 'every host gave the digests of tests/hosts/digest.txt')
console.log('\n| host | with WASI | without imports |\n| --- | --- | --- |')
const size = component => `${statSync(component).size.toLocaleString('en')} bytes`
for (const [host, cells] of Object.entries({ 'the component': [size(guest), size(core)], ...rows })) {
  console.log(`| ${host} | ${cells.join(' | ')} |`)
}
console.log('\n| host | a post, a thumbnail |\n| --- | --- |')
for (const [host, cell] of [['the component', size(documents)], ...blogRows]) console.log(`| ${host} | ${cell} |`)
process.exit(failed ? 1 : 0)
