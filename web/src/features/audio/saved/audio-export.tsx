import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { Package } from 'lucide-react'
import { useState } from 'react'
import { holdPage } from '../../../lib/busy.ts'
import { classNames } from '../../../lib/class-names.ts'
import { downloadFile } from '../../../lib/download-file.ts'
import { fileSize } from '../../../lib/file-size.ts'
import { useOnline } from '../../../lib/use-online.ts'
import { Button } from '../../../ui/button.tsx'
import type { ExportChoice } from './pack-export.ts'

/** Exports all saved recordings as a ZIP for a USB stick or a car; the button shows the size before it begins. */
export function AudioExport({
  recordings,
  rows,
}: {
  recordings: readonly SavedRecording[]
  rows: readonly ListedTeaching[]
}) {
  const isOnline = useOnline()
  const [wantsSmall, setWantsSmall] = useState(false)
  const asSaved = recordings
    .filter(({ state }) => state === 'ready')
    .map((recording) => choiceOf(recording, rows))
  const canBeSmaller = isOnline && asSaved.some(({ small }) => small)
  const ready = wantsSmall && canBeSmaller ? asSaved : asSaved.map((each) => ({ ...each, small: undefined }))
  const bytes = bytesOf(ready)
  const [share, setShare] = useState<number | null>(null)
  const [outcome, setOutcome] = useState<{ words: string; failed?: boolean }>()
  const pack = async () => {
    const release = holdPage()
    setOutcome(undefined)
    setShare(0)
    try {
      const { packExport } = await import('./pack-export.ts')
      let parts = 0
      for await (const { name, zip } of packExport(ready, setShare)) {
        await downloadFile(name, zip)
        parts += 1
      }
      setOutcome({ words: parts === 1 ? 'The ZIP file is ready.' : `${parts} ZIP files are ready.` })
    } catch (error) {
      setOutcome({ words: error instanceof Error ? error.message : String(error), failed: true })
    } finally {
      setShare(null)
      release()
    }
  }
  return (
    <section aria-labelledby="audio-export" className="mt-6 border-t border-line pt-5">
      <h3 id="audio-export" className="text-lg">
        Copy to USB or car stereo
      </h3>
      <p className="mt-1 text-small text-soft">
        A ZIP file with numbered files and a playlist, for any player.
      </p>
      {canBeSmaller && (
        <label className="mt-2 flex min-h-11 items-center gap-3 text-base">
          <input
            type="checkbox"
            checked={wantsSmall}
            onChange={({ target }) => setWantsSmall(target.checked)}
            className="size-5 shrink-0 accent-pine"
          />
          <span>Use small copies ({fileSize(toFetch(asSaved))} to download)</span>
        </label>
      )}
      <Button
        icon={Package}
        kind="secondary"
        className="mt-3"
        pending={share !== null}
        pendingLabel={`Packing... ${Math.floor((share ?? 0) * 100)} %`}
        onClick={() => void pack()}
      >
        Make a ZIP of {ready.length} ({fileSize(bytes)})
      </Button>
      <output className={classNames('mt-2 block text-small', outcome?.failed ? 'text-brick' : 'text-leaf')}>
        {outcome?.words}
      </output>
    </section>
  )
}

/** Adds the library's scripture reference, and the small copy if the original is saved. */
function choiceOf(recording: SavedRecording, rows: readonly ListedTeaching[]): ExportChoice {
  const teaching = rows.find(({ uid }) => uid === recording.teachingUid)
  const { copyUrl, copyBytes, audioUrl, scriptureReference } = teaching ?? {}
  const small =
    copyUrl && copyBytes && recording.url === audioUrl ? { url: copyUrl, bytes: copyBytes } : undefined
  return { recording, scriptureReference, small }
}

const bytesOf = (all: readonly ExportChoice[]) =>
  all.reduce((sum, { recording, small }) => sum + (small?.bytes ?? recording.size), 0)

const toFetch = (all: readonly ExportChoice[]) => all.reduce((sum, { small }) => sum + (small?.bytes ?? 0), 0)
