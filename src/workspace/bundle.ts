/**
 * Files and the refs of git directories as one file: a git bundle, so that every object has its own checksum and no
 * other tool is needed to read it. It is complete: it borrows from no repository.
 */
import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MusterError } from '../domain/errors.ts'
import { syncFolder } from '../durable.ts'
import { git, gitLine } from './git.ts'

/** The commit with the files. */
const FILES = 'refs/files'
const IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Muster'],
    [`GIT_${who}_EMAIL`, 'muster@muster.invalid'],
  ]),
) as Record<string, string>

interface Bundled {
  /** Where the files are, by the names they get. */
  files: Readonly<Record<string, string>>
  /** Git directories, by the names their refs go under. */
  repositories: Readonly<Record<string, string>>
}

/** `scratch`: a folder that may be made and goes afterwards. How many refs it holds. */
export async function writeBundle(out: string, { files, repositories }: Bundled, scratch: string): Promise<number> {
  const shallow = Object.values(repositories).find((dir) => existsSync(join(dir, 'shallow')))
  if (shallow !== undefined) {
    throw new MusterError('config', 'the repository is a shallow clone, whose backup could not be restored', {
      hint: 'git fetch --unshallow, then try again',
    })
  }
  await rm(scratch, { recursive: true, force: true })
  try {
    const [first = ''] = Object.values(repositories)
    const format = existsSync(first) ? await gitLine(['rev-parse', '--show-object-format'], { gitDir: first }) : 'sha1'
    await git(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, scratch])
    await mkdir(join(scratch, 'objects/info'), { recursive: true })
    const borrowed = Object.values(repositories).map((dir) => `${join(dir, 'objects')}\n`)
    await writeFile(join(scratch, 'objects/info/alternates'), borrowed.join(''))
    const lines = await Promise.all(
      Object.entries(files).map(
        async ([name, path]) =>
          `100644 blob ${await gitLine(['hash-object', '-w', '--no-filters', path], { gitDir: scratch })}\t${name}\n`,
      ),
    )
    const tree = await gitLine(['mktree'], { gitDir: scratch, stdin: lines.join('') })
    const commit = await gitLine(['commit-tree', '-m', 'What a backup holds', tree], { gitDir: scratch, env: IDENTITY })
    const refs = [`create ${FILES} ${commit}`]
    for (const [name, dir] of Object.entries(repositories)) {
      const listed = await gitLine(['for-each-ref', '--format=%(objectname) %(refname)'], { gitDir: dir })
      for (const line of listed.split('\n').filter(Boolean)) {
        const [object, ref = ''] = line.split(' ')
        refs.push(`create refs/of/${name}/${ref.slice('refs/'.length)} ${object}`)
      }
    }
    await git(['update-ref', '--stdin'], { gitDir: scratch, stdin: `${refs.join('\n')}\n` })
    const half = `${out}.${process.pid}.new`
    await git(['bundle', 'create', '--quiet', half, '--all'], { gitDir: scratch }).catch(async (error: unknown) => {
      await rm(half, { force: true })
      throw error
    })
    const file = await open(half, 'r+')
    // Everything that is stored is in it: for its owner alone, as the database is.
    await file.chmod(0o600)
    await file.sync()
    await file.close()
    await rename(half, out)
    await syncFolder(dirname(out))
    return refs.length - 1
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Unpacks a bundle into a bare repository; every object is looked at on the way. */
export async function openBundle(file: string, into: string): Promise<void> {
  await rm(into, { recursive: true, force: true })
  const said = await git(['bundle', 'list-heads', file], { cwd: dirname(file), okCodes: [1, 128, 129] })
  if (said.code !== 0 || !said.stdout.includes(FILES)) {
    throw new MusterError('usage', `${file} is not a Muster backup`, {
      hint: 'use a file that muster backup wrote',
    })
  }
  const format = /^[0-9a-f]{64} /.test(said.stdout) ? 'sha256' : 'sha1'
  await git(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, into])
  const unpack = ['-c', 'fetch.fsckObjects=false', '-c', 'fetch.unpackLimit=1', 'fetch', '--quiet', '--no-tags']
  await git([...unpack, file, '+refs/*:refs/*'], { gitDir: into })
}

/** The files of an unpacked bundle, in a folder. */
export async function filesOf(bundle: string, into: string): Promise<void> {
  const listed = await gitLine(['ls-tree', FILES], { gitDir: bundle })
  if (!listed.split('\n').every((line) => line.startsWith('100644 blob '))) {
    throw new MusterError('usage', 'the backup contains something that Muster never writes')
  }
  await mkdir(into, { recursive: true, mode: 0o700 })
  await git(['checkout', '--quiet', '--force', FILES, '--', '.'], {
    gitDir: bundle,
    workTree: into,
    indexFile: join(bundle, 'restore-index'),
  })
}

/** Brings the refs of one of its repositories to where they were, and their objects with them. What came later stays. */
export async function refsOf(bundle: string, name: string, gitDir: string): Promise<void> {
  if (!existsSync(gitDir)) {
    const format = await gitLine(['rev-parse', '--show-object-format'], { gitDir: bundle })
    await mkdir(dirname(gitDir), { recursive: true, mode: 0o700 })
    await git(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, gitDir])
  }
  const fetch = ['-c', 'fetch.unpackLimit=1', 'fetch', '--quiet', '--no-tags', '--no-write-fetch-head']
  await git([...fetch, bundle, `+refs/of/${name}/*:refs/*`], { gitDir })
}

/** The names of its repositories. */
export async function repositoriesIn(bundle: string): Promise<string[]> {
  const listed = await gitLine(['for-each-ref', '--format=%(refname)', 'refs/of/'], { gitDir: bundle })
  return [...new Set(listed.split('\n').flatMap((ref) => /^refs\/of\/(main|submodule\/[^/]+)\//.exec(ref)?.[1] ?? []))]
}
