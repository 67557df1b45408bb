/** Editing a draft: dependencies stay with their tasks, whatever is moved or removed. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EditDraft } from '../../web/parts/draft-edit.ts'
import { add, change, fromDraft, isSame, lineSent, move, remove, toStory } from '../../web/parts/draft-edit.ts'

const task = (name: string, depends_on: string[] = []) => ({
  name,
  instructions: `do ${name}`,
  acceptance_criteria: `- ${name}.md exists\n\n2) it says "${name}"`,
  spec_ref: `docs/${name}.md`,
  depends_on,
  checks: ['unit'],
})
const DRAFT = {
  name: 'Shop',
  tasks: [
    task('Catalogue'),
    { ...task('Form', ['Catalogue']), subtasks: [task('Label'), task('Mail', ['2.1'])] },
    task('Docs', ['2', 'nobody']),
  ],
}

/** Who waits for whom, by name: what must survive. */
function waits(draft: EditDraft): string[] {
  const all = draft.tasks.flatMap((one) => [one, ...one.subtasks])
  const names = new Map(all.map(({ key, name }) => [key, name]))
  return all.flatMap(({ name, after }) => after.map((key) => `${name} after ${names.get(key) ?? key}`)).toSorted()
}

test('what nobody edited is sent as it came, with numbers for names and lines for bullets', () => {
  const edit = fromDraft(DRAFT)
  const { tasks } = toStory(edit)
  expect(tasks.map(({ depends_on }) => depends_on)).toEqual([[], ['1'], ['2', 'nobody']])
  expect(tasks[1]?.subtasks?.map(({ depends_on }) => depends_on)).toEqual([[], ['2.1']])
  expect(tasks[0]?.spec_ref).toBe('docs/Catalogue.md')
  expect(tasks[0]?.acceptance_criteria).toEqual(['Catalogue.md exists', 'it says "Catalogue"'])
  expect(isSame(edit, fromDraft(DRAFT))).toBe(true)
  expect(isSame(change(edit, 't1', { name: 'List' }), edit)).toBe(false)
})

test('what is moved keeps who waits for it; what is removed is waited for no more', () => {
  const edit = fromDraft(DRAFT)
  const moved = move(edit, 't2', -1)
  expect(waits(moved)).toEqual(waits(edit))
  expect(toStory(moved).tasks.map(({ name, depends_on }) => [name, depends_on])).toEqual([
    ['Form', ['2']],
    ['Catalogue', []],
    ['Docs', ['1', 'nobody']],
  ])
  expect(waits(remove(edit, 't2'))).toEqual(['Docs after nobody'])
  expect(toStory(move(edit, 't4', -1)).tasks[1]?.subtasks?.map(({ name }) => name)).toEqual(['Mail', 'Label'])
  expect(move(edit, 't1', -1).tasks.map(({ key }) => key)).toEqual(edit.tasks.map(({ key }) => key))
  const added = add(add(edit, null), 't1')
  expect(toStory(added).tasks.map(({ name }) => name)).toEqual(['Catalogue', 'Form', 'Docs', ''])
  expect(added.tasks[0]?.subtasks.map(({ key }) => key)).toEqual(['t7'])
})

test('a line of the criteria is found again in what is sent, where empty ones are left out', () => {
  const [first] = change(fromDraft(DRAFT), 't1', { criteria: ['a', ' ', 'b'] }).tasks
  expect(first === undefined ? null : [0, 1, 2].map((index) => lineSent(first, index))).toEqual([0, null, 1])
})

test('any sequence of moves keeps every task, every dependency and all keys apart', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(-1 as const, 1 as const)))
  fc.assert(
    fc.property(steps, (all) => {
      const begun = fromDraft(DRAFT)
      const end = all.reduce((draft, [n, by]) => move(draft, `t${n}`, by), begun)
      expect(waits(end)).toEqual(waits(begun))
      // Read again as the server reads it, it means the same.
      const { name, tasks } = toStory(end)
      const again = tasks.map(({ acceptance_criteria, ...rest }) => ({
        ...rest,
        acceptance_criteria: acceptance_criteria.join('\n'),
        subtasks: (rest.subtasks ?? []).map((sub) => ({
          ...sub,
          acceptance_criteria: sub.acceptance_criteria.join('\n'),
        })),
      }))
      expect(waits(fromDraft({ name, tasks: again }))).toEqual(waits(begun))
    }),
  )
})
