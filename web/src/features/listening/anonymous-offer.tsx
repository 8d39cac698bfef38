import { formatDate, plainDateAt } from '@fellowship/schema/dates'
import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import type { ListeningKind } from '@fellowship/schema/listening/listening.schema'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { type AnonymousEntry, readAnonymous } from '@fellowship/sync/client/listening/anonymous.store'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { useDeviceQuery } from '../sync/use-device-query.ts'
import { claimAnonymousListening } from './keeping.device.ts'

/** Lists the anonymous listening data of this device, and asks whether it is this person's. */
export function AnonymousOffer({ userId }: { userId: number }) {
  const entries = useDeviceQuery(() => readAnonymous(), [], none)
  const [pending, setPending] = useState(false)
  if (entries.length === 0) return null
  const add = async () => {
    setPending(true)
    await claimAnonymousListening(userId)
    setPending(false)
  }
  return (
    <Card className="mt-4 max-w-3xl p-4">
      <p className="text-small text-soft">{texts.anonymous}</p>
      <p className="mt-2">{countsOf(entries)}</p>
      <ul className="mt-2 list-disc pl-5 text-small wrap-anywhere">
        {entries.slice(0, listed).map((entry) => (
          <li key={entry.id}>{wordsOf(entry)}</li>
        ))}
        {entries.length > listed && <li>{texts.andMore(entries.length - listed)}</li>}
      </ul>
      <Button kind="secondary" className="mt-3" pending={pending} onClick={() => void add()}>
        Add it to mine
      </Button>
    </Card>
  )
}

const none: AnonymousEntry[] = []
const listed = 8
const kinds: readonly ListeningKind[] = ['position', 'note', 'marks', 'upNext']

/** '2 places, 1 note' */
const countsOf = (entries: readonly AnonymousEntry[]): string =>
  kinds
    .map((kind) => [kind, entries.filter((entry) => entry.kind === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => texts.anonymousKinds[kind](count))
    .join(', ')

/** 'Note, 3 November 2026, The True Vine: “pray for…”' */
function wordsOf({ kind, title, words, at }: AnonymousEntry): string {
  const about = title === undefined ? texts.goneTeaching : withSpaces(title)
  const begin = words && (words.length > shownWords ? `${words.slice(0, shownWords).trimEnd()}…` : words)
  return `${texts.anonymousEntry[kind]}, ${formatDate(plainDateAt(new Date(at)))}, ${about}${begin ? `: “${begin}”` : ''}`
}

const shownWords = 60
