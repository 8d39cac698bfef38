import { useArrivals } from './whats-new.ts'

/** 'New' on the row of a teaching that came since the visit before this one. */
export function NewMark({ uid }: { uid: string }) {
  if (!useArrivals()?.has(uid)) return null
  return (
    <p className="new-mark print:hidden">
      <span>
        New<span className="sr-only"> since your last visit</span>
      </span>
    </p>
  )
}
