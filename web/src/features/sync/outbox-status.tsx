import { outboxTexts as texts } from '@fellowship/schema/sync/outbox.texts'
import { useNavigate } from '@tanstack/react-router'
import { CloudUpload, LogIn, TriangleAlert, Unplug } from 'lucide-react'
import { lazy, useEffect, useState } from 'react'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { watchUnownedUploads, watchOutbox, type OutboxEntry } from './outbox-device.ts'
import { useDeviceSync } from './use-device-sync.ts'

const AttentionDialog = lazy(() =>
  import('./attention-dialog.tsx').then((m) => ({ default: m.AttentionDialog })),
)

/** What of a person's changes has not come to the library yet, and what has to happen. Nothing where all has. */
export function OutboxStatus({ userId }: { userId: number | undefined }) {
  const entries = useOutboxEntries(userId)
  const uploads = useUnownedUploads(userId)
  const [looking, setLooking] = useState(false)
  const inMemory = useDeviceSync()?.inMemory === true
  const navigate = useNavigate()
  const undecided = entries.filter(({ state }) => state === 'conflict' || state === 'rejected')
  const blockedCount = entries.filter(({ state }) => state === 'blocked_auth').length
  // What is under way for the first time is about to be gone.
  const retryingCount = entries.filter(({ state, attempts }) => state === 'queued' && attempts > 0).length
  return (
    <>
      <div className="mb-8 flex flex-col gap-3 empty:hidden">
        {inMemory && userId !== undefined && (
          <Banner tone="wheat" title={texts.nothingStored.title} icon={<Unplug {...icon} />}>
            {texts.nothingStored.description}
          </Banner>
        )}
        {undecided.length > 0 && (
          <Banner tone="wheat" title={texts.attention(undecided.length)} icon={<TriangleAlert {...icon} />}>
            <div className="mt-2">
              <Button kind="secondary" aria-haspopup="dialog" onClick={() => setLooking(true)}>
                Look at {undecided.length === 1 ? 'it' : 'them'}
              </Button>
            </div>
          </Banner>
        )}
        {(blockedCount > 0 || uploads > 0) && (
          <Banner
            tone="wheat"
            title={blockedCount > 0 ? texts.signIn(blockedCount) : texts.signInToUpload(uploads)}
            icon={<LogIn {...icon} />}
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
        {retryingCount > 0 && (
          <Banner tone="wheat" title={texts.waiting(retryingCount)} icon={<CloudUpload {...icon} />} />
        )}
      </div>
      <LazyPart onFailed={() => setLooking(false)}>
        {looking && undecided.length > 0 && (
          <AttentionDialog entries={undecided} onClose={() => setLooking(false)} />
        )}
      </LazyPart>
    </>
  )
}

const icon = { 'aria-hidden': true, className: 'size-5' } as const

/** Nobody's, and those of a session that ended: whoever is signed in sees theirs in the upload panel. */
function useUnownedUploads(userId: number | undefined): number {
  const [count, setCount] = useState(0)
  const isSignedOut = userId === undefined
  useEffect(() => (isSignedOut ? watchUnownedUploads(setCount) : undefined), [isSignedOut])
  return isSignedOut ? count : 0
}

function useOutboxEntries(userId: number | undefined): readonly OutboxEntry[] {
  const [entries, setEntries] = useState<readonly OutboxEntry[]>([])
  useEffect(() => {
    const stop = watchOutbox(userId, setEntries)
    return () => {
      stop()
      setEntries([])
    }
  }, [userId])
  return entries
}
