/** Acts on what Muster itself keeps: of this project, of others, and of other runs. */
import type { Act } from '../escape.ts'
import { plants, reads, textAt } from './build.ts'

/** Opens a database and leaves a table there. */
const TABLE = (place: string) =>
  `"$NODE" -e 'new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec("CREATE TABLE \\"" + process.env.MARK + "\\" (x)")' "${place}/muster.db"`
const inDatabase = (place: string): Act['look'] => {
  return (seen) => ['', '-wal'].some((end) => textAt(`${seen.at(place)}/muster.db${end}`).includes(seen.mark))
}

export const data: readonly Act[] = [
  {
    id: 'database-read',
    says: 'reads the database',
    snippet: `grep -aoh 'the secret plan [0-9a-z]*' "$D"/muster.db*`,
    look: (seen) => seen.output.includes(seen.at('the secret plan $NONCE')),
  },
  { id: 'database-write', says: 'writes into the database', snippet: TABLE('$D'), look: inDatabase('$D') },
  {
    id: 'token',
    says: "reads the board's token",
    snippet: 'cat "$D/serve.token"',
    look: (seen) => seen.output.includes(textAt(seen.at('$D/serve.token')).trim()),
  },
  {
    id: 'socket',
    says: "reaches Muster's socket",
    snippet: `"$NODE" -e 'const s = require("net").connect(process.argv[1]); s.on("error", () => {}); s.once("data", (d) => { console.log("answer " + process.env.MARK + " " + d); s.end() }); s.write(JSON.stringify({ id: 1, method: "prove" }) + "\\n")' "$D/engine.sock"`,
    look: (seen) => seen.output.includes(`answer ${seen.mark} {"id":1`),
  },
  plants('landings', '$D/landings.log', 'adds to the log of landings'),
  plants('notices', '$D/notices.jsonl', 'adds to the notices'),
  plants('log', '$D/muster.log', "adds to Muster's log"),
  reads('other-prompt', '$D/runs/other/prompt.md', "reads another run's prompt, with its nonce"),
  reads('other-log', '$D/runs/other/log', "reads another run's log"),
  plants('other-verdict', '$D/runs/other/verdict', 'answers for another run'),
  plants('own-record', '$RUN/process.json', "writes its own run's record"),
  reads('other-workspace-read', '$D/workspaces/other/secret.txt', "reads another run's workspace"),
  plants('other-workspace', '$D/workspaces/other/README.md', "changes another run's workspace"),
  plants('golden', '$D/golden/escape/outputs', 'changes a golden copy that later workspaces start from'),
  plants('caches', '$D/caches/$OTHER/.npm/escape', 'leaves something in the cache of another kind of run'),
  plants('layers', '$D/layers/other/note.json', "changes what another run's workspace lies on"),
  plants('mirror-ref', '$D/mirror.git/refs/heads/$MARK', "makes a ref in Muster's copy of the repository", {
    snippet: 'cat "$R/.git/refs/heads/main" >"$D/mirror.git/refs/heads/$MARK"',
    look: (seen) => textAt(seen.at('$D/mirror.git/refs/heads/$MARK')) !== '',
  }),
  plants('mirror-config', '$D/mirror.git/config', 'sets `core.fsmonitor` there'),
  plants('mirror-hook', '$D/mirror.git/hooks/post-update', 'writes a hook there'),
  plants('mirror-object', '$D/mirror.git/objects/info/alternates', 'points it at objects of its own', {
    line: '/nowhere/$MARK',
  }),
  plants('submodule-mirror', '$D/submodules/lib.git/config', "sets it in a submodule's copy"),
  {
    id: 'other-database-read',
    says: "reads another project's database",
    snippet: `grep -aoh 'the other plan [0-9a-z]*' "$O"/muster.db*`,
    look: (seen) => seen.output.includes(seen.at('the other plan $NONCE')),
  },
  {
    id: 'other-database-write',
    says: "writes into another project's database",
    snippet: TABLE('$O'),
    look: inDatabase('$O'),
  },
  reads('other-project-log', '$O/runs/q/log', "reads a log of another project's"),
]
