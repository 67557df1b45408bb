/** Sizes as people read them: `512 B`, `4.1 MB`, `12 GB`. */

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

export function formatBytes(bytes: number): string {
  let [size, unit] = [bytes, 0]
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1024
    unit += 1
  }
  return `${unit > 0 && size < 9.95 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`
}
