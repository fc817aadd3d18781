// The guest in Node: `node host.mjs COMPONENT` prints the metadata of a small package (docs/GUEST.md). jco writes what it makes of
// the component to the folder `guest`. `node host.mjs COMPONENT CORPUS OUT` prints the SHA-256 of all answers to a corpus, and has
// another folder.
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker, parentPort, workerData } from 'node:worker_threads'

const LIMIT_MS = 10_000
// Beyond what the guest reads, so that its own answer says that something is too large, unless it is larger still.
const MOST = 2 * 1024 * 1024
const SOURCE = 'local M = {}\nM.meta = { name = "x", version = f() }\nreturn M\n'

// A thread of its own for the guest, so that a call that takes too long can be ended from outside. Calls go there one after another;
// whatever stops one ends the thread, and the next call gets another.
export class Guest {
  constructor(folder) {
    this.folder = folder
    this.before = Promise.resolve()
  }

  async call(interfaceName, method, ...given) {
    if (given.reduce((sum, argument) => sum + (argument?.length ?? 0), 0) > MOST) throw new RangeError(`more than ${MOST} bytes`)
    const answer = this.before.then(() => this.ask([interfaceName, method, given]))
    this.before = answer.catch(() => {})
    return answer
  }

  ask(call) {
    return new Promise((answered, failed) => {
      const settle = (done, value) => {
        clearTimeout(late)
        done(value)
      }
      const stop = error => {
        this.end()
        settle(failed, error)
      }
      const late = setTimeout(() => stop(new Error(`${call[1]} took more than ${LIMIT_MS} ms`)), LIMIT_MS)
      this.worker ??= new Worker(fileURLToPath(import.meta.url), { workerData: { guest: this.folder }, env: {}, stdin: true })
      this.worker.removeAllListeners()
      this.worker.on('message', answer => settle(answered, answer)).on('error', stop)
      this.worker.on('exit', code => stop(new Error(`${call[1]} ended its thread: ${code}`)))
      this.worker.postMessage(call)
    })
  }

  end() {
    this.worker?.removeAllListeners().on('error', () => {}).terminate()
    this.worker = undefined
  }
}

// In the thread: a fresh instance for each call.
async function serve(folder) {
  const { WASIShim } = await import('@bytecodealliance/preview2-shim/instantiation')
  const { instantiate } = await import(pathToFileURL(join(folder, 'guest.js')))
  const modules = {}
  const wasi = new WASIShim({ sandbox: { preopens: {}, env: {}, args: [], enableNetwork: false } })
  const imports = wasi.getImportObject()
  const module = name => (modules[name] ??= new WebAssembly.Module(readFileSync(join(folder, name))))
  parentPort.on('message', async ([interfaceName, method, given]) => {
    const instance = await instantiate(module, imports)
    try {
      parentPort.postMessage({ ok: plain(instance[interfaceName][method](...given)) })
    } catch (error) {
      // What the guest answers with `err` has a payload; anything else is a trap.
      if (!Object.hasOwn(error, 'payload')) throw error
      parentPort.postMessage({ err: plain(error.payload) })
    }
  })
}

// What JSON can hold, with keys in order. jco writes the names of fields together: `bodyStart`.
function plain(value) {
  if (value === undefined) return null
  if (typeof value === 'bigint') return Number(value)
  if (ArrayBuffer.isView(value)) return Array.from(value)
  if (Array.isArray(value)) return value.map(plain)
  if (value === null || typeof value !== 'object') return value
  if ('tag' in value) return { [value.tag]: plain(value.val) }
  const apart = key => key.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
  return Object.fromEntries(Object.keys(value).map(key => [apart(key), plain(value[key])]).sort(([a], [b]) => (a < b ? -1 : 1)))
}

// Writes what jco makes of a component to a folder.
export async function write(component, out) {
  const { transpile, writeFiles } = await import('@bytecodealliance/jco-transpile')
  const options = { name: 'guest', instantiation: 'async', noComponentErrorWrapping: false, outDir: resolve(out) }
  const { files } = await transpile(component, options)
  await writeFiles(files)
}

async function main(component, corpus, out = 'guest') {
  await write(component, out)
  const guest = new Guest(resolve(out))
  if (corpus) await run(guest, corpus)
  else console.log(JSON.stringify(await guest.call('packageMeta', 'extract', 'x', new TextEncoder().encode(SOURCE))))
  guest.end()
}

async function run(guest, corpus) {
  const cases = JSON.parse(readFileSync(corpus, 'utf8'))
  const source = ({ file, text, times = 1 }) =>
    file ? new Uint8Array(readFileSync(resolve(dirname(corpus), file))) : new TextEncoder().encode(text.repeat(times))
  const digest = createHash('sha256')
  const say = answer => digest.update(`${JSON.stringify(answer)}\n`)
  for (const one of cases.extract) say(await guest.call('packageMeta', 'extract', one.name, source(one)))
  for (const [kind, id] of cases.check) say(await guest.call('resourceId', 'check', kind, id))
  for (const uri of cases.parse) say(await guest.call('resourceId', 'parse', uri))
  console.log(digest.digest('hex'))

  const [first] = cases.extract
  const times = []
  for (let n = 0; n < 200; n++) {
    const begun = process.hrtime.bigint()
    await guest.call('packageMeta', 'extract', first.name, source(first))
    times.push(Number(process.hrtime.bigint() - begun))
  }
  console.error(`${Math.round(times.sort((a, b) => a - b)[100] / 1000)} µs`)
}

if (workerData?.guest) await serve(workerData.guest)
else if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await main(...process.argv.slice(2))
