/**
 * The content of the demo on the board: a tiny shop, a story of five tasks, and the script of its agents. One task
 * first fails its verification, one gets a warning, one is rejected by its checker, one waits for a person; all can be
 * shipped.
 */

export const STORY = 'shop'

/** `everyMs`: how long a step of the deploy takes. */
export const boardFiles = (agent: string, everyMs: number): Record<string, string> => ({
  'muster.yaml': boardConfig(agent),
  'README.md': '# Shop\n\nA shop that sells very little.\n',
  'prices.json': '{\n  "tea": 3\n}\n',
  'plan.yaml': `meta: { id: ${STORY}, name: Open the shop }
tasks:
  - { id: 1, name: Write the catalogue, description: List what is sold in catalogue.md., checks: [pages] }
  - id: 2
    name: Write the opening hours
    description: "Say in hours.md when the shop is open: Monday to Friday, 9 to 18."
    acceptance_criteria: hours.md names the days and the hours
    checks: [pages]
  - id: 3
    name: Add the order form
    description: Make order.html with a form that posts to /order.
    depends_on: [1]
    acceptance_criteria: order.html has a form with an email field
    checks: [form, pages]
  - id: 4
    name: Link everything
    description: Make index.html link to all pages.
    depends_on: [1, 2, 3]
    checks: [pages]
  - { id: 5, name: Raise the prices, description: Add coffee to prices.json., checks: [pages], phases: reviewed }
`,
  // Checks that say what they looked at, test by test.
  'checks/form.sh': `echo "TAP version 13"
grep -q '<form action="/order"' order.html && echo "ok 1 - the form posts to /order" || echo "not ok 1 - the form posts to /order"
grep -q 'type="email"' order.html && echo "ok 2 - it asks for an email address" || { echo "not ok 2 - it asks for an email address"; bad=1; }
echo "1..2"
exit \${bad:-0}
`,
  'checks/pages.sh': `n=0
echo "TAP version 13"
for page in *.md *.html; do
  test -f "$page" || continue
  n=$((n + 1))
  test -s "$page" && echo "ok $n - $page has content" || echo "not ok $n - $page has content"
done
echo "1..$n"
`,
  'deploy.sh': `for page in *.html *.md; do
  echo "would copy $page to the web server"
  sleep ${everyMs / 2000}
done
echo "the shop is open"
`,
  'smoke.sh': 'test -f index.html && grep -q email order.html && echo "the order form answers"\n',
})

function boardConfig(agent: string): string {
  const command = `{ runtime: command, run: ${JSON.stringify(agent)}, verdict: file, timeout: 1m }`
  return `version: 1
base: main
limits: { maxWorkers: 3 }
phases: checked
agents:
  implementer: ${command}
  checker: ${command}
checks:
  form: sh checks/form.sh
  pages: sh checks/pages.sh
deploy: sh deploy.sh
postDeploy: sh smoke.sh
`
}

/** Who refused and what a person would say about it. */
export const REFUSED = { task: `${STORY}-2`, words: 'the shop closes at 18, not at 17' }
export const REVIEWED = `${STORY}-5`

/** By task and by checker, one entry per attempt. `everyMs`: how long a line stands alone. */
export function boardScript(everyMs: number): object {
  const author = (say: string[], write: Record<string, string>) => ({ say, everyMs, write })
  const judge = (say: string[], more: object = {}) => ({ say, everyMs, ...more })
  const order = (field: string) => ({ 'order.html': `<form action="/order" method="post">${field}</form>\n` })
  return {
    '1': author(['reading prices.json', 'one thing is sold: tea', 'writing catalogue.md', 'reading it once more'], {
      'catalogue.md': '# Catalogue\n\n- tea\n',
    }),
    '1.checker': judge(['reading catalogue.md', 'comparing it with prices.json'], {
      verdict: 'warn',
      findings: [{ severity: 'WARN', message: 'tea has no price in the catalogue', file: 'catalogue.md', line: 3 }],
    }),
    '2': [
      author(['looking for a page that says when', 'there is none', 'writing hours.md'], {
        'hours.md': '# Hours\n\nMonday to Friday, 9 to 17.\n',
      }),
      author(['reading what was sent back', 'changing 17 to 18 in hours.md', 'reading it once more'], {
        'hours.md': '# Hours\n\nMonday to Friday, 9 to 18.\n',
      }),
    ],
    '2.checker': [
      judge(['reading hours.md', 'the instructions say 18'], {
        verdict: 'fail',
        findings: [
          { severity: 'FAIL', message: 'it says 9 to 17, the instructions say 9 to 18', file: 'hours.md', line: 3 },
        ],
      }),
      judge(['reading hours.md', 'the days and the hours are as asked']),
    ],
    '3': [
      author(['writing order.html', 'a form that posts to /order', 'done, I think'], order('')),
      author(
        ['reading what the verification found', 'adding a field for the email address', 'running sh checks/form.sh'],
        order('<input type="email" name="email" required>'),
      ),
    ],
    '4': author(['listing the pages', 'catalogue, hours, order form', 'writing index.html'], {
      'index.html':
        '<a href="catalogue.md">Catalogue</a> <a href="hours.md">Hours</a> <a href="order.html">Order</a>\n',
    }),
    '5': author(['reading prices.json', 'adding coffee', 'keeping the order of the others'], {
      'prices.json': '{\n  "tea": 3,\n  "coffee": 4\n}\n',
    }),
    '3.checker': judge(['reading order.html', 'the form has an email field']),
    '4.checker': judge(['following the links of index.html', 'each leads somewhere']),
  }
}
