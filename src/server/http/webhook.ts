/**
 * What a forge sends when something happened there: verified over the bytes as they came, taken once, and used as a sign
 * to look and nothing else. Nothing of what it says is believed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from './problems.ts'
import { deliveriesMax } from './limits.ts'

export class Webhook {
  readonly #secret: () => string | undefined
  /** Ids and signatures of deliveries that were taken, oldest first: the id is not signed, the body is. */
  readonly #taken = new Set<string>()

  constructor(secret: () => string | undefined) {
    this.#secret = secret
  }

  /** Whether anything is listened to. */
  get isOpen(): boolean {
    return (this.#secret() ?? '') !== ''
  }

  /** Whether it is news. Throws unless whoever sent it has the secret. */
  take(headers: IncomingHttpHeaders, body: Buffer): boolean {
    const given = String(headers['x-hub-signature-256'] ?? '')
    const digest = createHmac('sha256', this.#secret() ?? '')
      .update(body)
      .digest('hex')
    // Compared as bytes: a header may hold characters that are more than one.
    const [said, wanted] = [Buffer.from(given), Buffer.from(`sha256=${digest}`)]
    if (!this.isOpen || said.length !== wanted.length || !timingSafeEqual(said, wanted)) {
      throw new HttpError(
        'unauthorized',
        'the delivery is not signed with the secret of this webhook',
        'give the webhook the secret that forge.webhookSecretEnv in muster.yaml names',
      )
    }
    const marks = [`id ${String(headers['x-github-delivery'] ?? '')}`, given]
    const isKnown = marks.some((mark) => this.#taken.has(mark))
    for (const mark of marks) this.#taken.add(mark)
    for (const mark of this.#taken) {
      if (this.#taken.size <= deliveriesMax) break
      this.#taken.delete(mark)
    }
    return !isKnown
  }
}
