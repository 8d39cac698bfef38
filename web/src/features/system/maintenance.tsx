import { Eraser, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { Section } from '../../ui/section.tsx'
import { useClearCache } from './system-queries.admin.ts'
import { reloadDelayMs } from '../../ui/timings.ts'

/** Two maintenance buttons, each with a sentence about its effect. */
export function Maintenance() {
  const clear = useClearCache()
  const [reloading, setReloading] = useState(false)
  const reload = () => {
    setReloading(true)
    setTimeout(() => location.reload(), reloadDelayMs)
  }
  return (
    <Section title="Maintenance of this browser">
      <Card className="admin-box grid grid-cols-1 gap-8 sm:grid-cols-2">
        <div>
          <p>
            Downloads the site’s files again. Saved recordings, unsent changes and unfinished uploads are
            untouched.
          </p>
          <Button
            icon={Eraser}
            kind="secondary"
            className="mt-4"
            pending={clear.isPending}
            onClick={() => clear.mutate()}
          >
            Clear Frontend Cache
          </Button>
        </div>
        <div>
          <p>Reloads this page.</p>
          <Button
            icon={RotateCw}
            kind="secondary"
            className="mt-4"
            pending={reloading}
            pendingLabel="Reloading..."
            onClick={reload}
          >
            Reload Application
          </Button>
        </div>
      </Card>
    </Section>
  )
}
