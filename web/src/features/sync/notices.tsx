import { repairedCache } from '@fellowship/sync/client/worker-messages'
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { usePageHeld } from '../../lib/busy.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { type AppUpdate, registerWorker } from './app-update.ts'
import { useDeviceSync, useOffline } from './use-device-sync.ts'

interface NoticeProps {
  title: string
  children?: ReactNode
  actions?: ReactNode
  onClose?: () => void
}

/** A small sheet at the bottom of the page that covers no control. */
export function Notice({ title, children, actions, onClose }: NoticeProps) {
  return (
    // It contains paragraphs and buttons, which are invalid in <output>.
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="status"
      className="@container pointer-events-auto w-full max-w-lg animate-rise rounded-card border border-line bg-raised notice shadow-soft"
    >
      {/* If the text is large for the sheet, it uses the width of the cross too. */}
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3">
        <p className="col-[1/2] font-semibold">{title}</p>
        {children && <div className="notice-words text-small text-soft">{children}</div>}
        {actions && <div className="col-span-full mt-3 flex flex-wrap gap-3">{actions}</div>}
        {onClose && (
          <IconButton
            label="Close this message"
            icon={X}
            onClick={onClose}
            className="notice-cross -mt-2 -mr-2 self-start"
          />
        )}
      </div>
    </div>
  )
}

/** Shows once per page load that the browser is offline and its consequences; the status line shows it all the time. */
export function OfflineNotice() {
  const sync = useDeviceSync()
  const offline = useOffline()
  const [put, setPut] = useState(false)
  useEffect(() => {
    if (!offline || put) return
    const timer = setTimeout(() => setPut(true), shownMs)
    return () => clearTimeout(timer)
  }, [offline, put])
  // A device without data explains itself on the page.
  if (!offline || put || sync?.syncedAt === undefined) return null
  return (
    <Notice title="You are offline" onClose={() => setPut(true)}>
      The library and what you saved are here. New teaching will appear when you’re back online.
    </Notice>
  )
}

const shownMs = 10_000

let registered: { update: AppUpdate | undefined } | undefined

/** Registers the service worker once, and offers a new version when there is one: never by force, never twice. */
export function UpdateNotice() {
  const [{ update }] = useState(() => (registered ??= { update: registerWorker() }))
  return (
    <>
      <RepairNotice />
      {update && <Offer update={update} />}
    </>
  )
}

/** Says once that the worker replaced files of the site that were damaged on this device. */
function RepairNotice() {
  const [isRepaired, setRepaired] = useState(false)
  useEffect(() => {
    if ('caches' in window) void caches.delete(repairedCache).then(setRepaired, () => undefined)
  }, [])
  if (!isRepaired) return null
  return (
    <Notice title="This site was repaired" onClose={() => setRepaired(false)}>
      Some of its files on this device had been replaced by pages of another network. They are whole again,
      and what you saved is all here.
    </Notice>
  )
}

function Offer({ update }: { update: AppUpdate }) {
  const state = useSyncExternalStore(update.onChange, update.state)
  const held = usePageHeld()
  const [put, setPut] = useState(false)
  if (state === 'none' || put) return null
  return (
    <Notice
      title="A new version is ready"
      actions={
        <>
          <Button disabled={held} aria-describedby="update-reason" onClick={() => update.apply()}>
            Update
          </Button>
          <Button kind="secondary" onClick={() => setPut(true)}>
            Later
          </Button>
        </>
      }
    >
      <p id="update-reason">
        {held
          ? 'A teaching is playing, or a form or an upload is not finished. You can update afterwards.'
          : 'It takes a moment, and everything you saved stays.'}
      </p>
    </Notice>
  )
}
