import { isPage } from './routes.ts'

/**
 * Pages that an address without a page may mean, the likeliest first, all decoded: without the punctuation that text puts
 * behind a link, with one slash at its start, in small letters.
 */
export function meantPages(pathname: string): string[] {
  const path = pathname.replace(/^\/{2,}/, '/').replace(/(?<=[\p{L}\p{N}])[^\p{L}\p{N}/]+$/u, '')
  return [...new Set([path, path.toLowerCase()])].filter((each) => each !== pathname && isPage(each))
}
