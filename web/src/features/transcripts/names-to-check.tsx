import { misspeltNames } from '@fellowship/schema/speech/misspelt-names'
import { replaceWords } from '@fellowship/schema/transcripts/edit-sentences'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import type { Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import { call } from '@fellowship/sync/call/call'
import { ArrowRight } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { readStored, store } from '../../lib/site-storage.ts'
import { Button } from '../../ui/button.tsx'

interface NamesToCheckProps {
  sentences: readonly Sentence[]
  onChange: (next: readonly Sentence[]) => void
}

/** Spellings that are near a name of the church's list; a press replaces each of them in the whole text. */
export function NamesToCheck({ sentences, onChange }: NamesToCheckProps) {
  const words = useChurchWords()
  const misspelt = useMemo(() => misspeltNames(sentences, words), [sentences, words])
  if (misspelt.length === 0) return null
  return (
    <section aria-labelledby="names-to-check" className="mt-4">
      <h3 id="names-to-check" className="text-small font-medium">
        Names to check
      </h3>
      <ul className="mt-2 flex flex-wrap gap-2">
        {misspelt.map(({ found, right, count }) => (
          <li key={found}>
            <Button
              kind="secondary"
              className="text-small"
              onClick={() => onChange(replaceWords(sentences, found, right).sentences)}
            >
              <span className="sr-only">Replace </span>
              {found} <ArrowRight aria-hidden className="size-4" />
              <span className="sr-only"> by </span>
              {right}
              {count > 1 && ` (${count})`}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

const place = 'names-and-words'

/** The list of the church, as it was read last if the server does not answer. */
function useChurchWords(): string {
  const [words, setWords] = useState(() => {
    const stored = readStored(place)
    return typeof stored === 'string' ? stored : ''
  })
  useEffect(() => {
    call(transcripts.words).then(
      (answer) => {
        setWords(answer.words)
        store(place, answer.words || undefined)
      },
      () => undefined,
    )
  }, [])
  return words
}
