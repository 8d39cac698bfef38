import { whatsNewTexts } from '@fellowship/schema/whats-new/whats-new.texts'
import { Link } from '@tanstack/react-router'
import { useWhatsNew } from './whats-new.ts'

export function NewLink({ count }: { count: number }) {
  return (
    <Link
      from="/teaching"
      to="/teaching"
      search={{ show: 'new' }}
      replace
      resetScroll={false}
      className="new-link text-small text-pine underline underline-offset-4 print:hidden"
    >
      {whatsNewTexts.newSince(count)}
    </Link>
  )
}

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
