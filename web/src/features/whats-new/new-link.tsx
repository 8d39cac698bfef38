import { whatsNewTexts } from '@fellowship/schema/whats-new/whats-new.texts'
import { Link } from '@tanstack/react-router'

/** A link with the count of new teachings that lists them. */
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
