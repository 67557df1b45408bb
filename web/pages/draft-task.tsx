/** One task of a draft: its text, its criteria with warnings beside them, and its dependencies. */
import { useId } from 'react'
import type { DraftCheck } from '../api/types.ts'
import type { EditDraft, EditTask } from '../parts/draft-edit.ts'
import { add, change, lineSent, move, numbersOf, remove } from '../parts/draft-edit.ts'
import { Text, unseenIn, visible } from '../parts/text.tsx'

export interface DraftTaskProps {
  draft: EditDraft
  task: EditTask
  number: string
  parent: EditTask | null
  check: DraftCheck
  disabled: boolean
  onEdit(next: EditDraft): void
}

export function DraftTask(props: DraftTaskProps) {
  const { draft, task, number, parent, check, disabled, onEdit } = props
  const id = useId()
  const wrong = (field: string) =>
    check.problems.filter((one) => one.task === number && one.field === field).map(({ message }) => message)
  const set = (by: Parameters<typeof change>[2]) => onEdit(change(draft, task.key, by))
  const like = parent === null ? draft.tasks : parent.subtasks
  const place = like.findIndex(({ key }) => key === task.key)
  const name = task.name === '' ? `Task ${number}` : visible(task.name)
  return (
    <li className={parent === null ? 'panel draft-task' : 'draft-task sub'} aria-label={`Task ${number}`}>
      <div className="draft-task-head">
        <span className="num muted">{number}</span>
        <Field id={`${id}n`} label="Name" hidden wrong={wrong('name')}>
          <input
            id={`${id}n`}
            className="task-name"
            value={task.name}
            disabled={disabled}
            placeholder="What is done"
            aria-invalid={wrong('name').length > 0}
            aria-describedby={`${id}nw`}
            onChange={(event) => set({ name: event.target.value })}
          />
          <Unseen text={task.name} />
        </Field>
        <span className="draft-task-tools">
          <Tool
            label={`Move ${name} up`}
            icon="↑"
            disabled={disabled || place === 0}
            onClick={() => onEdit(move(draft, task.key, -1))}
          />
          <Tool
            label={`Move ${name} down`}
            icon="↓"
            disabled={disabled || place === like.length - 1}
            onClick={() => onEdit(move(draft, task.key, 1))}
          />
          <Tool label={`Remove ${name}`} icon="✕" disabled={disabled} onClick={() => onEdit(remove(draft, task.key))} />
        </span>
      </div>
      <Field id={`${id}i`} label="Instructions" wrong={wrong('instructions')}>
        <textarea
          id={`${id}i`}
          className="grows"
          rows={2}
          value={task.instructions}
          disabled={disabled}
          onChange={(event) => set({ instructions: event.target.value })}
        />
        <Unseen text={task.instructions} />
      </Field>
      <Criteria {...props} />
      <div className="draft-more">
        <Waits {...props} wrong={wrong('depends_on')} />
        <Field id={`${id}c`} label="Checks" wrong={wrong('checks')}>
          <input
            id={`${id}c`}
            key={task.checks.join(' ')}
            defaultValue={task.checks.join(', ')}
            disabled={disabled}
            placeholder="none: the contract chooses them"
            aria-invalid={wrong('checks').length > 0}
            aria-describedby={`${id}cw`}
            onBlur={(event) => {
              const checks = event.target.value.split(/[\s,]+/).filter(Boolean)
              if (checks.join() !== task.checks.join()) set({ checks })
            }}
          />
        </Field>
      </div>
      {parent !== null ? null : (
        <>
          {task.subtasks.length === 0 ? null : (
            <ol className="draft-subtasks" aria-label={`Subtasks of ${name}`}>
              {task.subtasks.map((sub, index) => (
                <DraftTask key={sub.key} {...props} task={sub} parent={task} number={`${number}.${index + 1}`} />
              ))}
            </ol>
          )}
          <div>
            <button
              type="button"
              className="link small"
              disabled={disabled}
              onClick={() => onEdit(add(draft, task.key))}
            >
              Add a subtask
            </button>
          </div>
        </>
      )}
    </li>
  )
}

function Tool(props: { label: string; icon: string; disabled: boolean; onClick(): void }) {
  const { label, icon, disabled, onClick } = props
  return (
    <button type="button" className="tool" aria-label={label} title={label} disabled={disabled} onClick={onClick}>
      <span aria-hidden="true">{icon}</span>
    </button>
  )
}

