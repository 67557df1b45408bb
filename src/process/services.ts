/**
 * Starts services beside a command, in its process group and in its sandbox: whatever ends the command ends them too,
 * also when Muster was killed, and the command can reach them in every kind of sandbox. A shell does it, because every
 * sandbox and image has one. Its state file can only make a result worse.
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
 * Shell functions. Their variables have a prefix: a shell that sets one of the environment's changes it for all that it
 * starts, and people's own are called `name` and `dir`. In `$muster_dir/<name>`: `log` and its tails in the form of log.ts, `exit` once the service has ended, `over`
 * once nothing of it writes any more, `try` once a `ready` or `stop` has ended, and `said`, what that printed. What outlives
 * this shell redirects with `exec`: a shell that redirects a group of commands keeps the old descriptors open.
 */
const FUNCTIONS = `left() {
  if read -r muster_now muster_rest </proc/uptime; then muster_now=\${muster_now%.*}\${muster_now#*.}; else muster_now=$(date +%s)00; fi
  [ "$muster_now" -le "$muster_limit" ]
}
within() {
  muster_limit=0
  left
  muster_limit=$((muster_now + $1))
}
tell() { echo "$*" >"$muster_dir/${serviceState}"; }
own() {
  MUSTER_PORT=$2 MUSTER_SERVICE_DIR=$muster_data/$1
  export MUSTER_PORT MUSTER_SERVICE_DIR
  unset $3
  exec /bin/sh -c "$4"
}
keep() {
  trap '' TERM
  dd bs=4096 count=${headBlocks} of="$1/log"
  muster_at=$(($(wc -c <"$1/log"))) muster_n=0
  while dd bs=4096 count=1 of="$1/next"; [ -s "$1/next" ]; do
    rm -f "$1/log.tail.$muster_n"
    { printf '%0${offsetDigits}d\\n' "$muster_at"; cat "$1/next"; dd bs=4096 count=${tailBlocks}; } >"$1/log.tail.$muster_n"
    muster_at=$((muster_at + $(wc -c <"$1/log.tail.$muster_n") - ${segmentHeaderBytes})) muster_n=$((1 - muster_n))
  done
  : >"$1/over"
}
try() {
  rm -f "$muster_dir/$1/try"
  muster_tries=$((muster_tries + 1))
  ( exec </dev/null 3>&-; ( exec 2>&1; own "$@" ); echo $? >"$muster_dir/$1/try" ) |
    ( exec >/dev/null 3>&-; dd bs=4096 count=${saidBlocks} of="$muster_dir/$1/saying.$muster_tries"; mv "$muster_dir/$1/saying.$muster_tries" "$muster_dir/$1/said"; cat ) &
}
fail() {
  tell "$@"
  end
  exit 1
}
alive() {
  [ -z "$muster_asked" ] || fail starting "$muster_name"
  [ ! -s "$muster_dir/$muster_name/exit" ] || fail ended "$muster_name" "$(cat "$muster_dir/$muster_name/exit")"
  left || fail unready "$muster_name"
  sleep ${pauseSeconds}
}
start() {
  muster_name=$1
  tell starting "$muster_name"
  within "$6"
  mkdir -p "$muster_dir/$muster_name" "$muster_data/$muster_name"
  ( exec </dev/null 3>&-; trap '' TERM; ( trap - TERM; exec 2>&1; own "$@" ); echo $? >"$muster_dir/$muster_name/exit" ) |
    ( exec >/dev/null 3>&-; keep "$muster_dir/$muster_name" ) &
  until [ "$(cat "$muster_dir/$muster_name/try")" = 0 ]; do
    try "$muster_name" "$2" "$3" "$5"
    alive
    until [ -s "$muster_dir/$muster_name/try" ]; do alive; done
  done
  [ ! -s "$muster_dir/$muster_name/exit" ] || alive
}
stop() {
  [ -d "$muster_dir/$1" ] || return 0
  try "$@"
  within "$muster_stop"
  while left && [ ! -s "$muster_dir/$1/try" ]; do sleep ${pauseSeconds}; done
}
ended() {
  for muster_name in $muster_names; do
    [ ! -d "$muster_dir/$muster_name" ] || [ -e "$muster_dir/$muster_name/over" ] || return 1
  done
}
end() {
  stops
  kill 0
  within "$muster_end"
  while left && ! ended; do sleep ${pauseSeconds}; done
}
lost() {
  for muster_name in $muster_names; do
    [ ! -s "$muster_dir/$muster_name/exit" ] || tell lost "$muster_name" "$(cat "$muster_dir/$muster_name/exit")"
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
  const text = `muster_dir=$1 muster_data=$2 muster_names='${names}' muster_stop=${stopMs / 10} muster_end=${endMs / 10} muster_asked= muster_tries=0
shift 2
trap 'muster_asked=1' TERM
exec 3>&2 2>/dev/null
${FUNCTIONS}
stops() { ${[':', ...stops].join('; ')}; }
${starts.join('\n')}
tell running
( ${without.length === 0 ? '' : `unset ${without.join(' ')}; `}exec "$@" ) 2>&3 3>&-
muster_code=$?
lost
end
exit "$muster_code"`
  return ['/bin/sh', '-c', text, 'services', serviceLogs(dir), serviceData(dir), ...command]
}
