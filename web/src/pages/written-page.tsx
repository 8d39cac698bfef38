import type { PageLink, PageRow } from '@fellowship/schema/written-pages/written-pages.schema'
import { PageWords } from '../features/written-pages/page-words.tsx'
import { usePage } from '../features/written-pages/use-page.view.ts'
import { usePageTitle } from '../lib/page-title.view.ts'
import { PageSkeleton } from './page-skeleton.tsx'

/** A page that administrators wrote, besides Home and About. */
export function WrittenPage({ link: { path, title } }: { link: PageLink }) {
  const page = usePage(path.slice(1))
  return page ? <Whole page={page} /> : <PageSkeleton label={title} />
}

function Whole({ page }: { page: PageRow }) {
  usePageTitle(page.title)
  return (
    <div className="page pt-6 pb-20 lg:pt-12 lg:pb-28">
      <PageWords {...page} />
    </div>
  )
}
