// The wire without any client: what the lists hold, page by page, in both eras. Clients must show the same.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const LISTS = {
  tools: ['tools/list', 'tools', ['name', 'description', 'inputSchema', 'outputSchema']],
  prompts: ['prompts/list', 'prompts', ['name', 'description', 'arguments']],
  resources: ['resources/list', 'resources', ['uri', 'name', 'description', 'mimeType']],
  templates: ['resources/templates/list', 'resourceTemplates', ['uriTemplate', 'name', 'description', 'mimeType']],
}

// A server that `command` starts, as one asks it by hand.
async function connect({ command, args }, era) {
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  let last = 0
  const ask = async (method, params) => {
    const id = ++last
    const meta = era === 'newer' ? { _meta: META } : {}
    server.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...meta, ...params } }) + '\n')
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`${method}: the server ended`)
      const message = JSON.parse(value)
      if (message.id !== id) continue
      if (message.error) throw new Error(`${method}: ${JSON.stringify(message.error)}`)
      return message.result
    }
  }
  if (era === 'older') {
    await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } })
    server.stdin.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) + '\n')
  }
  return { ask, end: () => server.stdin.end() }
}

// All items of a list, and the number of its pages.
async function collect(ask, method, key) {
  const items = []
  let [cursor, pages] = [undefined, 0]
  do {
    const page = await ask(method, cursor === undefined ? {} : { cursor })
    items.push(...page[key])
    cursor = page.nextCursor
    pages++
  } while (cursor !== undefined)
  return [items, pages]
}

// The lists of a server that `command` starts, each of more than one page.
export async function lists(command, era) {
  const { ask, end } = await connect(command, era)
  const found = {}
  for (const [kind, [method, key, fields]] of Object.entries(LISTS)) {
    const [items, pages] = await collect(ask, method, key)
    if (pages < 2) throw new Error(`${method}: one page of ${items.length} tries no cursor`)
    found[kind] = items.map(item => Object.fromEntries(fields.map(field => [field, item[field]])))
  }
  end()
  return found
}

// The tools that a server lists.
export async function toolList(command) {
  const { ask, end } = await connect(command, 'newer')
  const [tools] = await collect(ask, 'tools/list', 'tools')
  end()
  return tools
}
