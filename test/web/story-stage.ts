/** A project that elaborates, ships and validates, with gates to hold it still: for tests and for pictures. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Api } from '../support/http.ts'
import { ACCEPTED } from '../support/maps.ts'
import { World } from '../support/world.ts'

export const VAGUE = 'the code looks good'

const DRAFT = {
  name: 'Invoice export',
  tasks: [
    {
      name: 'Export endpoint',
      instructions: 'Add GET /invoices/export in src/export.ts. It streams the rows.',
      acceptance_criteria: ['GET /invoices/export answers 200 with text/csv', VAGUE],
    },
    {
      name: 'Totals with tax',
      instructions: 'The last row has the totals per tax rate.',
      acceptance_criteria: ['the last row of `export.csv` is the total'],
      depends_on: ['Export endpoint'],
    },
    {
      name: 'Document the export',
      instructions: 'In docs/api.md.',
      acceptance_criteria: ['docs/api.md names /invoices/export'],
      depends_on: ['Export endpoint'],
    },
    {
      name: 'Announce it',
      // Somebody may hide something from whoever approves it.
      instructions: 'A line in CHANGELOG.md.\u200B',
      acceptance_criteria: ['CHANGELOG.md names the export'],
      depends_on: ['Totals with tax', 'Document the export'],
    },
  ],
}

export interface ShopDay {
  api: Api
  gates: Record<'drafting' | 'writing' | 'deploying' | 'smoking', { open(): Promise<void> }>
}

/** The smoke test of the story `s` fails until something called `fixed` is deployed. */
export async function shopDay(phases: string = ACCEPTED): Promise<ShopDay> {
  const world = await World.create({
    roles: ['implementer', 'checker', 'elaborator'],
    config: `phases: ${phases}\nlimits: { maxWorkers: 6 }\nchecks: { unit: "true", types: "true" }\n`,
  })
  const gates = {
    drafting: world.gate('drafting'),
    writing: world.gate('writing'),
    deploying: world.gate('deploying'),
    smoking: world.gate('smoking'),
  }
  const say = `cat <<'END'\n${JSON.stringify(DRAFT)}\nEND\nverdict pass`
  world.agent('elaborator', say)
  world.agent('elaborator.1', `echo "Reading src/invoices.ts"; gate drafting\n${say}`)
  world.agent('implementer', 'echo "$MUSTER_TASK_ID" >"$MUSTER_TASK_ID.txt"; verdict pass')
  world.agent('invoice-export-1.implementer', 'echo 1 >export; gate writing; verdict pass')
  world.agent('invoice-export-2.checker.1', 'verdict fail "the row says net, not gross"')
  world.agent('invoice-export-3.checker', 'verdict fail "docs/api.md names no path"')
  world.agent('s-2.checker', 'verdict warn "the name is long"')
  const script = (name: string, text: string) => writeFileSync(join(world.repository, name), `${text}\n`)
  script(
    'deploy.sh',
    `echo "Uploading $MUSTER_STORY"; [ "$MUSTER_STORY" = s ] || cat '${world.top}/gates/deploying'; echo "Deployed <b>it</b>"`,
  )
  script(
    'smoke.sh',
    `if [ "$MUSTER_STORY" != s ]; then echo "Waiting"; cat '${world.top}/gates/smoking'; elif ! [ -f fixed ]; then echo "GET /: 500"; exit 1; fi; echo "GET /: 200"`,
  )
  const file = join(world.repository, 'muster.yaml')
  const more = `deploy: { run: sh deploy.sh, timeout: 15m, env: [SHOP_TOKEN] }\npostDeploy: sh smoke.sh\n`
  writeFileSync(file, readFileSync(file, 'utf8') + more)
  world.git('add', 'deploy.sh', 'smoke.sh')
  world.git('-c', 'user.name=A', '-c', 'user.email=a@example.invalid', 'commit', '-qm', 'Deploy and look')
  const api = await Api.of(world)
  // As muster serve does: whatever comes has its turns.
  world.engine.settled(undefined).catch(() => undefined)
  return { api, gates }
}
