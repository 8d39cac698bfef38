import { Settings2 } from 'lucide-react'
import { asDialog, lazyPart } from '../ui/lazy-part.tsx'
import { useOpenOnPage } from './use-open-on-page.ts'

const ComfortDialog = lazyPart(() => import('./comfort-dialog.tsx'), 'ComfortDialog', asDialog)

/** The button for the settings of this device. */
export function ComfortControl({ className }: { className?: string }) {
  const [open, setOpen] = useOpenOnPage()
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className={
          className ??
          'inline-flex min-h-11 items-center gap-2 underline decoration-line-strong underline-offset-4 hover:text-pine hover:decoration-pine'
        }
      >
        <Settings2 className="size-5 shrink-0" />
        Settings
      </button>
      {open && <ComfortDialog onClose={() => setOpen(false)} />}
    </>
  )
}
