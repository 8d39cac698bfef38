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
  /** A square picture of the page's own, absolute; the site's by default. */
  picture?: { url: string; side: number; alt: string } | undefined
  audio?: { url: string; type: string } | undefined
  /** A podcast feed of this page alone. */
  feed?: { title: string; href: string }
  /** schema.org data. */
  data?: object
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
  { description, canonical, type, audio, picture }: PageFacts,
): string[] {
  const { path, width, height } = artwork.share
  const image = picture
    ? { url: picture.url, width: picture.side, height: picture.side, alt: picture.alt }
    : { url: origin + path, width, height, alt: `${church.name}: hills, a river and a small hall` }
  const properties: [name: string, content: string | number][] = [
    ['og:title', title],
    ['og:description', description],
    ['og:type', type ?? 'website'],
    ['og:url', canonical!],
    ['og:site_name', church.name],
    ['og:locale', church.language.replace('-', '_')],
    ['og:image', image.url],
    ['og:image:width', image.width],
    ['og:image:height', image.height],
    ['og:image:alt', image.alt],
    ...(audio
      ? ([
          ['og:audio', audio.url],
          ['og:audio:type', audio.type],
        ] as [string, string][])
      : []),
  ]
  return [
    ...properties.map(([property, content]) => element('meta', { property, content })),
    meta('twitter:card', picture ? 'summary' : 'summary_large_image'),
  ]
}

const meta = (name: string, content: string) => element('meta', { name, content })
