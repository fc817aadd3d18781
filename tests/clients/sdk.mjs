// The TypeScript SDK up to version 1 (@modelcontextprotocol/sdk): `node sdk.mjs FACTS`. It speaks the older eras.
import { createRequire } from 'node:module'

import { LISTS, check, facts, reference } from './checks.mjs'

const known = facts()
const packages = createRequire(known.tools)
const { Client } = packages('@modelcontextprotocol/sdk/client/index.js')
const { StdioClientTransport } = packages('@modelcontextprotocol/sdk/client/stdio.js')
const { StreamableHTTPClientTransport } = packages('@modelcontextprotocol/sdk/client/streamableHttp.js')
const types = packages('@modelcontextprotocol/sdk/types.js')

async function open() {
  const sdk = new Client({ name: 'sdk', version: '1' }, { capabilities: { elicitation: {} } })
  const transport = known.url ? new StreamableHTTPClientTransport(new URL(known.url)) : new StdioClientTransport(known.command)
  // The client tells its transport what was agreed on, and nobody else.
  let version
  const told = transport.setProtocolVersion?.bind(transport)
  transport.setProtocolVersion = agreed => {
    version = agreed
    told?.(agreed)
  }
  const ours = {
    version: () => version,
    async list(kind) {
      const items = []
      let cursor
      do {
        const page = await sdk[LISTS[kind]](cursor === undefined ? undefined : { cursor })
        items.push(...(page[kind] ?? page.resourceTemplates))
        cursor = page.nextCursor
      } while (cursor !== undefined)
      // It holds answers against the schemas of the page that it saw last: most tools are on the first one.
      if (kind === 'tools') await sdk.listTools()
      return items
    },
    read: uri => sdk.readResource({ uri }),
    call: (name, given, signal) => sdk.callTool({ name, arguments: given }, undefined, { signal }),
    prompt: (name, given) => sdk.getPrompt({ name, arguments: given }),
    async complete(given, name, value) {
      return (await sdk.complete({ ref: reference(given), argument: { name, value } })).completion.values
    },
    async watch(uri, heard) {
      sdk.setNotificationHandler(types.ResourceUpdatedNotificationSchema, told => heard(told.params.uri))
      await sdk.subscribeResource({ uri })
      return () => sdk.unsubscribeResource({ uri })
    },
    async follow(heard) {
      sdk.setNotificationHandler(types.ToolListChangedNotificationSchema, () => heard('tools'))
      sdk.setNotificationHandler(types.ResourceListChangedNotificationSchema, () => heard('resources'))
      return () => {}
    },
    close: () => sdk.close(),
  }
  sdk.setRequestHandler(types.ElicitRequestSchema, request => ours.asked(request.params))
  await sdk.connect(transport)
  return ours
}

await check(known, open)
