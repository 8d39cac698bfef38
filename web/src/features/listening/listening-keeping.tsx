import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import {
  type ListeningStatus as Keeping,
  type ListeningStatus,
  readListeningStatus,
} from '@fellowship/sync/client/listening/listening-accounts'
import { useState } from 'react'
import { useNow } from '../../lib/use-now.ts'
import { useOnline } from '../../lib/use-online.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useAuth, useProbableUser } from '../auth/auth-context.tsx'
import { useDeviceQuery } from '../sync/use-device-query.ts'
import { AnonymousOffer } from './anonymous-offer.tsx'
import { keepHere, keepWithAccount } from './keeping.device.ts'
import { listeningSyncWords, whereKept } from './listening-words.ts'

/** Explains the storage of a person's listening data, with the switch that syncs it to all their devices. */
export function ListeningKeeping() {
  const { status, user } = useAuth()
  const probable = useProbableUser()
  const keeping = useDeviceQuery<Keeping | undefined>(
    () => readListeningStatus(probable?.id),
    [probable?.id],
    undefined,
  )
  const isKnown = status === 'known'
  if (!keeping || (!isKnown && probable?.id === undefined))
    return (
      <>
        <p className="measure mt-3 text-soft">{texts.onDevice}</p>
        {probable && <Skeleton className="mt-6 h-64 max-w-3xl sm:h-46" />}
      </>
    )
  return (
    // Takes its room before the server has answered, and says nothing until then.
    <div className={isKnown ? undefined : 'invisible'}>
      <p className="measure mt-3 text-soft">
        {whereKept(keeping)} {!probable && texts.signInToKeep}
      </p>
      {probable?.id !== undefined && <Switch key={probable.id} userId={probable.id} keeping={keeping} />}
      {user && keeping.owner === user.id && <AnonymousOffer userId={user.id} />}
    </div>
  )
}

function Switch({ userId, keeping }: { userId: number; keeping: Keeping }) {
  const [pending, setPending] = useState(false)
  const [asks, setAsks] = useState(false)
  const { account } = keeping
  const isOn = account?.on === true
  // After the first sign-in and after the browser deleted the database, only the server knows.
  const isUnknown = account?.on === undefined
  const run = async (work: Promise<void>) => {
    setAsks(false)
    setPending(true)
    await work
    setPending(false)
  }
  return (
    <Card className="mt-6 max-w-3xl p-4">
      <label className="flex min-h-11 items-center gap-3 text-lg">
        <input
          type="checkbox"
          role="switch"
          className="size-5 shrink-0 accent-pine"
          aria-checked={isOn}
          checked={isOn}
          // Not `disabled`: if the focused control is disabled, it loses the focus and the page scrolls.
          aria-disabled={pending || isUnknown}
          onChange={() => {
            if (pending || isUnknown) return
            if (isOn) setAsks(true)
            else void run(keepWithAccount(userId))
          }}
        />
        {texts.switchLabel}
      </label>
      <p className="mt-2 text-small text-soft">{texts.whatIsKept}</p>
      <ListeningSyncStatus keeping={keeping} />
      {!isOn && account !== undefined && account.held > 0 && (
        <div className="mt-3">
          <p className="text-small text-soft">{texts.stillHeld(account.held)}</p>
          <Button
            kind="quiet"
            className="text-brick!"
            pending={pending}
            onClick={() => void run(keepHere(userId, { remove: true }))}
          >
            Delete it from the server
          </Button>
        </div>
      )}
      {asks && (
        <Dialog
          title={texts.offTitle}
          description={texts.offQuestion}
          width="narrow"
          onClose={() => setAsks(false)}
        >
          <div className="mt-6 flex flex-col gap-3">
            <Button
              data-autofocus
              kind="secondary"
              onClick={() => void run(keepHere(userId, { remove: false }))}
            >
              Turn it off, and leave it on the server
            </Button>
            <Button kind="danger" onClick={() => void run(keepHere(userId, { remove: true }))}>
              Turn it off, and delete it from the server
            </Button>
            <Button kind="quiet" onClick={() => setAsks(false)}>
              Cancel
            </Button>
          </div>
        </Dialog>
      )}
    </Card>
  )
}

/** The state of sync with the account, and the rejected entries. */
function ListeningSyncStatus({ keeping }: { keeping: ListeningStatus }) {
  const isOnline = useOnline()
  const now = useNow()
  const { account, rejected } = keeping
  return (
    <>
      <output className="mt-3 block text-small">{listeningSyncWords(keeping, { isOnline, now })}</output>
      {account?.on !== false && rejected.length > 0 && (
        <p className="mt-2 text-small text-brick">{texts.refused(rejected.length, rejected[0]!)}</p>
      )}
    </>
  )
}
