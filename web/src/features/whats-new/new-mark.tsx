import { useWhatsNew } from './whats-new.ts'

/** 'New' on the row of a teaching that was added since the previous session. */
export function NewMark({ uid }: { uid: string }) {
  if (!useWhatsNew()?.has(uid)) return null
  return (
    <p className="new-mark print:hidden">
      <span>
        New<span className="sr-only"> since your last visit</span>
      </span>
    </p>
  )
}
