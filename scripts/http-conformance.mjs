// Drives the public suite of HTTP cache tests (https://github.com/http-tests/cache-tests) through `ozu fetch
// --json-lines`, as a private cache, and prints what does not pass.
//
//   node scripts/http-conformance.mjs CHECKOUT-OF-THE-SUITE .build/release/ozu

import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const [checkout, ozu] = process.argv.slice(2)
if (!checkout || !ozu) {
  console.error('usage: node scripts/http-conformance.mjs CHECKOUT OZU')
  process.exit(2)
}
const port = process.env.PORT ?? '8123'
process.env.npm_config_protocol = 'http'
process.env.npm_config_port = port
process.env.npm_config_pidfile = join(tmpdir(), `ozu-http-conformance-${process.pid}`)

const part = path => import(join(resolve(checkout), path))
await part('test-engine/server/server.mjs')

const child = spawn(ozu, ['fetch', '--json-lines', '--errors-as-504'], { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map()
let lastID = 0
createInterface({ input: child.stdout }).on('line', text => {
  const answer = JSON.parse(text)
  waiting.get(answer.id)?.(answer)
  waiting.delete(answer.id)
})

// The suite asks through `fetch`; ours goes to the command.
globalThis.fetch = (url, init = {}) => new Promise((resolve, reject) => {
  const id = ++lastID
  waiting.set(id, answer => {
    if (answer.error) return reject(new TypeError(answer.error))
    const headers = new Headers()
    for (const [name, value] of answer.headers) headers.append(name, value)
    const body = Buffer.from(answer.body, 'base64').toString('utf8')
    resolve({ status: answer.status, headers, text: async () => body, json: async () => JSON.parse(body) })
  })
  init.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
  const given = init.headers ?? []
  const headers = Array.isArray(given) ? given : Object.entries(given)
  child.stdin.write(JSON.stringify({
    id,
    method: init.method ?? 'GET',
    url: String(url),
    headers: headers.map(([name, value]) => [name, String(value)]),
    body: init.body == null ? undefined : Buffer.from(String(init.body)).toString('base64'),
    cache: init.cache ?? 'default',
    redirect: init.redirect === 'manual' ? 'manual' : 'follow'
  }) + '\n')
})

const { runTests, getResults } = await part('test-engine/client/runner.mjs')
const { default: suites } = await part('tests/index.mjs')
await runTests(suites, true, `http://127.0.0.1:${port}`)

const results = getResults()
const tally = {}
for (const test of suites.flatMap(suite => suite.tests)) {
  if (!(test.id in results) || test.kind === 'check') continue
  const kind = test.kind ?? 'required'
  const isPassed = results[test.id] === true
  tally[kind] ??= { passed: 0, failed: 0 }
  tally[kind][isPassed ? 'passed' : 'failed'] += 1
  if (!isPassed) console.log(`${kind} ${test.id}: ${results[test.id][1]}`)
}
console.log(JSON.stringify(tally))
rmSync(process.env.npm_config_pidfile, { force: true })
process.exit(0)
