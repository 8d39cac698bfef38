import type { AboutParts } from '@fellowship/schema/written-pages/written-pages.schema'
import { ElderBlocks } from '../features/elders/elder-list.view.tsx'
import { AboutWords } from '../features/written-pages/about-words.tsx'
import { usePage } from '../features/written-pages/use-page.view.ts'
import { usePageTitle } from '../lib/page-title.view.ts'
import { PageSkeleton } from './page-skeleton.tsx'

/** 'Who We Are': mission, church, the things we believe, and the elders. */
export function About() {
  const parts = usePage('about')?.parts as AboutParts | null | undefined
  return parts ? <Whole parts={parts} /> : <PageSkeleton label="About" />
}

function Whole({ parts }: { parts: AboutParts }) {
  usePageTitle(parts.title)
  return (
    <div className="page pt-6 pb-20 lg:pt-12 lg:pb-28">
      <AboutWords parts={parts} elders={<ElderBlocks />} />
    </div>
  )
}
