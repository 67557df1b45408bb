/** The pages that one can go to from anywhere. The menu, the keys and the palette are made of these. */

interface Place {
  name: string
  to: string
  /** Pressed after `g`. */
  key: string
}

export const PLACES = [
  { name: 'Needs you', to: '/', key: 'n' },
  { name: 'Board', to: '/board', key: 'b' },
  { name: 'Stories', to: '/stories', key: 's' },
  { name: 'Insights', to: '/insights', key: 'i' },
] as const satisfies readonly Place[]

/** For the help: what to press, and where it leads. */
export function goKeys(places: readonly Place[]): [keys: string, what: string][] {
  return places.map(({ name, key }) => [`g ${key}`, name])
}

/** Where the key leads after `g`. */
export function placeAt(pressed: string, places: readonly Place[]): string | undefined {
  return places.find(({ key }) => key === pressed)?.to
}
