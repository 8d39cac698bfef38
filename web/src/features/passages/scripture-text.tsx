import { lazy, Suspense } from 'react'
import { useNamedPassages } from './use-passages.ts'

// Plain text if the module fails to load.
const LinkedText = lazy(() =>
  import('./linked-text.tsx').then(
    (m) => ({ default: m.LinkedText }),
    () => ({ default: ({ text }: { text: string }) => [text] }),
  ),
)

/**
 * Text whose scripture references open their passage: only 'Book Chapter:Verse' and 'Book Chapter:Verse-Verse', and only if
 * the passage table has them. Until the device has read the table, the plain text in the same place.
 */
export function ScriptureText({ text }: { text: string }) {
  const passages = useNamedPassages()
  if (!passages || passages.size === 0) return text
  return (
    <Suspense fallback={text}>
      <LinkedText text={text} passages={passages} />
    </Suspense>
  )
}
