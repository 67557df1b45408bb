/** Acts on processes: staying after the run, and reaching those of the user and of Muster. */
import { readStat } from '../../../src/process/group.ts'
import { having } from '../../../src/process/fixtures/marked.ts'
import type { Act } from '../escape.ts'
import { textAt } from './build.ts'

const stays = (id: string, says: string, snippet: string): Act => ({
  id,
  says,
  snippet: snippet.replace('STAY', `sh -c 'trap "" HUP INT; exec sleep 1000' </dev/null >/dev/null 2>&1`),
  look: (seen) => having(`MARK=${seen.mark}`).length > 0,
})

/** What is in the memory of another process: its environment lies at the end of its stack. */
const MEMORY = `"$NODE" -e '
const fs = require("node:fs"), pid = process.argv[1]
const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) .*\\[stack\\]$/m.exec(fs.readFileSync("/proc/" + pid + "/maps", "utf8"))
const size = parseInt(to, 16) - parseInt(from, 16), buffer = Buffer.alloc(size)
fs.readSync(fs.openSync("/proc/" + pid + "/mem"), buffer, 0, size, parseInt(from, 16))
console.log("memory " + /VICTIM=(\\S*?)\\0/.exec(buffer.toString("latin1"))[1])' "$V"`

export const processes: readonly Act[] = [
  stays('background', 'stays as a child in the background', 'STAY &'),
  stays('nohup', 'stays with `nohup`', 'nohup STAY &'),
  stays('double-fork', 'stays as an orphan', '(STAY &)'),
  stays('setsid', 'stays in a session of its own', 'setsid STAY &'),
  stays('setsid-orphan', 'stays as an orphan in a session of its own', '(setsid STAY &)'),
  {
    id: 'user-signal',
    says: "signals a process of the user's",
    snippet: 'kill -STOP "$V"',
    look: (seen) => readStat(Number(seen.at('$V')))?.state === 'T',
  },
  {
    id: 'user-setting',
    says: "changes a process of the user's through `/proc`",
    snippet: 'echo 777 >"/proc/$V/oom_score_adj"',
    look: (seen) => textAt(seen.at('/proc/$V/oom_score_adj')).trim() === '777',
  },
  {
    id: 'user-environment',
    says: "reads the environment of the user's processes",
    snippet: `for e in "/proc/$V/environ" /proc/[0-9]*/environ; do grep -aoh 'VICTIM=[^[:cntrl:]]*' "$e"; done 2>/dev/null`,
    look: (seen) => seen.output.includes(seen.at('VICTIM=user-$NONCE')),
  },
  {
    id: 'muster-environment',
    says: "reads Muster's environment",
    snippet: `grep -aoh 'VICTIM=[^[:cntrl:]]*' "/proc/$N/environ"`,
    look: (seen) => seen.output.includes(seen.at('VICTIM=muster-$NONCE')),
  },
  {
    id: 'inherited-environment',
    says: 'finds a secret of Muster in its own environment',
    snippet: 'env',
    look: (seen) => seen.output.includes(seen.at('runtime-$NONCE')),
  },
  {
    id: 'memory',
    says: "reads the memory of a process of the user's",
    root: true,
    snippet: MEMORY,
    look: (seen) => seen.output.includes(seen.at('memory user-$NONCE')),
  },
  {
    id: 'process-root',
    says: "reads a secret through another process's root folder",
    secret: '$H/.root-secret',
    snippet: 'for p in "$V" "$N" 1 $$; do cat "/proc/$p/root$H/.root-secret" && break; done 2>/dev/null',
  },
  {
    id: 'process-folder',
    says: "leaves a file through another process's working folder",
    snippet: 'for p in "$V" "$N"; do echo "$MARK" >"/proc/$p/cwd/.left" && break; done 2>/dev/null',
    look: (seen) => textAt(seen.at('$H/.left')).includes(seen.mark),
  },
  {
    id: 'old-proc',
    says: 'takes away its own `/proc` to see the one below',
    root: true,
    snippet: `"$UNSHARE" -m sh -c 'umount /proc; grep -aoh "VICTIM=[^[:cntrl:]]*" "/proc/$V/environ" | sed s/VICTIM/below/'`,
    look: (seen) => seen.output.includes(seen.at('below=user-$NONCE')),
  },
  {
    id: 'muster-signal',
    says: 'stops Muster with a signal',
    snippet: 'kill -STOP "$N"',
    look: (seen) => readStat(Number(seen.at('$N')))?.state === 'T',
  },
]
