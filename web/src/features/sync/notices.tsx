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
      className="@container pointer-events-auto w-full max-w-lg animate-rise rounded-card border border-line bg-raised p-[min(1rem,5vw)] pl-[min(1.25rem,5vw)] shadow-soft"
    >
      {/* If the text is large for the sheet, it uses the width of the cross too. */}
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3">
        <p className="col-[1/2] font-semibold">{title}</p>
        {children && <div className="col-[1/-1] text-small text-soft @min-[18rem]:col-[1/2]">{children}</div>}
        {actions && <div className="col-span-full mt-3 flex flex-wrap gap-3">{actions}</div>}
        {onClose && (
          <IconButton
            label="Close this message"
            icon={X}
            onClick={onClose}
            className="col-start-2 row-start-1 -mt-2 -mr-2 self-start @min-[18rem]:row-end-3"
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
  return update ? <Offer update={update} /> : null
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
