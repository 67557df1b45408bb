/** The completion script for bash. */
import type { Kind, OptionWords, Table } from './completion-table.ts'

export function bashScript({ options, commands }: Table): string {
  const valued = (command: string, known: readonly OptionWords[]) =>
    known
      .filter(({ value }) => value !== undefined)
      .map(
        ({ names, value = null }) =>
          `    ${names.map((name) => `'${command} ${name}'`).join('|')}) kind=${kindWord(value)} ;;`,
      )
  const own = commands.flatMap(({ name, options: more }) => valued(name, more))
  const args = commands.flatMap(({ name, args: kinds }) =>
    kinds.map((kind, at) => `    '${name} ${at}') kind=${kindWord(kind)} ;;`),
  )
  const flags = commands.map(
    ({ name, options: more }) => `    '${name}') flags='${flagWords([...more, ...options])}' ;;`,
  )
  return `# Completion for bash. In ~/.bashrc: source <(muster completion bash)
_muster_value() {
  kind=
  case "$1" in
${[...options.flatMap((option) => valued('', [option])), ...own].join('\n')}
    *) return 1 ;;
  esac
}

_muster() {
  local cur=\${COMP_WORDS[COMP_CWORD]} command= flags= kind= word= expects= at=0 i
  local -a where=()
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $expects ]]; then
      [[ $expects == ' -C' ]] && where+=(-C "$word")
      expects=
    elif [[ $word == -* ]]; then
      if _muster_value " $word"; then expects=" $word"; elif _muster_value "$command $word"; then expects="$command $word"; fi
    elif [[ -z $command ]]; then
      command=$word
    else
      at=$((at + 1))
    fi
  done
  if [[ -n $expects ]]; then
    _muster_value "$expects"
  elif [[ $cur == -* ]]; then
    case $command in
    '') flags='${flagWords(options)}' ;;
${flags.join('\n')}
    esac
    kind="words $flags"
  elif [[ -z $command ]]; then
    kind='words ${commands.map(({ name }) => name).join(' ')}'
  else
    case "$command $at" in
${args.join('\n')}
    esac
  fi
  case $kind in
    'words '*) COMPREPLY=($(compgen -W "\${kind#words }" -- "$cur")) ;;
    tasks | stories) COMPREPLY=($(compgen -W "$(muster "\${where[@]}" __complete "$kind" "$cur" 2>/dev/null)" -- "$cur")) ;;
    files) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")) ;;
    folders) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur")) ;;
  esac
}

complete -F _muster muster
`
}

const flagWords = (options: readonly OptionWords[]): string => options.flatMap(({ names }) => names).join(' ')

const kindWord = (kind: Kind): string =>
  kind === null ? 'none' : typeof kind === 'string' ? kind : `'words ${kind.words.join(' ')}'`
