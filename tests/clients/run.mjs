// Tries real clients on a demo AppDir, in every era that they speak, over stdio and HTTP: `node run.mjs WARDROOM TOOLS WORK`.
// WARDROOM is the binary; TOOLS is a folder with the packages of package.json and requirements.txt (`py/` is the virtual
// environment); WORK is for what is written. RUNS=sdk,http names the runs by words, STEPS=reads,calls the steps.
//
// The exit code says whether every client did every step; each has an AppDir and a server of its own.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { check } from './choose.mjs'
import { lists, toolList } from './raw.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const [wardroom, tools, work] = process.argv.slice(2).map(path => resolve(path))
const RUN_MS = 300_000
const VERSIONS = { older: '2025-11-25', newer: '2026-07-28' }

const python = [join(tools, 'py/bin/python'), join(here, 'client.py')]
const node = script => [process.execPath, join(here, script)]
const CLIENTS = [
  ['python', python, { legacy: 'older', auto: 'newer', pinned: 'newer' }],
  ['sdk', node('sdk.mjs'), { legacy: 'older' }],
  ['client', node('client.mjs'), { legacy: 'older', auto: 'newer', pinned: 'newer' }],
  ['inspector', node('inspector.mjs'), { legacy: 'older', modern: 'newer' }],
]

// Tools of `alc` that the original does not have, and those that find others.
const OWN_TOOLS = ['extract_package_meta', 'alc_cancel']
const FINDERS = ['find_tools', 'call_tool']

// More of everything than a page holds.
const PAGES = Array.from({ length: 120 }, (_, number) => `page_${String(number).padStart(3, '0')}`)

const configuration = join(work, 'config.toml')
const options = app => ['--appdir', app, '--config', configuration]

function prepare() {
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  writeFileSync(configuration, '[alc]\nv2 = true\nenumerate = true\ntools = "all"\n')
  const app = join(work, 'app')
  const made = spawnSync(wardroom, ['--appdir', app, 'init', '--demo'], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`init --demo: ${made.stderr}`)
  for (const name of ['watched', ...PAGES]) {
    mkdirSync(join(app, 'packages', name))
    const source = `local M = {}\nM.meta = { name = "${name}", version = "1.0.0", category = "clients" }\nreturn M\n`
    writeFileSync(join(app, 'packages', name, 'init.lua'), source)
  }
  cpSync(join(here, 'registry'), join(app, 'registry/clients'), { recursive: true })
  mkdirSync(join(app, 'registry/pages'), { recursive: true })
  cpSync(join(here, 'registry/handlers.lua'), join(app, 'registry/pages/handlers.lua'))
  const entries = PAGES.flatMap(name => [
    `  - name: tool_${name}`, '    kind: function.lua', '    source: file://handlers.lua', '    method: count',
    `    meta: { mcp.tool: true, mcp.name: ${name}, mcp.description: One of many. }`,
    `  - name: prompt_${name}`, '    kind: registry.entry', '    meta:', '      mcp.prompt: true',
    `      mcp.prompt.name: ${name}`, '      mcp.prompt.description: One of many.',
    '      mcp.prompt.messages: [{ role: user, content: One of many. }]',
    `  - name: template_${name}`, '    kind: function.lua', '    source: file://handlers.lua', '    method: greeting',
    `    meta: { mcp.resource: true, mcp.resource.template: "pages://${name}/{name}", mcp.resource.name: ${name} }`,
  ])
  const index = ['version: "1.0"', 'namespace: pages', 'entries:', ...entries, '']
  writeFileSync(join(app, 'registry/pages/_index.yaml'), index.join('\n'))
  return app
}

