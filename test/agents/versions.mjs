/** The agent programs that the tests run, and the versions that their behaviour was measured with. */
export const VERSIONS = {
  claude: { name: '@anthropic-ai/claude-code', version: '2.1.325' },
  codex: { name: '@openai/codex', version: '0.166.0' },
}
