import type { DatabaseTrouble } from '@fellowship/sync/client/database/database-trouble'
import { useState } from 'react'
import { usePageHeld } from '../../lib/busy.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useDialogHeld } from '../../ui/held-dialog.ts'
import { Notice } from './notices.tsx'

/**
 * This page and a newer one cannot both write. The dialog offers no choice, so it cannot be closed; while the page has
 * unfinished work, a notice stands in for it, which covers nothing. An older version after a newer one can still read.
 */
export function TroubleNotice({ trouble }: { trouble: DatabaseTrouble }) {
  const held = usePageHeld()
  const inDialog = useDialogHeld()
  const [put, setPut] = useState(false)
  const { title, description } = words[trouble]
  // The dialog says it itself.
  if (inDialog) return null
  if (trouble === 'older')
    return (
      !put && (
        <Notice title={title} actions={reload} onClose={() => setPut(true)}>
          {description}
        </Notice>
      )
    )
  if (held)
    return (
      <Notice title={title} actions={reload}>
        {description} {unfinished}
      </Notice>
    )
  return (
    <Dialog title={title} description={description} width="narrow" closable={false} onClose={() => undefined}>
      <div className="mt-6 flex justify-end">
        <Button data-autofocus onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
    </Dialog>
  )
}

const reload = (
  <Button kind="secondary" onClick={() => location.reload()}>
    Reload
  </Button>
)

const unfinished = 'Something on this page is not finished: finish or copy it first. It cannot be saved here.'

const words: Record<DatabaseTrouble, { title: string; description: string }> = {
  outdated: {
    title: 'The app was updated. Reload this page.',
    description: 'A newer version runs in another tab. Everything you saved is still here.',
  },
  older: {
    title: 'This is an older version of the app',
    description:
      'A newer one was used on this device. You can read and listen to what is here, but nothing is updated or saved until the newer version is back.',
  },
  blocked: {
    title: 'Close other tabs',
    description:
      'The app was updated, and an older version is still open in another tab. Close its tabs, then reload this page.',
  },
}
