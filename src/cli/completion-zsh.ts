/** The completion script for zsh. */
import type { Kind, OptionWords, Table } from './completion-table.ts'

export function zshScript({ options, commands }: Table): string {
  const described = commands.map(({ name, description }) => `    ${quoted(`${name}:${plain(description)}`)}`)
  const cases = commands.map(({ name, args, options: own }) => {
    const places = args.map((kind, at) => quoted(`${at + 1}: :${actionOf(kind)}`))
    return `        ${name}) _arguments ${[...own.flatMap(optionWords), ...places].join(' ')} ;;`
  })
  return `#compdef muster
# Completion for zsh. In ~/.zshrc, behind compinit: source <(muster completion zsh)
# _arguments puts options for compadd before the words that it was given.
_muster_ids() {
  local -a where found
  local at
  for ((at = 2; at < $#_muster_line; at++)); do
    [[ $_muster_line[at] == -C ]] && where+=(-C "\${(Q)_muster_line[at + 1]}")
  done
  found=(\${(f)"$(muster $where __complete $@[-1] "$PREFIX" 2>/dev/null)"})
  compadd "\${@[1,-2]}" -a found
}

_muster() {
  local curcontext=$curcontext state line
  local -a commands _muster_line
  _muster_line=($words)
  commands=(
${described.join('\n')}
  )
  _arguments -C ${options.flatMap(optionWords).join(' ')} '1: :->command' '*:: :->rest'
  case $state in
    command) _describe command commands ;;
    rest)
      case $words[1] in
${cases.join('\n')}
      esac
      ;;
  esac
}

if [[ $funcstack[1] == _muster ]]; then _muster "$@"; else compdef _muster muster; fi
`
}

function optionWords({ names, description, value }: OptionWords): string[] {
  const more = value === undefined ? '' : `: :${actionOf(value)}`
  const others = names.length > 1 ? `(${names.join(' ')})` : ''
  const repeats = names.includes('-C') ? '*' : ''
  return names.map((name) => quoted(`${others}${repeats}${name}[${plain(description).replace(/[[\]]/g, '')}]${more}`))
}

function actionOf(kind: Kind): string {
  if (kind === 'files') return '_files'
  if (kind === 'folders') return '_files -/'
  if (typeof kind === 'string') return `_muster_ids ${kind}`
  return kind === null ? ' ' : `(${kind.words.join(' ')})`
}

const plain = (text: string): string => text.replaceAll(':', ' -')
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
