/**
 * The files of a repository that tell agents what to do. The paths are those that agent programs gave them, and others
 * read them as well: they say nothing of which program Muster starts.
 */

/** Where definitions of roles are: Muster's own first, which win. */
export const DEFINITION_FOLDERS = ['.muster/agents', '.claude/agents'] as const

/** What agent programs look for at the top of a repository. */
export const GUIDES = ['AGENTS.md', 'CLAUDE.md'] as const

/** Markdown of these names is the input of programs, wherever it is. In lower case. */
export const INSTRUCTIONS = ['agents.md', 'claude.md', 'gemini.md', 'skill.md'] as const

/** And all that is in these folders. */
export const AGENT_FOLDERS = ['.claude', '.codex', '.cursor', '.gemini', '.muster'] as const
