// Runs the official conformance suite against a server whose every fixture is declared in appdir/: `node run.mjs WARDROOM
// TOOLS WORK`. WARDROOM is the binary, TOOLS a folder with the packages of package.json, WORK is for what is written.
//
// The exit codes of the suite decide; what it prints is for people. docs/CONFORMANCE.md has the results: with UPDATE_DOCS=1
// it is written, else it must say the same.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { bridge } from './bridge.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const [wardroom, tools, work] = process.argv.slice(2).map(path => resolve(path))
const node = join(tools, 'node_modules/node/bin/node')
const suite = join(tools, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const page = join(here, '../../docs/CONFORMANCE.md')
const REVISIONS = ['2025-11-25', '2026-07-28']

// What is about HTTP itself: headers, origins, sessions, status codes, streams.
const HTTP_ONLY = new Set([
  'dns-rebinding-protection', 'http-custom-header-server-validation', 'http-header-validation', 'server-session-lifecycle',
  'server-sse-multiple-streams', 'server-sse-polling', 'server-stateless', 'tasks-request-headers',
])

rmSync(work, { recursive: true, force: true })
mkdirSync(work, { recursive: true })
const app = join(work, 'app')
cpSync(join(here, 'appdir'), app, { recursive: true })
const environment = { ...process.env, XDG_CONFIG_HOME: join(work, 'config'), RUST_LOG: process.env.RUST_LOG ?? 'warn' }
const options = ['--appdir', app, '--service', 'registry']

function conformance(...args) {
  const done = spawn(node, [suite, ...args], { cwd: work, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [done.stdout, done.stderr]) stream.on('data', piece => { said += piece })
  return new Promise(ended => done.on('close', code => ended({ code, said })))
}

async function address() {
  for (let attempt = 0; attempt < 100; attempt++) {
    const asked = spawnSync(wardroom, ['--appdir', app, 'status', '--json'], { env: environment, encoding: 'utf8' })
    const found = asked.status === 0 && JSON.parse(asked.stdout).find(one => one.transport === 'http' && one.running)
    if (found) return `http://127.0.0.1:${found.port}/mcp`
    await new Promise(later => setTimeout(later, 100))
  }
  throw new Error('the server does not start')
}

// The outcome of each scenario of a run, by its name.
function outcomes(folder) {
  const found = new Map()
  for (const name of readdirSync(folder).filter(name => name.startsWith('server-')).sort()) {
    const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'))
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T.*$/, '')
    const worst = ['FAILURE', 'WARNING', 'SUCCESS', 'SKIPPED'].find(status => checks.some(check => check.status === status))
    found.set(scenario, { SUCCESS: 'passed', SKIPPED: 'skipped', WARNING: 'warning', FAILURE: 'failed' }[worst] ?? 'no check')
  }
  return found
}

async function required(revision) {
  const { said } = await conformance('list', '--requirements', revision)
  const ours = said.slice(said.indexOf('Server scenarios'), said.indexOf('Client scenarios'))
  return [...ours.matchAll(/^\s+-\s+(\S+)/gm)].map(([, name]) => name)
}

let failed = false
const rows = new Map()
const row = name => rows.get(name) ?? rows.set(name, {}).get(name)
const note = (name, column, outcome) => { row(name)[column] = outcome }

const server = spawn(wardroom, [...options, 'serve', '--http', '127.0.0.1:0'], { env: environment, stdio: ['ignore', 'ignore', 'inherit'] })
const ended = new Promise(over => server.on('exit', over))
try {
  const url = await address()
  for (const revision of REVISIONS) {
    const results = join(work, `http-${revision}`)
    const args = ['--url', url, '--requirements', revision, '--expected-failures', join(here, 'strict.yml'), '-o', results]
    const { code, said } = await conformance('server', ...args)
    process.stdout.write(said.slice(Math.max(0, said.indexOf('=== SUMMARY'))))
    for (const [name, outcome] of outcomes(results)) note(name, `HTTP, ${revision}`, outcome)
    if (code !== 0) failed = true
  }
} finally {
  server.kill('SIGTERM')
  await ended
}

const { url, end } = await bridge([wardroom, ...options], environment)
try {
  for (const revision of REVISIONS) {
    for (const name of await required(revision)) {
      if (HTTP_ONLY.has(name)) continue
      const results = join(work, `stdio-${revision}`, name)
      const args = ['--url', url, '--scenario', name, '--spec-version', revision, '--force', '-o', results]
      const { code, said } = await conformance('server', ...args)
      const outcome = [...outcomes(results).values()][0] ?? 'no check'
      note(name, `stdio, ${revision}`, outcome)
      if (code !== 0 || outcome !== 'passed') {
        failed = true
        process.stdout.write(`stdio, ${revision}: ${name}\n${said}\n`)
      }
    }
  }
} finally {
  end()
}

const columns = REVISIONS.flatMap(revision => [`HTTP, ${revision}`, `stdio, ${revision}`])
const lines = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, outcome]) =>
  `| ${name} | ${columns.map(column => outcome[column] ?? '').join(' | ')} |`)
const table = [`| scenario | ${columns.join(' | ')} |`, `| --- |${' --- |'.repeat(columns.length)}`, ...lines].join('\n') + '\n'
const MARK = '<!-- results -->\n'
const text = readFileSync(page, 'utf8')
const generated = text.slice(0, text.indexOf(MARK) + MARK.length) + '\n' + table
if (process.env.UPDATE_DOCS) {
  writeFileSync(page, generated)
} else if (text !== generated) {
  process.stdout.write('docs/CONFORMANCE.md does not say what came out: `UPDATE_DOCS=1 make conformance` writes it\n' + table)
  failed = true
}
process.exit(failed ? 1 : 0)
