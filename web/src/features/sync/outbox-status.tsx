import { outboxTexts as texts } from '@fellowship/schema/sync/outbox.texts'
import { useNavigate } from '@tanstack/react-router'
import { CloudUpload, LogIn, TriangleAlert, Unplug } from 'lucide-react'
import { useState } from 'react'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { asDialog, lazyPart } from '../../ui/lazy-part.tsx'
import { countUnownedUploads, readEntries, type OutboxEntry } from './outbox.device.ts'
import { useDeviceQuery } from './use-device-query.ts'
import { useDeviceSync } from './use-device-sync.ts'

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
  const inMemory = useDeviceSync()?.inMemory === true
  const navigate = useNavigate()
  const undecided = entries.filter(({ state }) => state === 'conflict' || state === 'rejected')
  const blockedCount = entries.filter(({ state }) => state === 'blocked_auth').length
  // An entry at its first attempt disappears in a moment.
  const retryingCount = entries.filter(({ state, attempts }) => state === 'queued' && attempts > 0).length
  return (
    <>
      <div className="mb-8 flex flex-col gap-3 empty:hidden">
        {inMemory && userId !== undefined && (
          <Banner tone="wheat" title={texts.nothingStored.title} icon={Unplug}>
            {texts.nothingStored.description}
          </Banner>
        )}
        {undecided.length > 0 && (
          <Banner tone="wheat" title={texts.attention(undecided.length)} icon={TriangleAlert}>
            <div className="mt-2">
              <Button kind="secondary" aria-haspopup="dialog" onClick={() => setLooking(true)}>
                Review
              </Button>
            </div>
          </Banner>
        )}
        {(blockedCount > 0 || uploads > 0) && (
          <Banner
            tone="wheat"
            title={blockedCount > 0 ? texts.signIn(blockedCount) : texts.signInToUpload(uploads)}
            icon={LogIn}
          >
            {blockedCount > 0 && uploads > 0 && <p className="text-small">{texts.signInToUpload(uploads)}</p>}
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
        {retryingCount > 0 && <Banner tone="wheat" title={texts.waiting(retryingCount)} icon={CloudUpload} />}
      </div>
      {looking && undecided.length > 0 && (
        <AttentionDialog entries={undecided} onClose={() => setLooking(false)} />
      )}
    </>
  )
}

const none: readonly OutboxEntry[] = []
