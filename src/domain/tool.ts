/** The tools that a project may have, by what they are for. How they are found is in tools/. */
export const TOOLS = ['typecheck', 'lint', 'unit-test', 'build', 'e2e'] as const
export type ToolName = (typeof TOOLS)[number]
