/** Limits on everything that a stranger, or a faulty program, can send or keep open. */

export const bodyBytesMax = 1024 * 1024
/** No request needs more; a parser could be made to recurse into it. */
export const jsonDepthMax = 32
export const pageItems = 50
/** Deliveries of a webhook that are remembered, two marks each, so that none is taken twice. */
export const deliveriesMax = 4_000
export const pageItemsMax = 500
export const cardsMax = 100
export const needsMax = 500

/** How long a client may take for the headers of a request, and for all of it. */
export const headersMs = 10_000
export const requestMs = 30_000
/** How often open connections are held against these. */
export const checkMs = 5_000
/** Between two requests on one connection. */
export const keepAliveMs = 5_000
/** A connection on which nothing moves at all for this long is closed; a stream has a heartbeat before that. */
export const silenceMs = 120_000
export const connectionsMax = 2_000
/** Of those that have sent nothing yet: whoever opens more loses the oldest, so that nobody keeps others out by saying nothing. */
export const silentMax = 128
/** How long an ending server waits for requests that are being answered. */
export const stopMs = 5_000

/** How long the key of a link is good for, and how many wait to be used at the most. */
export const linkMs = 10 * 60_000
export const linksMax = 100
/** How long a browser may stay away. */
export const sessionMs = 30 * 24 * 3_600_000

export const heartbeatMs = 15_000
/** What waits for one reader of a stream at the most; who reads slower than that is cut off, and resumes. */
export const queueBytesMax = 1024 * 1024
/** Events read from the store at once. */
export const pageEvents = 500
/** How many tasks' stories are remembered. */
export const rememberedTasksMax = 20_000
