/** Sizes as people read and write them: `512 B`, `4.1 MB`, `12 GB`; `500m`, `4g`. */

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

export function formatBytes(bytes: number): string {
  let [size, unit] = [bytes, 0]
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1024
    unit += 1
  }
  return `${unit > 0 && size < 9.95 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`
}

/** Bytes, or null when the text is no size. A bare number is refused: it has no unit. */
export function parseBytes(text: string): number | null {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt])b?$/i.exec(text.trim()) ?? []
  return number === undefined ? null : Math.round(Number(number) * 1024 ** ('kmgt'.indexOf(unit.toLowerCase()) + 1))
}
