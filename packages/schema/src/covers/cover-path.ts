/** The things that have a drawn cover: groups of teachings by the first part of their address, and single teachings. */
export const coverKinds = ['series', 'books', 'speakers', 'teaching'] as const
export type CoverKind = (typeof coverKinds)[number]

/** The content of a drawn cover. */
export interface Cover {
  readonly kind: CoverKind
  readonly title: string
}

/** For pages, and for places that take no drawings: feeds, lock screens, link previews. */
export type CoverFormat = 'svg' | 'png'

/** Part of every address, which is cached forever: another drawing needs another version. */
const version = 2
const pattern = new RegExp(`^/covers/${version}/(${coverKinds.join('|')})/([^/]+)\\.(svg|png)$`)

/** The path of a drawn cover, percent-encoded. */
export const coverPath = ({ kind, title }: Cover, format: CoverFormat): string =>
  `/covers/${version}/${kind}/${encodeURIComponent(title.replaceAll(/\p{Cs}/gu, '\ufffd'))}.${format}`

/** The cover at a path; undefined for any other path. */
export function coverAt(pathname: string): (Cover & { readonly format: CoverFormat }) | undefined {
  const [, kind, title, format] = pattern.exec(pathname) ?? []
  if (kind === undefined || title === undefined) return undefined
  try {
    return { kind: kind as CoverKind, title: decodeURIComponent(title), format: format as CoverFormat }
  } catch {
    return undefined
  }
}