function expected(app, era) {
  const text = name => readFileSync(join(app, name), 'utf8')
  const named = (folder, pattern) => readdirSync(join(app, folder)).find(name => pattern.test(name)).slice(0, -5)
  const [card, evaluation] = [named('cards/cot', /\.toml$/), named('evals', /^cot_\d+\.json$/)]
  const meta = name => `alc://packages/${name}/meta`
  const template = 'alc://packages/{name}/meta'
  const source = '--- Doubles.\nlocal M = {}\nM.meta = { name = "x", version = "1", tags = { "a", "b" } }\nreturn M\n'
  return {
    reads: [
      { uri: 'alc://packages/cot/init.lua', mimeType: 'text/x-lua', text: text('packages/cot/init.lua') },
      { uri: 'alc://types/alc.d.lua', mimeType: 'text/x-lua', text: text('types/alc.d.lua') },
      { uri: 'alc://scenarios/math_basic', mimeType: 'text/x-lua', text: text('scenarios/math_basic.lua') },
      { uri: meta('watched'), mimeType: 'application/json', json: { name: 'watched', version: '1.0.0', category: 'clients' } },
      { uri: 'clients://motto', mimeType: 'text/plain', text: 'Measure twice, cut once.' },
      { uri: 'clients://greeting/ada', mimeType: 'text/plain', text: 'Hello, ada!' },
    ],
    calls: [
      {
        tool: 'extract_package_meta', given: { source },
        structured: { doc: 'Doubles.', meta: { name: 'x', version: '1', tags: ['a', 'b'] }, unresolved: [] },
      },
      { tool: 'count_words', given: { text: 'one two  three' }, structured: { words: 3 }, text: '{"words":3}' },
      // Clients of the older eras know objects only.
      { tool: 'letters', given: { word: 'tea' }, structured: era === 'newer' ? ['t', 'e', 'a'] : null, text: '["t","e","a"]' },
      {
        tool: 'alc_run', given: {}, fails: true, text: 'Either `code` or `code_file` must be provided.',
        structured: { error: { code: 'INVALID', message: 'Either `code` or `code_file` must be provided.' } },
      },
    ],
    looks: [
      ['alc_run', { code: 'return { sum = 2 + 3, words = { "a", "b" } }' }],
      ['alc_status', {}], ['alc_info', {}], ['alc_stats', {}],
      ['alc_pkg_list', {}], ['alc_pkg_doctor', {}], ['alc_hub_search', { query: 'chain' }], ['alc_hub_info', { pkg: 'cot' }],
      ['alc_card_list', {}], ['alc_card_get', { card_id: card }], ['alc_card_find', {}], ['alc_card_alias_list', {}],
      ['alc_card_samples', { card_id: card }], ['alc_card_lineage', { card_id: card, include_stats: true }],
      ['alc_eval_history', {}], ['alc_eval_detail', { eval_id: evaluation }],
      ['alc_scenario_list', {}], ['alc_scenario_show', { name: 'math_basic' }], ['alc_log_view', {}],
      ['list_resources', {}], ['read_resource', { uri: meta('cot') }],
    ],
    completes: [
      { reference: { template }, argument: 'name', value: 'wat', values: ['watched'] },
      { reference: { template }, argument: 'name', value: 'page_', values: PAGES.slice(0, 100) },
      { reference: { template: 'clients://greeting/{name}' }, argument: 'name', value: 'a', values: ['ada', 'alan'] },
      { reference: { prompt: 'brief' }, argument: 'tone', value: 'p', values: ['plain', 'playful'] },
    ],
  }
}

