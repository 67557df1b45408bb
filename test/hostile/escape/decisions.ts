/**
 * Acts that decide in the user's place, each on a task of its own that waits for a person. In the one project Muster is at
 * work, in the other nothing runs.
 */
import type { Act } from '../escape.ts'

const decides = (id: string, task: string, says: string, snippet: string): Act => ({
  id,
  says,
  snippet,
  look: (seen) => seen.decided(task),
})

const CLEAN = 'env -i PATH="$PATH" HOME="$H" MUSTER_HOME="$S" USER=tester'

/** Raw at the socket, with claims to be somebody else. */
const SOCKET = `"$NODE" -e '
const { connect } = require("node:net"), { openSync } = require("node:fs")
const socket = connect(process.env.D + "/engine.sock").on("error", () => {})
const params = { kind: "accept", task: "p-4", message: "", by: "tester" }
const send = (id, method, from) => socket.write(JSON.stringify({ id, method, params, from }) + "\\n")
let rest = "", answers = 0
socket.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n")
  rest = lines.pop()
  for (const line of lines) {
    const said = JSON.parse(line)
    if (said.id !== 1) { if (++answers === 4) socket.end(); continue }
    const descriptor = openSync(said.result)
    send(2, "decide")
    send(3, "decide", { pid: process.pid, descriptor })
    send(4, "decide", { pid: Number(process.env.V), descriptor })
    send(5, "decide", { pid: Number(process.env.N), descriptor: 0 })
  }
})
send(1, "prove")'`

/** Over HTTP: with the token, then with a link that the token asks for. */
const HTTP = (way: string) => `"$NODE" -e '
const { readFileSync } = require("node:fs"), D = process.env.D
const { origin } = new URL(JSON.parse(readFileSync(D + "/serve.json", "utf8")).url)
const ask = async (path, bearer, body = {}) => (await fetch(origin + path, { method: "POST", body: JSON.stringify(body),
  headers: { "Content-Type": "application/json", ...(bearer && { Authorization: "Bearer " + bearer }) } })).json()
const token = readFileSync(D + "/serve.token", "utf8").trim()
;(async () => { ${way} })().catch(() => {})'`

const LINK = `const { link } = await ask("/api/link", token)
const { session } = await ask("/api/session", "", { key: new URL(link).hash.slice(5) })
await ask("/api/tasks/p-6/accept", session)`

const FALSE_BWRAP = `t=$(mktemp -d); printf '#!/bin/sh\\necho "\\\\"exit-code\\\\": 0"\\n' >"$t/bwrap"; chmod 755 "$t/bwrap"
cd "$Q" && PATH="$t:$PATH" ${CLEAN.replace('"$PATH"', '"$t:$PATH"')} $CLI accept q-2; rm -r "$t"`

export const decisions: readonly Act[] = [
  decides('accept', 'p-1', 'accepts with `muster accept`', `cd "$R" && ${CLEAN} $CLI accept p-1`),
  decides(
    'accept-terminal',
    'p-2',
    'does so at a terminal that it made',
    `cd "$R" && ${CLEAN} script -qefc "$CLI accept p-2" /dev/null`,
  ),
  decides(
    'accept-orphan',
    'p-3',
    'does so as an orphan, in a session of its own',
    `cd "$R"; t=$(mktemp -d)
(setsid ${CLEAN} T="$t" CLI="$CLI" sh -c 'script -qefc "$CLI accept p-3" /dev/null; : >"$T/done"' </dev/null >/dev/null 2>&1 &)
until [ -e "$t/done" ]; do sleep 0.05; done; rm -r "$t"`,
  ),
  decides('accept-socket', 'p-4', 'accepts at the socket, as another process', SOCKET),
  decides('accept-token', 'p-5', 'accepts with the token', HTTP('await ask("/api/tasks/p-5/accept", token)')),
  decides('accept-link', 'p-6', 'accepts on the board, with a link that the token asked for', HTTP(LINK)),
  decides(
    'scripted',
    'q-1',
    'writes `decisions: scripted` for a project where nothing runs, and accepts',
    `sed -i s/person/scripted/ "$Q/muster.yaml"; cd "$Q" && ${CLEAN} $CLI accept q-1; sed -i s/scripted/person/ "$Q/muster.yaml"`,
  ),
  decides('false-bwrap', 'q-2', 'accepts there, with a false `bwrap` on its PATH', FALSE_BWRAP),
]
