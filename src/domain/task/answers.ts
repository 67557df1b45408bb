/**
 * Answers to criteria that no machine can judge: who gave each, by id. They apply to one snapshot and one contract.
 */
export interface Answers {
  commit: string
  contract: string
  by: Readonly<Record<string, string>>
}
