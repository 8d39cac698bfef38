import { outboxTexts as texts } from '@fellowship/schema/sync/outbox.texts'
import { useNavigate } from '@tanstack/react-router'
import { CloudUpload, LogIn, TriangleAlert, Unplug } from 'lucide-react'
import { useState } from 'react'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { asDialog, lazyPart } from '../../ui/lazy-part.tsx'
import { countUnownedUploads, readEntries, type OutboxEntry } from './outbox.device.ts'
import { useDeviceQuery } from './use-device-query.ts'
import { unsentWords } from './unsent-words.ts'
import { useDeviceSync, useOffline } from './use-device-sync.ts'

const AttentionDialog = lazyPart(() => import('./attention-dialog.tsx'), 'AttentionDialog', asDialog)

/**
 * The outbox entries of a user that need attention, with their actions. Mount it per user, with a key: a live query shows
 * its last result until the next one is read.
 */
export function OutboxStatus({ userId }: { userId: number | undefined }) {
  const entries = useDeviceQuery(() => readEntries(userId), [userId], none)
  // If a user is signed in, the upload panel lists these.
  const uploads = useDeviceQuery(() => countUnownedUploads(userId), [userId], 0)
  const [looking, setLooking] = useState(false)
  const isOffline = useOffline()
  const inMemory = useDeviceSync()?.inMemory === true
  const navigate = useNavigate()
  const undecided = entries.filter(({ state }) => state === 'conflict' || state === 'rejected')
  const { attention, signIn, waiting } = unsentWords({ entries, uploads, isOffline })
  return (
    <>
      <div className="mb-8 flex flex-col gap-3 empty:hidden">
        {inMemory && userId !== undefined && (
          <Banner tone="wheat" title={texts.nothingStored.title} icon={Unplug}>
            {texts.nothingStored.description}
          </Banner>
        )}
        {attention && (
          <Banner tone="wheat" title={attention} icon={TriangleAlert}>
            <div className="mt-2">
              <Button kind="secondary" aria-haspopup="dialog" onClick={() => setLooking(true)}>
                Review
              </Button>
            </div>
          </Banner>
        )}
        {signIn && (
          <Banner tone="wheat" title={signIn[0]!} icon={LogIn}>
            {signIn[1] && <p className="text-small">{signIn[1]}</p>}
            <div className="mt-2">
              <Button
                kind="secondary"
                onClick={() =>
                  void navigate({
                    to: '.',
                    search: (before) => ({ ...before, signin: '' }),
                    resetScroll: false,
                  })
                }
              >
                Sign in
              </Button>
            </div>
          </Banner>
        )}
        {waiting && <Banner tone="wheat" title={waiting} icon={CloudUpload} />}
      </div>
      {looking && undecided.length > 0 && (
        <AttentionDialog entries={undecided} onClose={() => setLooking(false)} />
      )}
    </>
  )
}

const none: readonly OutboxEntry[] = []
