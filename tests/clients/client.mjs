// The TypeScript client since version 2 (@modelcontextprotocol/client): `node client.mjs FACTS`. It speaks every era.
import { createRequire } from 'node:module'

import { LISTS, check, facts, reference } from './checks.mjs'

const known = facts()
const packages = createRequire(known.tools)
const { Client, StreamableHTTPClientTransport } = packages('@modelcontextprotocol/client')
const { StdioClientTransport } = packages('@modelcontextprotocol/client/stdio')

const MODES = { legacy: 'legacy', auto: 'auto', pinned: { pin: known.version } }

async function open() {
  const options = { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: MODES[known.mode] } }
  const client = new Client({ name: 'client', version: '2' }, options)
  const transport = known.url ? new StreamableHTTPClientTransport(new URL(known.url)) : new StdioClientTransport(known.command)
  const listens = async filter => {
    if (known.era === 'older') return () => {}
    const subscription = await client.listen(filter)
    return () => subscription.close()
  }
  const ours = {
    version: () => client.getNegotiatedProtocolVersion(),
    // Without a cursor it collects all pages itself.
    async list(kind) {
      const all = await client[LISTS[kind]]()
      return all[kind] ?? all.resourceTemplates
    },
    read: uri => client.readResource({ uri }),
    call: (name, given, signal) => client.callTool({ name, arguments: given }, { signal }),
    prompt: (name, given) => client.getPrompt({ name, arguments: given }),
    async complete(given, name, value) {
      return (await client.complete({ ref: reference(given), argument: { name, value } })).completion.values
    },
    async watch(uri, heard) {
      client.setNotificationHandler('notifications/resources/updated', told => heard(told.params.uri))
      if (known.era === 'newer') return listens({ resourceSubscriptions: [uri] })
      await client.subscribeResource({ uri })
      return () => client.unsubscribeResource({ uri })
    },
    async follow(heard) {
      client.setNotificationHandler('notifications/tools/list_changed', () => heard('tools'))
      client.setNotificationHandler('notifications/resources/list_changed', () => heard('resources'))
      return listens({ toolsListChanged: true, resourcesListChanged: true })
    },
    close: () => client.close(),
  }
  client.setRequestHandler('elicitation/create', request => ours.asked(request.params))
  await client.connect(transport)
  return ours
}

await check(known, open)
