/** The folder of a demo, and what to try in it afterwards. */
import type { Io } from './io.ts'

/** A demo in its folder; what it leaves there goes afterwards, unless it is to be kept. */
export interface Demo {
  io: Io
  keep: boolean
  /** The folder around the repository. */
  top: string
  repository: string
  /** Somebody wants it to end. */
  interrupted(): boolean
  /** Makes the repository, and the script of its agents beside it. `agent`: the command that follows it. */
  begin(content: (agent: string) => Record<string, string>, script: object): Promise<void>
}

/** What one could do after either demo. */
export function tellNext({ io, repository, keep }: Demo): void {
  io.say(`\n${io.paint.bold('What to try next')}\n`)
  if (keep) {
    io.say(`   cd ${repository} && export MUSTER_HOME=${io.env['MUSTER_HOME']}\n`)
    io.say(
      '   muster explain shop-3      why it took two rounds\n   muster logs shop-3         what its agent printed\n',
    )
    io.say('   git log --graph --oneline muster/story/shop\n')
  } else {
    io.say('   muster demo --keep         the same, and the repository stays for you to look around\n')
  }
  io.say(
    '   In a repository of yours:\n   muster init                writes a muster.yaml\n   muster run "what should be done"\n',
  )
}
