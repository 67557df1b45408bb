/** Where people look at what GitHub's API tells. */

export function webAddress(apiUrl: string): string {
  // At GitHub's own hosts the API is a name beside the web, at an Enterprise server a path below it.
  return apiUrl.replace(/^https:\/\/api\.(github\.com|[^./]+\.ghe\.com)$/, 'https://$1').replace(/\/api\/v3$/, '')
}
