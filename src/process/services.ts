/**
 * Starts services beside a command, in its process group and in its sandbox: what ends the command for good ends them too,
 * also when Muster was killed, and every kind of sandbox lets the command reach them. A shell does it, because that is
 * what every sandbox and image has. Where it stands is in a file that only ever makes a result worse.
 */
import { join } from 'node:path'
import { shellQuote } from '../tools/words.ts'
import { offsetDigits, segmentHeaderBytes } from './log.ts'

/** One service as it is started. */
export interface Started {
  name: string
  port: number
  /** Shell commands; without `ready`, something has to listen on its port. */
  run: string
  ready: string | null
  stop: string | null
  /** How long it may take to be ready. */
  timeoutMs: number
  /** Variables of the environment that are not for it. */
  without: readonly string[]
}

/** In the run's folder: what services printed and where they stand, and what they keep while they run. */
export const serviceLogs = (dir: string): string => join(dir, 'services')
/** Where they stand; no service can have this name. */
export const serviceState = '.state'
export const serviceData = (dir: string): string => join(dir, 'service-data')

/** How long a `stop` may take, and then what gets SIGTERM, before whoever started all of this kills the rest. */
const PATIENCE = { stopMs: 5000, endMs: 2000 }
const pauseSeconds = 0.05

/** Of each log, the first part and between one and two of the second are kept: blocks of 4 KiB, or less if less came at once. */
const [headBlocks, tailBlocks, saidBlocks] = [1024, 512, 16]

/** In the network that the service sees, whatever that is; where there is no /proc, by connecting. */
const LISTENS = `if [ -r /proc/net/tcp ]; then
  grep -q ":$(printf %04X "$MUSTER_PORT") [0-9A-F]*:0000 0A" /proc/net/tcp /proc/net/tcp6
else nc -z 127.0.0.1 "$MUSTER_PORT"; fi 2>/dev/null`

/**
 * Shell functions. In `$dir/<name>`: `log` and its tails in the form of log.ts, `exit` once the service has ended, `over`
 * once nothing of it writes any more, `try` once a `ready` or `stop` has ended, and `said`, what that printed. What outlives
 * this shell redirects with `exec`: a shell that redirects a group of commands keeps the old descriptors open.
 */
const FUNCTIONS = `left() {
  if read -r now rest </proc/uptime; then now=\${now%.*}\${now#*.}; else now=$(date +%s)00; fi
  [ "$now" -le "$limit" ]
}
within() {
  limit=0
  left
  limit=$((now + $1))
}
tell() { echo "$*" >"$dir/${serviceState}"; }
own() {
  MUSTER_PORT=$2 MUSTER_SERVICE_DIR=$data/$1
  export MUSTER_PORT MUSTER_SERVICE_DIR
  unset $3
  exec /bin/sh -c "$4"
}
keep() {
  trap '' TERM
  dd bs=4096 count=${headBlocks} of="$1/log"
  at=$(($(wc -c <"$1/log"))) n=0
  while dd bs=4096 count=1 of="$1/next"; [ -s "$1/next" ]; do
    rm -f "$1/log.tail.$n"
    { printf '%0${offsetDigits}d\\n' "$at"; cat "$1/next"; dd bs=4096 count=${tailBlocks}; } >"$1/log.tail.$n"
    at=$((at + $(wc -c <"$1/log.tail.$n") - ${segmentHeaderBytes})) n=$((1 - n))
  done
  : >"$1/over"
}
try() {
  rm -f "$dir/$1/try"
  tries=$((tries + 1))
  ( exec </dev/null 3>&-; ( exec 2>&1; own "$@" ); echo $? >"$dir/$1/try" ) |
    ( exec >/dev/null 3>&-; dd bs=4096 count=${saidBlocks} of="$dir/$1/saying.$tries"; mv "$dir/$1/saying.$tries" "$dir/$1/said"; cat ) &
}
fail() {
  tell "$@"
  end
  exit 1
}
alive() {
  [ -z "$asked" ] || fail starting "$name"
  [ ! -s "$dir/$name/exit" ] || fail ended "$name" "$(cat "$dir/$name/exit")"
  left || fail unready "$name"
  sleep ${pauseSeconds}
}
start() {
  name=$1
  tell starting "$name"
  within "$6"
  mkdir -p "$dir/$name" "$data/$name"
  ( exec </dev/null 3>&-; trap '' TERM; ( trap - TERM; exec 2>&1; own "$@" ); echo $? >"$dir/$name/exit" ) |
    ( exec >/dev/null 3>&-; keep "$dir/$name" ) &
  until [ "$(cat "$dir/$name/try")" = 0 ]; do
    try "$name" "$2" "$3" "$5"
    alive
    until [ -s "$dir/$name/try" ]; do alive; done
  done
  [ ! -s "$dir/$name/exit" ] || alive
}
stop() {
  [ -d "$dir/$1" ] || return 0
  try "$@"
  within "$stop"
  while left && [ ! -s "$dir/$1/try" ]; do sleep ${pauseSeconds}; done
}
ended() {
  for name in $names; do
    [ ! -d "$dir/$name" ] || [ -e "$dir/$name/over" ] || return 1
  done
}
end() {
  stops
  kill 0
  within "$end"
  while left && ! ended; do sleep ${pauseSeconds}; done
}
lost() {
  for name in $names; do
    [ ! -s "$dir/$name/exit" ] || tell lost "$name" "$(cat "$dir/$name/exit")"
  done
}`

/** The command with its services around it: they start one after the other, each once the one before is ready. `dir`: the run's folder. */
export function withServices(
  services: readonly Started[],
  command: readonly string[],
  dir: string,
  without: readonly string[],
  { stopMs, endMs } = PATIENCE,
): string[] {
  const names = services.map(({ name }) => name).join(' ')
  const words = ({ name, port, without: of }: Started): string => `${name} ${port} ${shellQuote(of.join(' '))}`
  const starts = services.map((one) => {
    const [run, ready] = [one.run, one.ready ?? LISTENS].map(shellQuote)
    return `start ${words(one)} ${run} ${ready} ${Math.ceil(one.timeoutMs / 10)}`
  })
  const stops = services
    .toReversed()
    .flatMap((one) => (one.stop === null ? [] : `stop ${words(one)} ${shellQuote(one.stop)}`))
  const text = `dir=$1 data=$2 names='${names}' stop=${stopMs / 10} end=${endMs / 10} asked= tries=0
shift 2
trap 'asked=1' TERM
exec 3>&2 2>/dev/null
${FUNCTIONS}
stops() { ${[':', ...stops].join('; ')}; }
${starts.join('\n')}
tell running
( ${without.length === 0 ? '' : `unset ${without.join(' ')}; `}exec "$@" ) 2>&3 3>&-
code=$?
lost
end
exit "$code"`
  return ['/bin/sh', '-c', text, 'services', serviceLogs(dir), serviceData(dir), ...command]
}
