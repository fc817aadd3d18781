// What a model is given: what lists of tools cost it, and whether the right tool is the first one for a task. The writers of the
// tasks knew the names of the tools and none of their descriptions. The first half of the tasks, and all earlier ones, were
// looked at while the descriptions were written; the second half was not.
import { readFileSync } from 'node:fs'

// Bounds of a list in tokens, without and, where there is one, with the schemas of answers.
const BOUNDS = { core: [2_500, 4_000], blog: [3_500], ace: [2_000], everything: [8_000, 12_000], 'drop-in': [6_000, 9_500] }
// Of the tasks, those whose right tool comes first.
const MIN_SHARE = 0.85

// Characters a token has on average.
const CHARS = 4
const chars = value => (value === undefined ? 0 : JSON.stringify(value).length)

export function tokens(tools) {
  const input = tools.reduce((sum, tool) => sum + tool.name.length + tool.description.length + chars(tool.inputSchema), 0)
  const output = tools.reduce((sum, tool) => sum + chars(tool.outputSchema), 0)
  return [Math.round(input / CHARS), Math.round((input + output) / CHARS)]
}

const words = text => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

// Plain BM25 over names and descriptions, with the usual parameters.
function ranking(tools) {
  const [k1, b] = [1.2, 0.75]
  const documents = tools.map(tool => words(`${tool.name} ${tool.description}`))
  const mean = documents.reduce((sum, document) => sum + document.length, 0) / documents.length
  const sets = documents.map(document => new Set(document))
  return task => {
    const query = [...new Set(words(task))]
    const weights = query.map(word => {
      const n = sets.filter(set => set.has(word)).length
      return Math.log(1 + (documents.length - n + 0.5) / (n + 0.5))
    })
    const scores = documents.map(document => query.reduce((sum, word, at) => {
      const f = document.filter(other => other === word).length
      return sum + weights[at] * f * (k1 + 1) / (f + k1 * (1 - b + (b * document.length) / mean))
    }, 0))
    return tools[scores.indexOf(Math.max(...scores))].name
  }
}

// Prints both tables; whether every bound is met. `lists` has the tools of each set, `all` every tool that can be searched.
export function check(lists, all, tasksFile, earlierFile) {
  let isMet = true
  console.log('\n| list | tools | tokens | with output schemas | must reach |\n| --- | --- | --- | --- | --- |')
  for (const [name, [input, both = Infinity]] of Object.entries(BOUNDS)) {
    const [own, whole] = tokens(lists[name])
    isMet &&= own <= input && whole <= both
    console.log(`| ${name} | ${lists[name].length} | ${own} | ${whole} | ${both === Infinity ? input : `${input}, ${both}`} |`)
  }
  const first = ranking(all)
  const right = file => JSON.parse(readFileSync(file, 'utf8')).map(({ task, tools }) => tools.includes(first(task)))
  const [rights, earlier] = [right(tasksFile), right(earlierFile)]
  const share = part => part.filter(right => right).length / part.length
  const half = rights.length / 2
  isMet &&= share(rights) >= MIN_SHARE
  console.log(`\nthe right tool is the first one: ${share(rights).toFixed(2)} of ${rights.length} tasks (looked at ` +
    `${share(rights.slice(0, half)).toFixed(2)}, not looked at ${share(rights.slice(half)).toFixed(2)}; at least ${MIN_SHARE} of all); of ` +
    `${earlier.length} earlier tasks, all looked at, ${share(earlier).toFixed(2)}`)
  return isMet
}
