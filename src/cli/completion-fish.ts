/** The completion script for fish. */
import type { Kind, OptionWords, Table } from './completion-table.ts'

export function fishScript({ options, commands }: Table): string {
  const lines = [
    ...options.map((option) => `complete -c muster${optionWords(option)}`),
    ...commands.map(
      ({ name, description }) => `complete -c muster -n '__muster_at 0' -a ${quoted(name)} -d ${quoted(description)}`,
    ),
    ...commands.flatMap(({ name, args, options: own }) => [
      ...own.map((option) => `complete -c muster -n '__muster_in ${name}'${optionWords(option)}`),
      ...args.flatMap((kind, at) => {
        const source = sourceOf(kind)
        return source === null
          ? []
          : [`complete -c muster -n '__muster_in ${name}; and __muster_at ${at + 1}' ${source}`]
      }),
    ]),
  ]
  const valued = [...options, ...commands.flatMap((command) => command.options)]
    .filter(({ value }) => value !== undefined)
    .flatMap(({ names }) => names)
  return `# Completion for fish. Once: muster completion fish >~/.config/fish/completions/muster.fish
function __muster_words
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
    else if contains -- $word ${[...new Set(valued)].join(' ')}
      set skip 1
    else if not string match -q -- '-*' $word
      echo -- $word
    end
  end
end

function __muster_in
  set -l found (__muster_words)
  test (count $found) -gt 0; and test $found[1] = $argv[1]
end

function __muster_at
  test (count (__muster_words)) = $argv[1]
end

function __muster_ids
  set -l where
  set -l typed (commandline -opc)
  for at in (seq 2 (count $typed))
    if test $typed[$at] = -C; and set -q typed[(math $at + 1)]
      set -a where -C $typed[(math $at + 1)]
    end
  end
  muster $where __complete $argv[1] (commandline -ct) 2>/dev/null
end

complete -c muster -f
${lines.join('\n')}
`
}

function optionWords({ names, description, value }: OptionWords): string {
  const flags = names.map((name) => (name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`))
  const source = value === undefined ? null : sourceOf(value)
  const takes = value === undefined ? '' : source === null ? ' -x' : ` -r ${source}`
  return `${flags.join('')}${takes} -d ${quoted(description)}`
}

function sourceOf(kind: Kind): string | null {
  if (kind === null) return null
  if (kind === 'files') return '-F'
  if (kind === 'folders') return `-f -a '(__fish_complete_directories (commandline -ct))'`
  return typeof kind === 'string' ? `-f -a '(__muster_ids ${kind})'` : `-f -a ${quoted(kind.words.join(' '))}`
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", `\\'`)}'`
