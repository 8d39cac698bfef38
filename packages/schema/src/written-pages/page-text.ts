import { slugLike } from '../text-folding.ts'

/** The path of a page, decoded. */
export const pagePath = ({ slug }: { slug: string }): string => (slug === 'home' ? '/' : `/${slug}`)

/** The slug in a decoded path that may be one of a written page; undefined if it is another path. */
export function pageSlugAt(pathname: string): string | undefined {
  const slug = pathname.slice(1)
  return slugLike.test(slug) && pathname.startsWith('/') ? slug : undefined
}

/** A part of the text of a page. */
export interface TextBlock {
  kind: 'heading' | 'quote' | 'paragraph'
  text: string
}

/**
 * The blocks of a text: blank lines separate them, '# ' begins a heading, '> ' a quote. Line breaks inside a paragraph or a
 * quote stay.
 */
export const textBlocks = (text: string): TextBlock[] =>
  text
    .split(/\n(?:[ \t]*\n)+|\n(?=# )|(?<=^# [^\n]*)\n/m)
    .map((block) => block.trim())
    .filter((block) => block !== '')
    .map((block) => {
      if (block.startsWith('# ')) return { kind: 'heading', text: block.slice(2).trim() }
      if (block.startsWith('> ')) return { kind: 'quote', text: block.replaceAll(/^> ?/gm, '') }
      return { kind: 'paragraph', text: block }
    })

/** The paragraphs of a text without headings. */
export const paragraphs = (text: string): string[] =>
  text.split(/\n\s*\n/).filter((each) => each.trim() !== '')
