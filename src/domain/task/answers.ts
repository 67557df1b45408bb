/** Who answered criteria that no machine answers, by id. It binds one snapshot and one contract. */
export interface Answers {
  commit: string
  contract: string
  by: Readonly<Record<string, string>>
}
