/** How much Muster asks of GitHub at a time, and how long it waits after a refusal. */

export const requestMs = 30_000
export const answerBytesMax = 32 * 1024 * 1024
/** The most that GitHub gives at once. */
export const pageItems = 100
/** More reviews, comments or checks than that are no review any more. */
export const pagesMax = 30
/** Answers that are kept to be asked about by their tag. */
export const rememberedMax = 500

/** After a limit that names no time; GitHub asks for a minute at the least. */
export const limitMs = 60_000
/** No limit is believed to last longer. */
export const limitMsMax = 2 * 60 * 60 * 1000
/** After an answer that was none: doubled each time, up to the longest. */
export const troubleMs = 2_000
export const troubleMsMax = 2 * 60 * 1000
