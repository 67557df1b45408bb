/** Puts a text on the clipboard, exactly as it is. */
import { useState } from 'react'

export function CopyButton({ text }: { text: string }) {
  const [said, setSaid] = useState('Copy')
  // Browsers give a page the clipboard on this machine, or with TLS.
  if (navigator.clipboard === undefined) return null
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Your browser does not allow copying'),
    )
  return (
    <button type="button" onClick={() => void copy()}>
      {said}
    </button>
  )
}
