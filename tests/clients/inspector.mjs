// The Inspector (@modelcontextprotocol/inspector): `node inspector.mjs FACTS`. It speaks every era.
//
// `--cli --strict` lists, reads, calls and gets prompts, each time as a client of its own, and says nothing of codes. What
// it has no method for, `mcpdo` of the same package has, which keeps a connection. Neither tells that a list changed.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { check, facts, reference, until } from './checks.mjs'

const known = facts()
const inspector = join(dirname(known.tools), 'node_modules/@modelcontextprotocol/inspector/clients')
const [cli, mcpdo] = [join(inspector, 'launcher/build/index.js'), join(inspector, 'mcpdo/build/mcp-bin.js')]
const servers = join(known.folder, 'servers.json')
const environment = { ...process.env, HOME: join(known.folder, 'home'), MCP_INSPECTOR_SECRET_STORE: 'memory' }
const METHODS = {
  tools: ['tools/list', 'tools'],
  prompts: ['prompts/list', 'prompts'],
  resources: ['resources/list', 'resources'],
  templates: ['resources/templates/list', 'resourceTemplates'],
}
const CALL_FAILED = 5

mkdirSync(environment.HOME, { recursive: true })
const server = known.url ? { type: 'streamable-http', url: known.url } : known.command
writeFileSync(servers, JSON.stringify({ mcpServers: { wardroom: server } }))

// A process of the Inspector's, and what it says when it ends. Interrupted, it is a call that was given up.
function start(args, signal) {
  const child = spawn(process.execPath, args, { cwd: known.folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].on('data', piece => { said[name] += piece })
  signal?.addEventListener('abort', () => child.kill('SIGINT'))
  const ended = new Promise(over => child.on('close', (code, by) => over({ code: code ?? by, ...said })))
  return { child, said, ended }
}

function failure({ code, stdout, stderr }) {
  const told = stderr.split('\n').findLast(line => line.startsWith('{"error"'))
  const message = told ? JSON.parse(told).error.message : `exit code ${code}\n${stdout}\n${stderr}`
  return Object.assign(new Error(message), { code: null })
}

async function ask(method, more = [], signal) {
  const options = ['--config', servers, '--server', 'wardroom', '--protocol-era', known.mode, '--format', 'json', '-q']
  const ended = await start([cli, '--cli', ...options, '--method', method, ...more], signal).ended
  const isAnswer = ended.code === 0 || (ended.code === CALL_FAILED && ended.stdout !== '')
  if (!isAnswer) throw failure(ended)
  return JSON.parse(ended.stdout).result
}

// Tools that some models cannot take are errors here; the summary of what is merely unusual is left out.
async function strict() {
  const options = ['--config', servers, '--server', 'wardroom', '--protocol-era', known.mode, '--format', 'json']
  const { code, stderr } = await start([cli, '--cli', ...options, '--method', 'tools/list', '--strict']).ended
  const errors = stderr.split('\n\n').filter(part => part.startsWith('Error'))
  assert.deepEqual([code, errors], [0, []], 'schemas that clients refuse')
}

async function command(...args) {
  const ended = await start([mcpdo, '--format', 'json', ...args]).ended
  if (ended.code !== 0) throw failure(ended)
  return JSON.parse(ended.stdout)
}

// One connection serves whatever needs one.
let isConnected = false

async function connected() {
  if (isConnected) return
  await command('--config', servers, 'connect', 'wardroom', '--era', known.mode)
  isConnected = true
}

async function disconnected() {
  if (isConnected) await command('disconnect', 'wardroom')
  isConnected = false
}

// Its calls are clients of their own: that the loop runs shows in what it writes, that it ended in the server's end.
async function cancels(client) {
  await disconnected()
  const given = new AbortController()
  const code = "alc.card.create({ pkg = { name = 'loop' } })\nwhile true do end"
  const ended = client.call('alc_run', { code }, given.signal).then(answer => ({ answer }), error => ({ error }))
  await until('the loop runs', () => existsSync(join(known.app, 'cards/loop')))
  given.abort()
  const { answer, error } = await ended
  assert.ok(error, `a cancelled call answers: ${JSON.stringify(answer)}`)
  await until('the run ended', async () => {
    if (known.url) return (await client.call('alc_status', {})).structuredContent.active_sessions === 0
    const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n')
    return !processes.some(process => process.includes(known.command.command) && process.includes(known.app))
  })
}

async function open() {
  // A daemon of this run alone; it ends with `close`.
  for (const [, name, value] of (await start([mcpdo, 'private']).ended).stdout.matchAll(/^export (\w+)='(.*)'$/gm)) {
    environment[name] = value
  }
  const { protocolVersion } = await ask('initialize')
  const ours = {
    own: { cancels },
    version: () => protocolVersion,
    async list(kind) {
      if (kind === 'tools') await strict()
      const [method, key] = METHODS[kind]
      return (await ask(method))[key]
    },
    read: uri => ask('resources/read', ['--uri', uri]),
    call(name, given, signal) {
      if (name === 'order_drink') return answered(name, given)
      return ask('tools/call', ['--tool-name', name, '--tool-args-json', JSON.stringify(given)], signal)
    },
    // Others look at every tool; here each call starts two processes.
    looks: null,
    prompt(name, given) {
      const pairs = Object.entries(given).map(([key, value]) => `${key}=${value}`)
      return ask('prompts/get', ['--prompt-name', name, ...(pairs.length > 0 ? ['--prompt-args', ...pairs] : [])])
    },
    async complete(given, name, value) {
      await connected()
      const { type, name: prompt, uri } = reference(given)
      const args = ['--complete-ref-type', type, '--complete-ref', prompt ?? uri]
      const more = ['--complete-arg-name', name, '--complete-arg-value', value]
      return (await command('@wardroom', 'prompts/complete', ...args, ...more)).values
    },
    async watch(uri, heard) {
      await connected()
      const { child, said, ended } = start([mcpdo, '--format', 'json', '@wardroom', 'resources/subscribe', uri])
      await until('it is subscribed', () => said.stdout.includes('"subscribed"'))
      child.stdout.on('data', () => {
        for (const [, told] of said.stdout.matchAll(/"type": "resources\/updated",\s*"uri": "([^"]*)"/g)) heard(told)
      })
      return async () => {
        child.kill('SIGINT')
        await ended
      }
    },
    follow: null,
    async close() {
      await start([mcpdo, 'daemon', 'stop']).ended
      rmSync(environment.MCP_INSPECTOR_DAEMON_DIR, { recursive: true, force: true })
    },
  }
  // A call that waits for its user, who is asked by the command's answer.
  async function answered(name, given) {
    await connected()
    let told = await command('@wardroom', 'tools/call', name, JSON.stringify(given))
    while (told.elicitationPending) {
      const { elicitationId, ...params } = told.elicitationPending
      const { action, content } = ours.asked(params)
      const fields = Object.entries(content ?? {}).map(([key, value]) => `${key}:=${JSON.stringify(value)}`)
      const how = action === 'accept' ? fields : [`--${action}`]
      told = await command('elicitation/respond', elicitationId, ...how)
    }
    return told
  }
  return ours
}

await check(known, open)
