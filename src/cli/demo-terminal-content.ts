/** What the demo in the terminal is made of: a tiny shop, a plan of five tasks, and the script its agents follow. */

export const DEMO_FILES = {
  'README.md': '# Shop\n\nA shop that sells very little.\n',
  'prices.json': '{\n  "tea": 3\n}\n',
}

export const DEMO_PLAN = `meta: { id: shop, name: Open the shop }
tasks:
  - { id: 1, name: Write the catalogue, description: List what is sold in catalogue.md. }
  - { id: 2, name: Write the opening hours, description: Say in hours.md when the shop is open. }
  - id: 3
    name: Add the order form
    description: Make order.html with a form that posts to /order.
    depends_on: [1]
    acceptance_criteria: order.html contains "email"
  - { id: 4, name: Link everything, description: Make index.html link to all pages., depends_on: [1, 2, 3] }
  - id: 5
    name: Raise the prices
    description: Add coffee to prices.json.
    phases: reviewed
`

export function demoConfig(agent: string): string {
  return `version: 1
base: main
limits: { maxWorkers: 2 }
# Muster verifies what it can, and what passes lands: a demo has nobody to accept each task.
phases:
  implement: { run: agent implementer, on_pass: verify, on_fail: implement }
  verify: { run: check contract, on_pass: land, on_fail: implement }
  land: { run: action merge, on_pass: done, on_fail: implement }
agents:
  implementer: { runtime: command, run: ${JSON.stringify(agent)}, verdict: file, timeout: 1m }
`
}

const pass = (say: string[], write: Record<string, string>, waitMs = 600) => ({ say, write, waitMs, verdict: 'pass' })

/** By task, one entry per attempt. */
export const DEMO_SCRIPT = {
  '1': [pass(['reading prices.json', 'writing catalogue.md'], { 'catalogue.md': '# Catalogue\n\n- tea\n' })],
  '2': [pass(['writing hours.md'], { 'hours.md': '# Hours\n\nMonday to Friday, 9 to 17.\n' })],
  '3': [
    {
      say: ['writing order.html', 'checking it against the criteria'],
      write: { 'order.html': '<form action="/order" method="post"></form>\n' },
      waitMs: 600,
      verdict: 'fail',
      detail: 'the form has no email field yet',
    },
    pass(['reading what went wrong', 'adding the email field'], {
      'order.html': '<form action="/order" method="post"><input type="email" name="email" required></form>\n',
    }),
  ],
  '4': [
    pass(['linking the pages'], {
      'index.html':
        '<a href="catalogue.md">Catalogue</a> <a href="hours.md">Hours</a> <a href="order.html">Order</a>\n',
    }),
  ],
  '5': [pass(['adding coffee'], { 'prices.json': '{\n  "tea": 3,\n  "coffee": 4\n}\n' })],
}
