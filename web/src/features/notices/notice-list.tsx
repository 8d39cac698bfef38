import type { NoticeRow } from '@fellowship/schema/notices/notices.contract'

/** The notices of the day on top of Home; nothing if there are none. */
export function NoticeList({ notices }: { notices: readonly NoticeRow[] }) {
  if (notices.length === 0) return null
  return (
    <section aria-label="Notices" className="mb-8 grid max-w-4xl gap-3">
      {notices.map(({ uid, text }) => (
        <p
          key={uid}
          className="rounded-card border border-line-strong bg-raised px-5 py-4 whitespace-pre-line wrap-anywhere shadow-soft"
        >
          {text}
        </p>
      ))}
    </section>
  )
}
