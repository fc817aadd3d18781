// Carries the HTTP requests of the conformance suite to a server on stdio: one process for each session of the older eras,
// and one for all requests of the newer one.
//
// Owns: ids, which several clients choose alike, and which answer or notification belongs to which request.
// Never: changes what is said; what HTTP alone has (headers, status codes, origins) is not looked at here.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

class Process {
  constructor(command, environment) {
    this.pending = new Map()
    this.last = 0
    this.child = spawn(command[0], command.slice(1), { env: environment, stdio: ['pipe', 'pipe', 'ignore'] })
    createInterface({ input: this.child.stdout }).on('line', line => this.heard(JSON.parse(line)))
    this.child.on('exit', () => this.pending.forEach(one => one.end()))
  }

  tell(message) {
    this.child.stdin.write(JSON.stringify(message) + '\n')
  }

  ask(message, reply) {
    const id = ++this.last
    const token = message.params?._meta?.progressToken
    this.pending.set(id, new Pending(message.id, token, reply))
    reply.on('close', () => {
      if (this.pending.delete(id)) this.tell({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
    })
    this.tell({ ...message, id })
  }

  heard(message) {
    if (message.method === undefined) {
      const pending = this.pending.get(message.id)
      this.pending.delete(message.id)
      pending?.answer(this.own(message, pending))
      return
    }
    const pending = this.receiver(message)
    pending?.stream(this.own(message, pending))
  }

  // The request that a notification or a question of the server's is about.
  receiver(message) {
    const subscription = message.params?._meta?.[SUBSCRIPTION]
    if (subscription !== undefined) return this.pending.get(subscription)
    const all = [...this.pending.values()]
    const token = message.params?.progressToken
    return (token !== undefined && all.find(one => one.token === token)) || all.at(-1)
  }

  // As the client numbered it.
  own(message, pending) {
    const told = { ...message }
    if (message.method === undefined) told.id = pending.id
    const part = message.method === undefined ? 'result' : 'params'
    if (message[part]?._meta?.[SUBSCRIPTION] !== undefined) {
      told[part] = { ...message[part], _meta: { ...message[part]._meta, [SUBSCRIPTION]: pending.id } }
    }
    return told
  }

  cancelled(params) {
    const known = [...this.pending].find(([, one]) => one.id === params?.requestId)
    if (known) this.tell({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { ...params, requestId: known[0] } })
  }

  end() {
    this.child.stdin.end()
  }
}

class Pending {
  constructor(id, token, reply) {
    Object.assign(this, { id, token, reply, streams: false })
  }

  stream(message) {
    if (!this.streams) this.reply.writeHead(200, { 'Content-Type': 'text/event-stream' })
    this.streams = true
    this.reply.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  }

  answer(message) {
    if (this.streams) {
      this.stream(message)
      this.reply.end()
      return
    }
    this.reply.writeHead(200, { 'Content-Type': 'application/json' })
    this.reply.end(JSON.stringify(message))
  }

  end() {
    this.reply.destroy()
  }
}

// Listens on a port of the system's choice; the URL, and what ends it.
export function bridge(command, environment) {
  const newer = new Process(command, environment)
  const sessions = new Map()
  const body = async request => {
    const pieces = []
    for await (const piece of request) pieces.push(piece)
    return JSON.parse(Buffer.concat(pieces).toString())
  }
  const server = createServer(async (request, reply) => {
    const session = request.headers['mcp-session-id']
    if (request.method === 'DELETE') {
      sessions.get(session)?.end()
      reply.writeHead(sessions.delete(session) ? 200 : 404).end()
      return
    }
    if (request.method !== 'POST') {
      reply.writeHead(405).end()
      return
    }
    const message = await body(request)
    let process = newer
    if (message.method === 'initialize') {
      const id = randomUUID()
      process = new Process(command, environment)
      sessions.set(id, process)
      reply.setHeader('Mcp-Session-Id', id)
    } else if (session !== undefined) {
      process = sessions.get(session)
    }
    if (!process) {
      reply.writeHead(404).end()
    } else if (message.method !== undefined && message.id !== undefined) {
      process.ask(message, reply)
    } else {
      if (message.method === 'notifications/cancelled') process.cancelled(message.params)
      else process.tell(message)
      reply.writeHead(202).end()
    }
  })
  return new Promise(ready => {
    server.listen(0, '127.0.0.1', () => {
      const end = () => {
        for (const process of [newer, ...sessions.values()]) process.end()
        server.closeAllConnections()
        server.close()
      }
      ready({ url: `http://127.0.0.1:${server.address().port}/mcp`, end })
    })
  })
}
