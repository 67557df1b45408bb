/** What GitHub's refusals mean, in words: which of the token's permissions is missing, and what to do about it. */
import { MusterError } from '../../domain/errors.ts'
import type { HttpParts, Said } from './said.ts'

/** The permission of a fine-grained token that a path needs; a classic one needs the scope repo for all of them. */
const NEEDED: readonly [RegExp, string][] = [
  [/^\/pulls\/\d+\/merge/, '"Contents: write" and "Pull requests: write"'],
  [/^\/pulls/, '"Pull requests: write"'],
  [/^\/issues/, '"Issues: read"'],
  [/^\/statuses\//, '"Commit statuses: write"'],
  [/^\/commits\/[^/]+\/status/, '"Commit statuses: read"'],
  [/^\/commits\/[^/]+\/check-runs/, '"Checks: read"'],
  [/^\/branches\//, '"Contents: read"'],
  [/^\/rules\//, '"Metadata: read"'],
]

export function refusal(
  { status, body, headers }: Said,
  method: string,
  path: string,
  { repository, tokenEnv }: Pick<HttpParts, 'repository' | 'tokenEnv'>,
): MusterError {
  const said = message(body)
  const needed = NEEDED.find(([pattern]) => pattern.test(path))?.[1] ?? '"Metadata: read"'
  const scopes = headers.get('x-oauth-scopes')
  const has = scopes === null ? '' : ` (it has: ${scopes === '' ? 'none' : scopes})`
  if (status >= 300 && status < 400) {
    return new MusterError('not_found', `${repository} has moved to another name`, {
      hint: 'set its new name at forge.repository in muster.yaml',
    })
  }
  if (status === 401) {
    return new MusterError('not_allowed', `GitHub does not know the token in ${tokenEnv}: ${said}`, {
      hint: `it has expired or was revoked: create a new one, export ${tokenEnv}=…, and start again`,
    })
  }
  if (status === 403) {
    return new MusterError(
      'not_allowed',
      `the token in ${tokenEnv} is not allowed to do this at ${repository}: ${said}`,
      {
        hint: `it needs ${needed} (fine-grained), or the scope repo (classic)${has}`,
      },
    )
  }
  if (status === 404) {
    return new MusterError('not_found', `GitHub shows the token in ${tokenEnv} nothing at ${repository}${path}`, {
      hint: `check forge.repository in muster.yaml. If it is right, the token needs ${needed} (fine-grained), or the scope repo (classic)${has}`,
    })
  }
  const where = `${method} ${path}`
  return new MusterError('failed', `GitHub refuses ${where} (${status}): ${said}`, {
    hint: 'fix what GitHub names; docs/forge.md lists what Muster needs there',
  })
}

/** What it says, with the reasons of a 422. */
function message(body: unknown): string {
  const { message: said = 'it said nothing', errors = [] } = Object(body) as { message?: unknown; errors?: unknown[] }
  const more = (Array.isArray(errors) ? errors : []).map((error) =>
    typeof error === 'string' ? error : String(Object(error)['message'] ?? Object(error)['code'] ?? ''),
  )
  return [String(said), ...more.filter(Boolean)].join('; ').slice(0, 500)
}
