/**
 * Webhook deliveries of a forge: verified over the exact bytes, accepted once, and used only as a signal to read the
 * forge again. Nothing in them is believed.
 */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from './problems.ts'
import type { Kinds } from '../../config/kinds.ts'
import { deliveriesMax } from './limits.ts'

type ForgeWebhook = NonNullable<Kinds['forges'][number]['webhook']>

export class Webhook {
  readonly #secret: (type: string) => string | undefined
  /** Ids and signatures of deliveries that were taken, oldest first: the id is not signed, the body is. */
  readonly #taken = new Set<string>()

  /** `secret`: with which such a forge signs; undefined: it is not listened to. */
  constructor(secret: (type: string) => string | undefined) {
    this.#secret = secret
  }

  /** Whether such a forge is listened to. */
  isOpen(type: string): boolean {
    return (this.#secret(type) ?? '') !== ''
  }

  /** Whether it is news. Throws unless whoever sent it has the secret. */
  take(type: string, how: ForgeWebhook, headers: IncomingHttpHeaders, body: Buffer): boolean {
    const { id, signature } = how.marks(headers)
    // Compared as bytes: a header may hold characters that are more than one.
    const [said, wanted] = [Buffer.from(signature), Buffer.from(how.sign(this.#secret(type) ?? '', body))]
    if (!this.isOpen(type) || said.length !== wanted.length || !timingSafeEqual(said, wanted)) {
      throw new HttpError(
        'unauthorized',
        'the signature of the delivery does not match the webhook secret',
        'set the same secret at the webhook and in the variable that forge.webhookSecretEnv names',
      )
    }
    const both = [`id ${id}`, signature]
    const isKnown = both.some((mark) => this.#taken.has(mark))
    for (const mark of both) this.#taken.add(mark)
    for (const mark of this.#taken) {
      if (this.#taken.size <= deliveriesMax) break
      this.#taken.delete(mark)
    }
    return !isKnown
  }
}
