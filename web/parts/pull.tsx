/** The link to a pull request. The server builds its address from the project's configuration. */
import { Text } from './text.tsx'

/** Without a server there is a name, and nothing to open. */
export const opens = (address: string | null): address is string => /^https?:\/\//.test(address ?? '')

/** `children`: in place of the address. */
export function PullLink({ address, children }: { address: string; children?: string }) {
  if (!opens(address)) return <code>{address}</code>
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {children ?? <Text>{address}</Text>}
    </a>
  )
}
