/** The changed files at the side: a tree with added and removed lines, and a filter if there are many. */
import { useState } from 'react'
import { Text, visible } from '../parts/text.tsx'
import type { PatchFile } from './patch.ts'
import { treeOf } from './tree.ts'

const filterFrom = 10
const shownMax = 500

const LETTERS: Record<PatchFile['status'], string> = {
  added: 'A',
  deleted: 'D',
  modified: 'M',
  renamed: 'R',
  copied: 'C',
}

export function Files({
  files,
  commentsOf,
  onPick,
}: {
  files: readonly PatchFile[]
  commentsOf(file: PatchFile): number
  onPick(file: PatchFile): void
}) {
  const [filter, setFilter] = useState('')
  const leaves = treeOf(files, filter)
  return (
    <nav className="diff-files" aria-label="Changed files">
      {files.length < filterFrom ? null : (
        <input
          type="search"
          aria-label="Filter files"
          placeholder="Filter files"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      <ul>
        {leaves.slice(0, shownMax).map(({ name, depth, file }, index) => (
          <li key={index} style={{ paddingInlineStart: `${Math.min(depth, 8) * 12}px` }}>
            {file === null ? (
              <span className="muted cut">
                <Text>{name}</Text>
              </span>
            ) : (
              <button type="button" className="quiet" title={visible(file.path)} onClick={() => onPick(file)}>
                <Status file={file} />
                <span className="cut">
                  <Text>{name}</Text>
                </span>
                {commentsOf(file) === 0 ? null : (
                  <span className="count said-count">
                    {commentsOf(file)}
                    <span className="sr-only"> comments</span>
                  </span>
                )}
                <Counts added={file.added} removed={file.removed} />
              </button>
            )}
          </li>
        ))}
      </ul>
      {leaves.length > shownMax ? <p className="muted small">and more: filter to see them</p> : null}
      {leaves.length === 0 ? <p className="muted small">No matching file.</p> : null}
    </nav>
  )
}

export function Status({ file: { status } }: { file: PatchFile }) {
  return (
    <span className={`mono status ${status}`} title={status}>
      <span aria-hidden="true">{LETTERS[status]}</span>
      <span className="sr-only">{status} </span>
    </span>
  )
}

export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="counts num small">
      {added === 0 ? null : <span className="plus">+{added.toLocaleString()}</span>}
      {removed === 0 ? null : <span className="minus">−{removed.toLocaleString()}</span>}
    </span>
  )
}
