import { feed } from '@fellowship/schema/feed/feed.contract'
import { feedTexts } from '@fellowship/schema/feed/feed.texts'
import type { HealthLine } from '@fellowship/schema/system/system.contract'
import { Podcast } from 'lucide-react'
import { adminQuery } from '../../lib/admin-query.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { HealthList } from '../../ui/health-list.tsx'
import { LoadFailure } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

/** The address of the podcast feed, and a test of the rules that podcast directories check. */
export function FeedCheck() {
  const { data, error, isFetching, refetch } = useFeedCheck()
  const test = () => void refetch()
  return (
    <>
      <Section
        title="Podcast"
        description="Every teaching with an MP3 or M4A recording is an episode of the fellowship’s podcast."
      >
        <Address address={data?.address ?? `${window.location.origin}/feed.xml`} />
      </Section>
      <Section
        title="Test my feed"
        description="Fetches the feed, its picture and its recordings as a podcast app does, and says what directories would object to."
        actions={
          <Button onClick={test} pending={isFetching} pendingLabel="Testing…">
            Test my feed
          </Button>
        }
      >
        {/* Always rendered: screen readers announce changes of an existing live region only. */}
        <output className="mb-4 block font-serif text-xl empty:hidden">
          {!isFetching && !error && data && outcome(data.lines)}
        </output>
        {isFetching && <Skeleton className="h-96 w-full" />}
        {!isFetching && error && <LoadFailure sentence={feedTexts.testFailed} onRetry={test} />}
        {!isFetching && !error && data && <HealthList lines={data.lines} />}
        {!isFetching && !error && !data && (
          <EmptyState title={feedTexts.notTested} picture={Podcast}>
            Test it before you give it to a directory, and whenever an app shows something wrong.
          </EmptyState>
        )}
      </Section>
    </>
  )
}

const directories = [
  { name: 'Apple Podcasts', address: 'https://podcastsconnect.apple.com' },
  { name: 'Spotify', address: 'https://creators.spotify.com' },
]

function Address({ address }: { address: string }) {
  return (
    <Card className="admin-box">
      <div className="flex flex-wrap items-center gap-x-3">
        <div className="admin-beside">
          <p className="text-small text-soft">Address of the feed</p>
          <p className="font-mono text-small wrap-anywhere">{address}</p>
        </div>
        <CopyButton what="Address" text={address} />
      </div>
      <p className="measure mt-3 text-small text-soft">
        Give it once to{' '}
        {directories.map(({ name, address: href }, at) => (
          <span key={name}>
            {at > 0 && ' and '}
            <a href={href} target="_blank" rel="noopener noreferrer" className="text-pine underline">
              {name}
            </a>
          </span>
        ))}
        . From then on they look for new teachings by themselves.
      </p>
    </Card>
  )
}

function outcome(lines: readonly HealthLine[]): string {
  const count = (state: HealthLine['state']) => lines.filter((line) => line.state === state).length
  return feedTexts.outcome(count('bad'), count('attention'))
}

/** The test of the feed. Only `refetch` starts it, because the server reads all recordings for it. */
const useFeedCheck = adminQuery(feed.check, { enabled: false })
