/**
 * What is done when a file of tests is through. A module's own `afterAll` belongs to the first file that loads it; where
 * files share a process, the others would leave everything behind. The setup file runs for each, and calls these.
 */
const deeds: (() => void)[] = []

/** Once, after the last test of the file that runs now. */
export function afterFile(deed: () => void): void {
  deeds.push(deed)
}

/** The newest first: a process ends before its folder goes. */
export function endFile(): void {
  for (const deed of deeds.splice(0).toReversed()) deed()
}
