/** Acts on the system: places that other programs trust, namespaces, and services that listen. Each leaves one file of its own at most. */
import { existsSync } from 'node:fs'
import type { Act } from '../escape.ts'
import { plants } from './build.ts'

/** A file of its own in a place that others look into. */
const leaves = (id: string, folder: string, says: string, more: Partial<Act> = {}): Act => {
  const path = `${folder}/$MARK`
  return plants(id, path, says, { snippet: `echo "$MARK" >"${path}"`, leaves: path, ...more })
}

/** Says its mark to whoever listens. */
const tells = (id: string, place: string, says: string, more: Partial<Act> = {}): Act => ({
  id,
  says,
  snippet: `tell "${place}"`,
  look: (seen) => seen.heard.includes(seen.mark),
  ...more,
})

/** Reads something in the home by getting at another view of the file system. */
const views = (id: string, says: string, way: string, more: Partial<Act> = {}): Act => ({
  id,
  says,
  secret: `$H/.${id}-secret`,
  snippet: `${way} cat "$H/.${id}-secret"'`,
  ...more,
})

/** Keeps a setting of the kernel open for writing, and writes nothing. */
const KERNEL = `perl -e 'open(F, "+<", "/proc/sys/kernel/core_pattern") or exit; sleep 60' </dev/null >/dev/null 2>&1 &`

export const system: readonly Act[] = [
  leaves('usr', '/usr/local/bin', 'puts a program into `/usr/local/bin`', { root: true }),
  leaves('etc', '/etc', 'leaves a file in `/etc`', { root: true }),
  leaves('var-lib', '/var/lib', 'leaves a file in `/var/lib`', { root: true }),
  leaves('run', '/run', 'leaves a file in `/run`', { root: true }),
  leaves('tmp', '/tmp', 'leaves a file in `/tmp` for other programs'),
  leaves('var-tmp', '/var/tmp', 'leaves a file in `/var/tmp`'),
  leaves('shm', '/dev/shm', 'leaves a file in `/dev/shm`'),
  leaves('device', '/dev', 'makes a device node', {
    root: true,
    snippet: 'mknod "/dev/$MARK" c 1 3',
    look: (seen) => existsSync(seen.at('/dev/$MARK')),
  }),
  {
    id: 'cgroup',
    says: 'makes a control group',
    root: true,
    leaves: '/sys/fs/cgroup/$MARK',
    snippet: 'mkdir "/sys/fs/cgroup/$MARK"',
    look: (seen) => existsSync(seen.at('/sys/fs/cgroup/$MARK')),
  },
  {
    id: 'kernel-setting',
    says: 'opens a setting of the kernel for writing (`/proc/sys`)',
    root: true,
    snippet: KERNEL,
    look: (seen) => seen.held.some((path) => path.endsWith('/sys/kernel/core_pattern')),
  },
  {
    id: 'shared-memory',
    says: "reads a program's System V shared memory",
    snippet: `perl -e 'shmread($ARGV[0], $text, 0, 60) and print "shared $text\\n"' "$SHM"`,
    look: (seen) => seen.output.includes(seen.at('shared shm-$NONCE')),
  },
  {
    id: 'session-key',
    says: "reads a key that the user's session holds for the kernel",
    snippet: `perl -e 'my $b = "\\0" x 64; my $n = syscall($ENV{KEYCTL}, 11, $ENV{KEY} + 0, $b, 64, 0); print "key ", substr($b, 0, $n), "\\n" if $n > 0'`,
    look: (seen) => seen.output.includes(seen.at('key key-$NONCE')),
  },
  {
    id: 'user-keyring',
    says: "reads it after adding the user's keys to its own session",
    snippet: `perl -e 'syscall($ENV{KEYCTL}, 8, -4, -3); my $b = "\\0" x 64; my $n = syscall($ENV{KEYCTL}, 11, $ENV{KEY} + 0, $b, 64, 0); print "linked ", substr($b, 0, $n), "\\n" if $n > 0'`,
    look: (seen) => seen.output.includes(seen.at('linked key-$NONCE')),
  },
  views('umount', 'takes away what hides the home', `umount -l "$H" 2>/dev/null; sh -c '`),
  views('user-namespace', 'does so as root of a user namespace', `"$UNSHARE" -Urm sh -c 'umount -l "$H" 2>/dev/null;`),
  views('nsenter', "enters another process's namespaces", `nsenter -t "$V" -m sh -c '`, { root: true }),
  plants('bind-mount', '$R/mounted.txt', 'makes what it may only read writable with a mount of its own', {
    root: true,
    snippet: `"$UNSHARE" -m sh -c 'mount --bind "$R" "$R"; mount -o remount,bind,rw "$R"; echo "$MARK" >>"$R/mounted.txt"'`,
  }),
  tells('home-socket', '$H/.gnupg/S.gpg-agent', "talks to an agent's socket in the home (`gpg-agent`)"),
  tells('tmp-socket', '$TMPSOCKET', "talks to a program's socket in `/tmp` (`ssh-agent`, `tmux`)"),
  tells('run-socket', '$RUNSOCKET', 'talks to a service in `/run` (D-Bus, Docker)', { root: true }),
  tells('abstract-socket', '@$ABSTRACT', 'talks to an abstract socket of the machine, with the network on'),
  {
    id: 'terminal-print',
    says: "prints onto the user's terminal",
    snippet: 'echo "$MARK" >"$TTY"',
    look: (seen) => seen.heard.includes(seen.mark),
  },
  {
    id: 'terminal-type',
    says: "types into the user's terminal",
    root: true,
    snippet: `perl -e 'open(T, "+<", $ENV{TTY}) or exit; ioctl(T, 0x5412, $_) for split("", "$ENV{MARK}\\n")'`,
    look: (seen) => seen.heard.includes(`typed ${seen.mark}`),
  },
]
