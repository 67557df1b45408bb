/** Changed files as a tree of their folders; a folder that contains only a folder is merged with it. */
import type { PatchFile } from './patch.ts'

export interface Leaf {
  /** Of the file, or of the folder. */
  name: string
  depth: number
  /** null: it is a folder. */
  file: PatchFile | null
}

interface Folder {
  folders: Map<string, Folder>
  files: { name: string; file: PatchFile }[]
}

export function treeOf(files: readonly PatchFile[], filter = ''): Leaf[] {
  const wanted = filter.trim().toLowerCase()
  const root: Folder = { folders: new Map(), files: [] }
  for (const file of files) {
    if (!file.path.toLowerCase().includes(wanted)) continue
    const parts = file.path.split('/')
    const name = parts.pop() ?? file.path
    let folder = root
    for (const part of parts) {
      const next: Folder = folder.folders.get(part) ?? { folders: new Map(), files: [] }
      folder.folders.set(part, next)
      folder = next
    }
    folder.files.push({ name, file })
  }
  return leavesOf(root, 0)
}

function leavesOf({ folders, files }: Folder, depth: number): Leaf[] {
  const below = [...folders].flatMap(([first, folder]) => {
    let [name, inner] = [`${first}/`, folder]
    for (let only = onlyFolder(inner); only !== null; only = onlyFolder(inner)) {
      name += `${only[0]}/`
      inner = only[1]
    }
    return [{ name, depth, file: null }, ...leavesOf(inner, depth + 1)]
  })
  return [...below, ...files.map(({ name, file }) => ({ name, depth, file }))]
}

function onlyFolder({ folders, files }: Folder): [string, Folder] | null {
  const [only] = folders
  return files.length === 0 && folders.size === 1 ? (only ?? null) : null
}