// Starts a server on HTTP; its address, and what ends it.
async function serve(app) {
  const server = spawn(wardroom, [...options(app), 'serve', '--http', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = new Promise(over => server.on('exit', (code, signal) => over(code ?? signal)))
  const end = async () => {
    server.kill('SIGTERM')
    const late = sleep(20_000, 'late', { ref: false })
    const code = await Promise.race([ended, late])
    if (code === 'late') server.kill('SIGKILL')
    return code
  }
  for (let attempt = 0; attempt < 200; attempt++) {
    if (server.exitCode !== null) throw new Error(`serve --http ends with ${server.exitCode}`)
    const asked = spawnSync(wardroom, [...options(app), 'status', '--json'], { encoding: 'utf8' })
    const servers = asked.status === 0 ? JSON.parse(asked.stdout) : []
    const found = servers.find(one => one.transport === 'http' && one.running)
    if (found) return { url: `http://127.0.0.1:${found.port}/mcp`, end }
    await sleep(100)
  }
  await end()
  throw new Error('serve --http: `status --json` does not show it')
}

async function run(label, command, facts) {
  const file = join(work, label, 'facts.json')
  writeFileSync(file, JSON.stringify(facts))
  const [program, ...args] = command
  const child = spawn(program, [...args, file], { cwd: join(work, label), stdio: ['ignore', 'inherit', 'inherit'] })
  const stuck = setTimeout(() => child.kill('SIGKILL'), RUN_MS)
  const [code, signal] = await new Promise(over => child.on('exit', (...how) => over(how)))
  clearTimeout(stuck)
  return code === 0 ? 'passed' : `FAILED (${code ?? signal})`
}

const words = process.env.RUNS?.split(',') ?? []
const original = prepare()
const wire = {}
for (const era of Object.keys(VERSIONS)) wire[era] = await lists({ command: wardroom, args: options(original) }, era)

// Without the many declared tools of the other runs.
async function choose() {
  const app = join(work, 'choose')
  for (const command of [['init', '--demo'], ['ace', 'init', '--project', app]]) {
    const made = spawnSync(wardroom, ['--appdir', app, ...command], { encoding: 'utf8' })
    if (made.status !== 0) throw new Error(`${command.join(' ')}: ${made.stderr}`)
  }
  rmSync(join(app, 'registry'), { recursive: true })
  const listed = services => toolList({ command: wardroom, args: ['--appdir', app, '--project', app, ...services.flatMap(name => ['--service', name])] })
  const original = (await listed(['alc'])).filter(tool => !OWN_TOOLS.includes(tool.name))
  const core = (await listed(['alc', 'tools'])).filter(tool => !FINDERS.includes(tool.name))
  const [blog, ace] = [await listed(['blog']), await listed(['ace'])]
  const sets = { core, blog, ace, everything: await listed([]), 'drop-in': original }
  return check(sets, await listed(['alc', 'blog', 'ace', 'resources']), join(here, 'tasks.json'), join(here, 'earlier_tasks.json'))
}

const outcomes = []
if (words.length === 0 || words.includes('choose')) outcomes.push(['what a model is given', (await choose()) ? 'passed' : 'FAILED'])
for (const [name, command, modes] of CLIENTS) {
  for (const [mode, era] of Object.entries(modes)) {
    for (const transport of ['stdio', 'http']) {
      const label = [name, mode, transport].join('-')
      if (!words.every(word => label.split('-').includes(word))) continue
      console.log(label)
      const app = join(work, label, 'app')
      cpSync(original, app, { recursive: true, preserveTimestamps: true })
      const facts = {
        app, mode, era, version: VERSIONS[era], lists: wire, tools: join(tools, 'package.json'),
        registry: join(here, 'registry'), folder: join(work, label), ...expected(app, era),
      }
      let outcome
      if (transport === 'stdio') {
        outcome = await run(label, command, { ...facts, command: { command: wardroom, args: options(app) } })
      } else {
        try {
          const server = await serve(app)
          outcome = await run(label, command, { ...facts, url: server.url })
          const code = await server.end()
          if (code !== 0 && outcome === 'passed') outcome = `FAILED (the server ended with ${code})`
        } catch (error) {
          outcome = `FAILED (${error.message})`
        }
      }
      outcomes.push([label, outcome])
    }
  }
}
console.log(outcomes.map(([label, outcome]) => `${label.padEnd(24)} ${outcome}`).join('\n'))
process.exit(outcomes.length > 0 && outcomes.every(([, outcome]) => outcome === 'passed') ? 0 : 1)
