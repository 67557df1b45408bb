/** The tools that a project may have, by purpose. tools/ finds them. */
export const TOOLS = ['typecheck', 'lint', 'unit-test', 'build', 'e2e'] as const
export type ToolName = (typeof TOOLS)[number]
