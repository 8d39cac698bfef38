import {
  type Handout,
  handoutAddress,
  handoutCache,
  shownHandout,
} from '@fellowship/schema/handouts/handout-file'
import { handoutTypes } from '@fellowship/schema/handouts/handouts.limits'
import { FileText, Image as ImageIcon } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import { fileSize } from '../../lib/file-size.ts'
import { useOnline } from '../../lib/use-online.ts'

interface HandoutListProps {
  handouts: readonly Handout[] | null | undefined
  level?: 'h2' | 'h3'
}

/** The handouts of a teaching; each opens in the viewer of the browser. */
export function HandoutList({ handouts, level: Heading = 'h2' }: HandoutListProps) {
  const id = useId()
  const isHere = useOnDevice(handouts)
  if (!handouts || handouts.length === 0) return null
  return (
    <section aria-labelledby={id} className="mt-6 max-w-3xl border-t border-line pt-5 print:hidden">
      <Heading id={id} className="text-lg">
        Handouts
      </Heading>
      <ul className="mt-2">
        {handouts.map((handout) => (
          <li key={handout.hash}>
            {isHere(handout) ? (
              <a
                href={handoutAddress(handout)}
                target="_blank"
                rel="noopener"
                className={`${lineClass} hover:bg-pine-tint`}
              >
                <HandoutWords handout={handout} linked />
              </a>
            ) : (
              <p className={lineClass}>
                <HandoutWords handout={handout} note="Not on this device" />
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

const lineClass = '-mx-3 flex min-h-11 items-center gap-4 rounded-card px-3 py-2.5'

interface HandoutWordsProps {
  handout: Handout
  linked?: boolean
  note?: string
}

/** The name of a handout, with its type and size. */
export function HandoutWords({ handout, linked = false, note }: HandoutWordsProps) {
  const Icon = handout.type === 'pdf' ? FileText : ImageIcon
  return (
    <>
      <Icon className="size-5 shrink-0 text-soft" />
      <span className="min-w-0 grow wrap-anywhere">
        <span className={linked ? 'text-pine underline underline-offset-4' : undefined}>
          {shownHandout(handout)}
        </span>{' '}
        <span className="dotted block text-small text-soft">
          <span>{handoutTypes[handout.type].label}</span> <span>{fileSize(handout.bytes)}</span>{' '}
          {note && <span>{note}</span>}
        </span>
      </span>
    </>
  )
}

/** Whether a handout can be opened now: online, or because it was saved with its recording. */
function useOnDevice(handouts: HandoutListProps['handouts']): (handout: Handout) => boolean {
  const online = useOnline()
  const [missing, setMissing] = useState<readonly string[]>([])
  useEffect(() => {
    if (online || !handouts) return undefined
    let isCurrent = true
    void missingOf(handouts).then((hashes) => isCurrent && setMissing(hashes))
    return () => {
      isCurrent = false
    }
  }, [online, handouts])
  return ({ hash }) => online || !missing.includes(hash)
}

async function missingOf(handouts: readonly Handout[]): Promise<string[]> {
  // Browsers that block storage have none.
  const cache = await (globalThis.caches as CacheStorage | undefined)
    ?.open(handoutCache)
    .catch(() => undefined)
  const kept = await Promise.all(handouts.map(async (handout) => cache?.match(handoutAddress(handout))))
  return handouts.filter((_, at) => !kept[at]).map(({ hash }) => hash)
}
