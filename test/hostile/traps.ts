/**
 * Everything that git can be made to run, set up so that it writes its name down when it does: hooks, settings,
 * attributes, modules. Agents plant it in their workspaces, and repositories come with it. Whoever sets TRAP_LOG has
 * the names written there: a control that the traps are live.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const HOOKS = `applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg
  post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update
  reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist
  p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change`.split(/\s+/)

/** Sections of a git configuration, each setting a command line; a trap's name is where it stands. */
const SETTINGS: Record<string, readonly string[]> = {
  core: ['fsmonitor', 'sshCommand', 'editor', 'pager', 'gitProxy', 'alternateRefsCommand'],
  sequence: ['editor'],
  diff: ['external'],
  'diff "evil"': ['command', 'textconv'],
  'merge "evil"': ['driver'],
  merge: ['tool'],
  'filter "cleaning"': ['clean', 'smudge'],
  'filter "long"': ['process'],
  uploadpack: ['packObjectsHook'],
  gc: ['recentObjectsHook'],
  'remote "evil"': ['uploadpack', 'receivepack', 'vcs'],
  'remote "."': ['uploadpack', 'receivepack'],
  interactive: ['diffFilter'],
  pager: ['status', 'diff', 'log', 'show'],
  web: ['browser'],
  'trailer "evil"': ['command'],
}

const PROGRAM_VARIABLES = 'GIT_EXTERNAL_DIFF GIT_SSH_COMMAND GIT_ASKPASS GIT_PAGER GIT_EDITOR EDITOR PAGER'.split(' ')

export interface Traps {
  /** Shell text that defines `plant <git directory>` and `T`, the folder of the traps. */
  shell: string
  /** Names of the traps that went off, except in a control. */
  fired(): string[]
  /** Names of those that went off where TRAP_LOG said `control`. */
  control(): string[]
  /** The environment of somebody who lets git be driven by it. */
  env: Record<string, string>
}

export function layTraps(home: string): Traps {
  const dir = join(home, 'traps')
  for (const folder of ['hooks', 'elsewhere', 'programs']) mkdirSync(join(dir, folder), { recursive: true })
  const program = (path: string, text: string) => {
    writeFileSync(join(dir, path), `#!/bin/sh\n${text}\n`)
    chmodSync(join(dir, path), 0o755)
    return join(dir, path)
  }
  const trap = program('trap', `echo "$1" >>"\${TRAP_LOG:-${dir}/fired}"\ncase "$1" in filter.*) cat ;; esac`)
  const named = (name: string) => program(`programs/${name}`, `exec '${trap}' ${name}`)
  for (const hook of HOOKS) {
    program(`hooks/${hook}`, `exec '${trap}' hook-${hook}`)
    program(`elsewhere/${hook}`, `exec '${trap}' hooksPath-${hook}`)
  }
  program('programs/git', `'${trap}' git-on-the-path </dev/null\nexit 1`)
  const sections = Object.entries(SETTINGS).map(([section, keys]) => {
    const name = section.replace(/ "(.*)"/, '.$1')
    const lines = keys.map((key) => `\t${key} = '${trap}' ${name}.${key}\n`)
    return `[${section}]\n${lines.join('')}`
  })
  const others = `[alias]
\tx = !'${trap}' alias.x
\tstatus = !'${trap}' alias.status
[credential]
\thelper = !'${trap}' credential
[gpg]
\tprogram = ${named('gpg')}
[commit]
\tgpgSign = true
[core]
\taskPass = ${named('askpass')}
[protocol "ext"]
\tallow = always
[url "ext::'${trap}' insteadOf% "]
\tinsteadOf = /
[submodule "evil"]
\turl = ext::'${trap}'% submodule
\tupdate = !'${trap}' submodule-update
\tactive = true
[submodule]
\trecurse = true
[include]
\tpath = ${dir}/included
[includeIf "gitdir:/"]
\tpath = ${dir}/included
[receive]
\tautogc = true
[gc]
\tauto = 1
`
  writeFileSync(join(dir, 'config'), sections.join('') + others)
  writeFileSync(join(dir, 'included'), `[core]\n\tfsmonitor = '${trap}' included\n`)
  writeFileSync(join(dir, 'attributes'), '*.txt filter=cleaning diff=evil merge=evil\n*.long filter=long\n')
  writeFileSync(
    join(dir, 'modules'),
    `[submodule "evil"]\n\tpath = evil\n\turl = ext::'${trap}'% modules\n\tupdate = !'${trap}' modules-update\n`,
  )
  const names = (file: string) =>
    existsSync(join(dir, file)) ? [...new Set(readFileSync(join(dir, file), 'utf8').trim().split('\n'))].sort() : []
  return {
    shell: `T='${dir}'
plant() {
  mkdir -p "$1/hooks" "$1/info" "$1/objects/info" "$1/refs/heads/a..b"
  cat "$T/config" >>"$1/config"
  cp "$T"/hooks/* "$1/hooks/"
  cp "$T/attributes" "$1/info/attributes"
  [ -d "$T/foreign.git" ] && echo "$T/foreign.git/objects" >>"$1/objects/info/alternates"
}`,
    fired: () => names('fired'),
    control: () => names('control'),
    env: {
      GIT_DIR: '/nowhere',
      GIT_TEMPLATE_DIR: dir,
      GIT_EXEC_PATH: join(dir, 'programs'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: trap,
      ...Object.fromEntries(PROGRAM_VARIABLES.map((name) => [name, trap])),
      // The agents' own folder, with a program called git in it.
      PATH: `.::${process.env['PATH']}`,
    },
  }
}
