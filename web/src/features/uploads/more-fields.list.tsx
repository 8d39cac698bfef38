import type { ReactNode } from 'react'

/** Fields that most recordings leave empty, collapsed unless one of them has a value. */
export function MoreFields({ open, children }: { open: boolean; children: ReactNode }) {
  return (
    <details open={open} className="group">
      <summary className="w-fit cursor-pointer py-2.5 text-small font-medium text-pine underline-offset-4 hover:underline">
        More
      </summary>
      <div className="mt-1 flex flex-col gap-4">{children}</div>
    </details>
  )
}
