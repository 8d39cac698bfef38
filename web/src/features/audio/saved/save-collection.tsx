import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { CloudDownload } from 'lucide-react'
import { fileSize } from '../../../lib/file-size.ts'
import { Button } from '../../../ui/button.tsx'
import { lazyPart } from '../../../ui/lazy-part.tsx'
import { savedOf, useSavedShelf } from './saved.ts'
import { noRoomSentence } from './saved-status.ts'
import { useMissing } from './use-missing.ts'
import { useWish } from './use-save-request.ts'

const AudioExport = lazyPart(() => import('./audio-export.tsx'), 'AudioExport')

interface CollectionProps {
  /** All teachings of the collection, in their order. */
  rows: readonly Teaching[]
}

/** Saves all of a collection on this device; the button shows the size. */
export function SaveCollection({ rows }: CollectionProps) {
  const shelf = useSavedShelf()
  const { wish, noRoom } = useWish()
  const { missing, words, bytes, save } = useMissing(rows, wish)
  if (shelf.status === 'unknown' || shelf.status === 'unavailable') return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 print:hidden">
      {missing.length > 0 ? (
        <Button icon={CloudDownload} kind="secondary" onClick={save}>
          {missing.length === 1 ? 'Save' : 'Save all'} {missing.length} ({fileSize(bytes)})
        </Button>
      ) : (
        rows.some(({ audioUrl }) => audioUrl) && <p className="text-small text-soft">{words}</p>
      )}
      <output className="block text-small text-brick">{noRoom && noRoomSentence}</output>
    </div>
  )
}

export function PackCollection({ rows }: CollectionProps) {
  const shelf = useSavedShelf()
  const ready = rows.flatMap(({ audioUrl, copyUrl }) => {
    const found = [savedOf(audioUrl, shelf), savedOf(copyUrl, shelf)]
    return found.find((recording) => recording?.state === 'ready') ?? []
  })
  if (ready.length === 0) return null
  return (
    <div className="print:hidden">
      <AudioExport recordings={ready} rows={rows} />
    </div>
  )
}
