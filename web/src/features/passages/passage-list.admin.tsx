import { passages } from '@fellowship/schema/passages/passages.contract'
import { nkjv } from '@fellowship/schema/passages/passages.limits'
import { isCounted, quotedVerses } from '@fellowship/schema/passages/quoted-verses'
import { adminQuery } from '../../lib/admin-query.ts'
import { Card } from '../../ui/card.view.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { Section } from '../../ui/section.tsx'

const usePassageList = adminQuery(passages.list)

/** The passages that popovers may quote, and the used share of the publisher's limit. */
export function PassageList() {
  return (
    <Section
      title="Scripture passages"
      description="What the popovers on the site can show. They are imported on the server with passages:import."
    >
      <Loaded query={usePassageList()} failure="The passages could not be loaded" height="h-64">
        {(rows) => (
          <>
            <Used references={rows.filter((row) => isCounted(row.translation)).map((row) => row.reference)} />
            {rows.length === 0 ? (
              <EmptyState title="No passages yet" />
            ) : (
              <Card className="mt-5 overflow-hidden">
                <ScrollRegion label="Passages" className="max-h-160">
                  <ul className="divide-y divide-line">
                    {rows.map(({ uid, reference, text, translation }) => (
                      <li key={uid} className="admin-line">
                        <p className="font-medium">
                          {reference} <span className="font-normal text-soft">· {translation}</span>
                        </p>
                        <p className="admin-two-lines text-small text-soft">{text}</p>
                      </li>
                    ))}
                  </ul>
                </ScrollRegion>
              </Card>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function Used({ references }: { references: readonly string[] }) {
  const { count } = quotedVerses(references)
  return (
    <Card className="admin-box">
      <p>
        <span className="font-serif text-3xl tabular-nums">
          {count} of {nkjv.mostVerses}
        </span>{' '}
        verses of the {nkjv.translation} are quoted.
      </p>
      <p className="mt-1 text-small text-soft">
        Its publisher lets anyone quote {nkjv.mostVerses} verses without asking, and never a whole book.
      </p>
    </Card>
  )
}
