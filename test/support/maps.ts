/** Phase maps that tests use, as YAML on one line. */

/** A person says yes or no; the landing verifies. */
export const BY_PERSON =
  '{ implement: { run: agent implementer, on_pass: review, on_fail: implement }, review: { run: signal human-approval, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }'

/** Muster verifies the contract, and what passes lands. */
export const VERIFIED =
  '{ implement: { run: agent implementer, on_pass: verify, on_fail: implement }, verify: { run: check contract, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }'

/** A checker or a person accepts; the landing verifies. */
export const ACCEPTED =
  '{ implement: { run: agent implementer, on_pass: accept, on_fail: implement }, accept: { run: signal acceptance, on_pass: land, on_fail: implement }, land: { run: action merge, on_pass: done, on_fail: implement } }'
