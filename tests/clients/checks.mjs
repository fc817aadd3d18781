// What is asked of every client, one step after the other, with exact answers.
//
// A client is an object with `version()`, `list(kind)`, `read(uri)`, `call(name, arguments, signal)`, `prompt(name,
// arguments)`, `complete(reference, argument, value)`, `watch(uri, heard)`, `follow(heard)` and `close()`; what it asks its
// user goes to `asked`. Failures of the protocol are errors with a `code`. What a client cannot do is null there; a step
// that it does in another way stands in `own`.
import assert from 'node:assert/strict'
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const STEP_MS = 120_000
const SEEN_MS = 20_000

const KEYS = { tools: 'name', prompts: 'name', resources: 'uri', templates: 'uriTemplate' }

const chosen = (fields, given) => Object.fromEntries(
  fields.filter(field => given[field] !== undefined).map(field => [field, given[field]]))
const sorted = (items, key) => [...items].sort((a, b) => (a[key] < b[key] ? -1 : 1))

async function within(ms, what, promise) {
  let timer
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`${what}: nothing within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

// Asks until the answer is the wanted one.
export async function until(what, ask) {
  const end = Date.now() + SEEN_MS
  for (;;) {
    const found = await ask()
    if (found) return found
    if (Date.now() > end) throw new Error(`${what}: not within ${SEEN_MS} ms`)
    await sleep(100)
  }
}

async function refused(what, promise, code, message) {
  const error = await promise.then(answer => assert.fail(`${what}: answered ${JSON.stringify(answer)}`), error => error)
  // Null where the client does not say.
  if (error.code !== null) assert.equal(error.code, code, `${what}: ${error.stack}`)
  assert.ok(error.message.includes(message), `${what}: says ${error.message}`)
}

// A call that works, with an answer that the client held against the tool's schema.
async function called(client, name, given) {
  const answer = await client.call(name, given)
  assert.ok(!answer.isError, `${name} fails: ${JSON.stringify(answer)}`)
  return answer
}

// Every page of every list, compared with what stands on the wire.
async function lists(client, { lists }) {
  for (const [kind, wanted] of Object.entries(lists[client.era])) {
    const fields = [...new Set(wanted.flatMap(Object.keys))]
    const listed = (await client.list(kind)).map(item => chosen(fields, item))
    assert.deepEqual(sorted(listed, KEYS[kind]), sorted(wanted, KEYS[kind]), `${kind} differ from what the server sent`)
  }
}

async function reads(client, { reads }) {
  for (const { uri, mimeType, text, json } of reads) {
    const { contents } = await client.read(uri)
    assert.equal(contents.length, 1, uri)
    assert.deepEqual(chosen(['uri', 'mimeType'], contents[0]), { uri, mimeType })
    if (text !== undefined) assert.equal(contents[0].text, text, uri)
    else assert.deepEqual(JSON.parse(contents[0].text), json, uri)
  }
  const missing = 'alc://packages/none/meta'
  await refused('a missing resource', client.read(missing), -32602, `resource not found: ${missing}`)
}

async function calls(client, { calls }) {
  for (const { tool, given, structured, text, fails } of calls) {
    const answer = await client.call(tool, given)
    assert.equal(answer.isError ?? false, fails ?? false, `${tool}: ${JSON.stringify(answer)}`)
    if (structured === null) assert.equal(answer.structuredContent, undefined, tool)
    else assert.deepEqual(answer.structuredContent, structured, tool)
    if (text !== undefined) assert.deepEqual(answer.content.map(block => block.text), [text], tool)
  }
}

// The answers of tools that only look have the shapes that the tools announce: the client compares them.
async function shapes(client, { looks }) {
  const problems = []
  for (const [tool, given] of looks) {
    try {
      const answer = await called(client, tool, given)
      assert.equal(typeof answer.structuredContent, 'object', 'no structured content')
    } catch (error) {
      problems.push(`${tool}: ${error.message}`)
    }
  }
  assert.deepEqual(problems, [])
}

// A run that asks its client, and goes on with the answer.
async function runs(client) {
  const code = [
    "local first = alc.llm('One?')", "local second = alc.llm('Two?', { system = 'Be brief.' })", 'return { first, second }',
  ].join('\n')
  const { structuredContent: first } = await called(client, 'alc_run', { code })
  const wanted = (prompt, system) => ({ status: 'needs_response', prompt, system, max_tokens: 1024 })
  const shown = answer => chosen(['status', 'prompt', 'system', 'max_tokens'], answer)
  assert.deepEqual(shown(first), wanted('One?', null))
  const { session_id, query_id } = first
  const { structuredContent: second } = await called(client, 'alc_continue', { session_id, query_id, response: 'uno' })
  assert.deepEqual(shown(second), wanted('Two?', 'Be brief.'))
  assert.equal(second.session_id, session_id)
  const last = await called(client, 'alc_continue', { session_id, query_id: second.query_id, response: 'due' })
  assert.equal(last.structuredContent.status, 'completed')
  assert.deepEqual(last.structuredContent.result, ['uno', 'due'])
  assert.equal(last.structuredContent.stats.auto.llm_calls, 2)
}

async function prompts(client) {
  const { messages } = await client.prompt('brief', { topic: 'tea', tone: 'warm' })
  const text = 'Write about tea in a warm tone.'
  const said = messages.map(({ role, content }) => ({ role, ...chosen(['type', 'text'], content) }))
  assert.deepEqual(said, [{ role: 'user', type: 'text', text }])
  await refused('a missing argument', client.prompt('brief', { topic: 'tea' }), -32602, 'tone')
  await refused('a missing prompt', client.prompt('none', {}), -32602, 'none')
}

async function completes(client, { completes }) {
  for (const { reference, argument, value, values } of completes) {
    const found = await client.complete(reference, argument, value)
    assert.deepEqual(found, values, `${JSON.stringify(reference)}, ${argument}=${value}`)
  }
}

// A file that is edited is told of, and what is read afterwards is the new text.
async function watches(client, { app }) {
  const [uri, file] = ['alc://packages/watched/init.lua', join(app, 'packages/watched/init.lua')]
  const before = readFileSync(file, 'utf8')
  assert.equal((await client.read(uri)).contents[0].text, before)
  const told = []
  const stop = await client.watch(uri, changed => told.push(changed))
  assert.deepEqual(told, [], 'told of a change before there was one')
  appendFileSync(file, '-- edited\n')
  await until('the edited file is told of', () => told.length > 0)
  assert.deepEqual([...new Set(told)], [uri])
  assert.equal((await client.read(uri)).contents[0].text, `${before}-- edited\n`)
  await stop()
}

// What comes into a folder and goes again is told of, and stands in the lists or no longer does.
async function follows(client, { app, registry }) {
  const told = { tools: 0, resources: 0 }
  const stop = await client.follow(kind => { told[kind]++ })
  const has = async (kind, name) => (await client.list(kind)).some(item => item[KEYS[kind]] === name)
  const both = async () => [await has('resources', 'alc://packages/late/meta'), await has('tools', 'late_tool')]
  assert.deepEqual(await both(), [false, false])
  const places = [join(app, 'packages/late'), join(app, 'registry/late')]
  const heard = async what => {
    await until(`the lists changed after ${what}`, () => told.resources > 0 && told.tools > 0)
    Object.assign(told, { tools: 0, resources: 0 })
  }
  mkdirSync(places[0])
  writeFileSync(join(places[0], 'init.lua'), "return { meta = { name = 'late', version = '1' } }\n")
  mkdirSync(places[1])
  cpSync(join(registry, 'handlers.lua'), join(places[1], 'handlers.lua'))
  writeFileSync(join(places[1], '_index.yaml'), [
    'version: "1.0"', 'namespace: late', 'entries:', '  - name: late', '    kind: function.lua',
    '    source: file://handlers.lua', '    method: count',
    '    meta: { mcp.tool: true, mcp.name: late_tool, mcp.description: Came late. }', '',
  ].join('\n'))
  await heard('something came')
  await until('the lists have what came', async () => (await both()).every(Boolean))
  assert.deepEqual((await called(client, 'late_tool', { text: 'a b' })).structuredContent, { words: 2 })
  places.forEach(place => rmSync(place, { recursive: true }))
  await heard('it went')
  await until('the lists have not what went', async () => !(await both()).some(Boolean))
  await stop()
}

// A call that its client gives up ends its run: afterwards there is none.
async function cancels(client) {
  const running = async () => {
    const { sessions } = (await called(client, 'alc_status', {})).structuredContent
    return sessions.filter(run => run.state === 'running').length
  }
  assert.equal(await running(), 0, 'runs before the first one')
  const given = new AbortController()
  const ended = client.call('alc_run', { code: 'while true do end' }, given.signal).then(
    answer => ({ answer }), error => ({ error }))
  await until('the loop runs', async () => (await running()) === 1)
  given.abort()
  const { answer, error } = await within(SEEN_MS, 'the cancelled call ends', ended)
  assert.ok(error, `a cancelled call answers: ${JSON.stringify(answer)}`)
  await until('the run ended', async () => (await running()) === 0)
}

async function elicits(client) {
  const cups = { type: 'integer', minimum: 1, maximum: 9 }
  const requestedSchema = { type: 'object', properties: { cups }, required: ['cups'] }
  const asked = []
  const order = async (drink, reply) => {
    client.asked = params => {
      asked.push(chosen(['message', 'requestedSchema'], params))
      return reply
    }
    return (await called(client, 'order_drink', { drink })).structuredContent
  }
  const accepted = await order('tea', { action: 'accept', content: { cups: 3 } })
  assert.deepEqual(accepted, { action: 'accept', drink: 'tea', cups: 3 })
  assert.deepEqual(await order('milk', { action: 'decline' }), { action: 'decline', drink: 'milk' })
  assert.deepEqual(asked, ['tea', 'milk'].map(drink => ({ message: `How many cups of ${drink}?`, requestedSchema })))
}

const STEPS = { lists, reads, calls, shapes, runs, prompts, completes, watches, follows, cancels, elicits }
const NEEDS = { shapes: 'looks', completes: 'complete', watches: 'watch', follows: 'follow' }

// Runs the steps with the client that `open` connects; the exit code of the process says how it went. STEPS=… names some.
export async function check(facts, open) {
  const only = process.env.STEPS?.split(',')
  let failed = false
  let client
  try {
    client = await within(STEP_MS, 'connecting', open())
    assert.equal(client.version(), facts.version, 'the version that was agreed on')
    client.era = facts.era
    for (const [name, step] of Object.entries(STEPS)) {
      if (only && !only.includes(name)) continue
      if (client[NEEDS[name] ?? 'call'] === null) continue
      try {
        await within(STEP_MS, name, (client.own?.[name] ?? step)(client, facts))
        console.log(`  ok ${name}`)
      } catch (error) {
        failed = true
        console.log(`  FAILED ${name}: ${error.stack}`)
      }
    }
    await within(STEP_MS, 'closing', client.close())
  } catch (error) {
    failed = true
    console.log(`  FAILED: ${error.stack}`)
  }
  process.exit(failed ? 1 : 0)
}

// What both TypeScript clients call the lists.
export const LISTS = {
  tools: 'listTools', prompts: 'listPrompts', resources: 'listResources', templates: 'listResourceTemplates',
}

// What is completed, as the protocol names it.
export function reference(given) {
  return given.prompt ? { type: 'ref/prompt', name: given.prompt } : { type: 'ref/resource', uri: given.template }
}

// What this run is about: the file that the first argument names.
export function facts() {
  return JSON.parse(readFileSync(process.argv[2], 'utf8'))
}
