import type { DatabaseTrouble } from '@fellowship/sync/client/database/database-trouble'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** This page and a newer one cannot both write. The notice offers no choice, so it cannot be closed. */
export function TroubleNotice({ trouble }: { trouble: DatabaseTrouble }) {
  const { title, description } = words[trouble]
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

const words: Record<DatabaseTrouble, { title: string; description: string }> = {
  outdated: {
    title: 'The app was updated. Reload this page.',
    description: 'A newer version runs in another tab. Everything you saved is still here.',
  },
  blocked: {
    title: 'Close other tabs',
    description:
      'The app was updated, and an older version is still open in another tab. Close its tabs, then reload this page.',
  },
}
