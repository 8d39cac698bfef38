import { hydrated } from './hydrated.ts'
import { whenNextIdle } from './when-idle.ts'

/**
 * Loads the fonts of the site once the page is hydrated. The server sends a first visit without them, drawn with fonts of the
 * device that are adjusted to be about as wide: fetching, decoding and laying out anew would hold up the first press.
 */
export async function loadLateFonts(): Promise<void> {
  await hydrated
  whenNextIdle(() => document.documentElement.removeAttribute('data-fonts'))
}