/** A field shows what is in it as it is: what hides there is told. */
export function Unseen({ text }: { text: string }) {
  const around = unseenIn(text)
  return around === null ? null : (
    <p className="lint small">
      <span aria-hidden="true">△ </span>
      It contains invisible characters: “<Text>{around}</Text>”
    </p>
  )
}

function Field(props: { id: string; label: string; hidden?: boolean; wrong: string[]; children: React.ReactNode }) {
  const { id, label, hidden = false, wrong, children } = props
  return (
    <div className="field">
      <label htmlFor={id} className={hidden ? 'sr-only' : ''}>
        {label}
      </label>
      {children}
      <p id={`${id}w`} className="failure small">
        <Text>{wrong.join('; ')}</Text>
      </p>
    </div>
  )
}

function Criteria({ draft, task, number, check, disabled, onEdit }: DraftTaskProps) {
  const id = useId()
  const set = (criteria: string[]) => onEdit(change(draft, task.key, { criteria }))
  const none = check.lint.find((one) => one.task === number && one.line === null)
  return (
    <fieldset className="field criteria-edit">
      <legend>Acceptance criteria</legend>
      <ul>
        {task.criteria.map((text, index) => {
          const line = lineSent(task, index)
          const found = check.lint.find((one) => one.task === number && one.line !== null && one.line === line)
          return (
            <li key={index}>
              <div className="criterion-edit">
                <textarea
                  className="grows"
                  rows={1}
                  aria-label={`Criterion ${index + 1} of task ${number}`}
                  aria-describedby={found === undefined ? undefined : `${id}${index}`}
                  value={text}
                  disabled={disabled}
                  placeholder="What must be true, in words that somebody else can check"
                  onChange={(event) => {
                    // Each is one line: what is pasted as several becomes several.
                    const lines = event.target.value.split('\n')
                    set([...task.criteria.slice(0, index), ...lines, ...task.criteria.slice(index + 1)])
                  }}
                />
                <Tool
                  label={`Remove criterion ${index + 1} of task ${number}`}
                  icon="✕"
                  disabled={disabled}
                  onClick={() => set(task.criteria.filter((_, at) => at !== index))}
                />
              </div>
              <Unseen text={text} />
              {found === undefined ? null : (
                <p id={`${id}${index}`} className="lint small">
                  <span aria-hidden="true">△ </span>
                  <span className="sr-only">Warning: </span>
                  <Text>{found.problem}</Text>. <span className="lint-how">Better: </span>
                  <Text>{found.rewording}</Text>
                </p>
              )}
            </li>
          )
        })}
      </ul>
      {none === undefined ? null : (
        <p className="lint small">
          <span aria-hidden="true">△ </span>
          <Text>{`It has ${none.problem}: ${none.rewording}`}</Text>
        </p>
      )}
      <div>
        <button type="button" className="link small" disabled={disabled} onClick={() => set([...task.criteria, ''])}>
          Add a criterion
        </button>
      </div>
    </fieldset>
  )
}

/** Of its like, and of those above: who could come before it. */
function Waits({ draft, task, parent, number, disabled, onEdit, wrong }: DraftTaskProps & { wrong: string[] }) {
  const numbers = numbersOf(draft)
  const others = (parent === null ? draft.tasks : parent.subtasks).filter(({ key }) => key !== task.key)
  const unknown = task.after.filter((key) => !others.some((other) => other.key === key))
  const set = (after: string[]) => onEdit(change(draft, task.key, { after }))
  if (others.length === 0 && unknown.length === 0) return null
  const said = task.after.map((key) => numbers.get(key) ?? key).join(', ')
  return (
    <div className="field">
      <details>
        <summary>
          Waits for <Text>{said === '' ? 'nothing' : said}</Text>
        </summary>
        <ul className="waits">
          {[
            ...others.map((other) => ({ key: other.key, name: other.name })),
            ...unknown.map((key) => ({ key, name: numbers.has(key) ? '' : 'no task of this draft' })),
          ].map(({ key, name }) => (
            <li key={key}>
              <label className="check">
                <input
                  type="checkbox"
                  checked={task.after.includes(key)}
                  disabled={disabled}
                  aria-label={`Task ${number} waits for ${numbers.get(key) ?? key}`}
                  onChange={(event) =>
                    set(event.target.checked ? [...task.after, key] : task.after.filter((one) => one !== key))
                  }
                />
                <span>
                  {numbers.get(key) ?? key} <Text>{name}</Text>
                </span>
              </label>
            </li>
          ))}
        </ul>
      </details>
      {wrong.length === 0 ? null : (
        <p className="failure small" role="alert">
          <Text>{wrong.join('; ')}</Text>
        </p>
      )}
    </div>
  )
}
