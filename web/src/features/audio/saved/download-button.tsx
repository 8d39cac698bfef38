import { audioTexts } from '@fellowship/schema/audio/audio.texts'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { Check, Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useReducedData } from '../../../lib/comfort.ts'
import { fileSize } from '../../../lib/file-size.ts'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.ts'
import { useOffline } from '../../sync/use-device-sync.ts'
import { downloadTimings, mayDownload } from './download-guard.ts'
import { savedOf, useSavedShelf } from './saved.ts'
import type { Playable } from '../player/player-state.ts'

/**
 * Downloads the file from the server under its readable name; offline it uses the saved recording, if there is one.
 * Disabled for 2 s after a click.
 */
export function DownloadButton({ recording }: { recording: Playable }) {
  const { phase, start } = usePhases()
  const reduced = useReducedData()
  const shelf = useSavedShelf()
  const saved = savedOf(recording.audioUrl, shelf)
  const isOffline = useOffline()
  const cannot = isOffline && saved?.state !== 'ready'
  const onClick = () => {
    if (cannot || !mayDownload(recording.uid)) return
    start()
    if (isOffline && saved) void downloadFromDevice(saved)
    else saveFile(`${recording.audioUrl}?download=1`)
  }
  const Icon = phase === 'ready' ? Download : Check
  return (
    <>
      <Button icon={Icon} kind="secondary" onClick={onClick} aria-disabled={phase === 'locked' || cannot}>
        Download Audio{reduced && recording.bytes ? ` (${fileSize(recording.bytes)})` : ''}
        {cannot && <span className="sr-only"> (needs a connection)</span>}
      </Button>
      <output className="sr-only">{phase !== 'ready' && 'The download has started.'}</output>
    </>
  )
}

/** Locked after the start, then unlocked without accepting another start, then ready again. */
function usePhases() {
  const [phase, setPhase] = useState<'ready' | 'locked' | 'started'>('ready')
  const timers = useRef<ReturnType<typeof setTimeout>[]>([])
  useEffect(() => () => timers.current.forEach(clearTimeout), [])
  const start = () => {
    setPhase('locked')
    timers.current = [
      setTimeout(() => setPhase('started'), downloadTimings.lockMs),
      setTimeout(() => setPhase('ready'), downloadTimings.debounceMs),
    ]
  }
  return { phase, start }
}

/** The server sets the file name; `download` prevents an error response from replacing the page. */
function saveFile(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}

async function downloadFromDevice(saved: SavedRecording): Promise<void> {
  try {
    const { downloadSaved } = await import('./download-saved.ts')
    await downloadSaved(saved)
  } catch (error) {
    const description = sentenceOfError(error)
    showToast({ title: audioTexts.downloadFailed, description, kind: 'destructive' })
  }
}
