/** Acts on the user's repository, which workers can read: git runs commands that are written there, and trusts its refs. */
import type { Act } from '../escape.ts'
import { plants, textAt as textOf } from './build.ts'

export const repository: readonly Act[] = [
  plants('hook', '$R/.git/hooks/post-checkout', 'writes a hook'),
  plants('fsmonitor', '$R/.git/config', 'sets `core.fsmonitor`', { line: '[core] fsmonitor = true $MARK' }),
  plants('ssh-command', '$R/.git/config', 'sets `core.sshCommand` with git', {
    snippet: 'git -C "$R" config core.sshCommand "true $MARK"',
  }),
  plants('ref', '$R/.git/refs/heads/$MARK', 'makes a branch', {
    snippet: 'git -C "$R" update-ref "refs/heads/$MARK" HEAD',
    look: (seen) => /^[0-9a-f]{40}/.test(textOf(seen.at('$R/.git/refs/heads/$MARK'))),
  }),
  plants('index', '$R/.git/index', 'stages a file', {
    snippet: 'cd "$R" && git update-index --add --cacheinfo "100644,$(git rev-parse HEAD:README.md),$MARK"',
  }),
  plants('worktree', '$R/README.md', 'changes a file of the work tree'),
  plants('configuration', '$R/muster.yaml', 'changes `muster.yaml`'),
  plants('script', '$R/agent.sh', 'changes the script that an agent is'),
  plants('alternates', '$R/.git/objects/info/alternates', 'points git at objects of its own', {
    line: '/nowhere/$MARK',
  }),
  plants('object', '$R/.git/objects/ff/$MARK', 'leaves an object'),
  plants('submodule', '$R/.git/modules/lib/config', "sets `core.fsmonitor` in a submodule's git directory"),
  plants('attributes', '$R/.git/info/attributes', 'names a filter in `info/attributes`'),
  plants('linked-worktree', '$R/.git/worktrees/escape/gitdir', 'registers a work tree'),
]
