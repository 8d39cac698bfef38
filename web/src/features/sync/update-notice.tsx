import { useState, useSyncExternalStore } from 'react'
import { usePageHeld } from '../../lib/busy.ts'
import { Button } from '../../ui/button.tsx'
import { registerWorker, type AppUpdate } from './app-update.ts'
import { Notice } from './notice.tsx'

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
