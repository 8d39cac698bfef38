import { church } from '@fellowship/schema/church'
import { artwork } from '@fellowship/schema/feed/feed.limits'
import { siteWords } from '@fellowship/schema/feed/site-words'
import { dataBlock, element, textElement } from '../../http/markup.ts'

/** The facts about a page for search engines and link previews. */
export interface PageFacts {
  /** Without the fellowship's name, which is appended; the home page has none. */
  title?: string
  description: string
  /** Absolute canonical address. */
  canonical?: string
  /** Open Graph type. */
  type?: 'website' | 'article'
  audio?: { url: string; type: string } | undefined
  /** A podcast feed of this page alone. */
  feed?: { title: string; href: string }
  /** schema.org data. */
  data?: Record<string, unknown>
  /** Adds `noindex`: for pages that search engines should not list. */
  hidden?: boolean
}

/** The tags of a page's head, each on its own line. */
export function headTags(origin: string, facts: PageFacts): string {
  const title = facts.title ? `${facts.title} – ${church.name}` : church.name
  const lines = [textElement('title', title), meta('description', facts.description)]
  if (facts.hidden) lines.push(meta('robots', 'noindex'))
  if (facts.canonical) {
    lines.push(element('link', { rel: 'canonical', href: facts.canonical }))
    lines.push(...openGraph(origin, title, facts))
  }
  const whole = { title: siteWords.podcast.title, href: `${origin}/feed.xml` }
  for (const feed of [...(facts.feed ? [facts.feed] : []), whole])
    lines.push(element('link', { rel: 'alternate', type: 'application/rss+xml', ...feed }))
  if (facts.data) lines.push(dataBlock('application/ld+json', facts.data))
  return lines.join('\n    ')
}

function openGraph(
  origin: string,
  title: string,
  { description, canonical, type, audio }: PageFacts,
): string[] {
  const { path, width, height } = artwork.share
  const properties: [name: string, content: string | number][] = [
    ['og:title', title],
    ['og:description', description],
    ['og:type', type ?? 'website'],
    ['og:url', canonical!],
    ['og:site_name', church.name],
    ['og:locale', church.language.replace('-', '_')],
    ['og:image', origin + path],
    ['og:image:width', width],
    ['og:image:height', height],
    ['og:image:alt', `${church.name}: hills, a river and a small hall`],
    ...(audio
      ? ([
          ['og:audio', audio.url],
          ['og:audio:type', audio.type],
        ] as [string, string][])
      : []),
  ]
  return [
    ...properties.map(([property, content]) => element('meta', { property, content })),
    meta('twitter:card', 'summary_large_image'),
  ]
}

const meta = (name: string, content: string) => element('meta', { name, content })
