/** What tells the branches of this Muster from those of others at the same repository: their tasks have the same names. */
import type { Random } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'

/** Made once. */
export async function tagIn(store: Store, random: Random): Promise<string> {
  const known = await store.setting('forge-tag')
  if (known !== null) return known
  const fresh = random.nonce().slice(0, 6)
  await store.setSetting('forge-tag', fresh)
  return fresh
}
