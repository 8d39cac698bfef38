import { ALargeSmall } from 'lucide-react'
import { lazy, useState } from 'react'
import { LazyPart } from '../ui/lazy-part.tsx'

const ComfortDialog = lazy(() => import('./comfort-dialog.tsx').then((m) => ({ default: m.ComfortDialog })))

/** The way to text size, contrast and reduced data. */
export function ComfortControl({ className }: { className?: string }) {
  const [open, setOpen] = useState(false)
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
        <ALargeSmall aria-hidden="true" className="size-5 shrink-0" />
        Display and data
      </button>
      <LazyPart onFailed={() => setOpen(false)}>
        {open && <ComfortDialog onClose={() => setOpen(false)} />}
      </LazyPart>
    </>
  )
}
