import { hydrated } from './hydrated.ts'
import { whenNextIdle } from './when-idle.ts'

/**
 * Loads the fonts of the site once the page is hydrated. The server has a first visit wait for them, in fonts of the device
 * that are as wide: fetching, decoding and laying out anew would hold up the first press.
 */
export async function loadLateFonts(): Promise<void> {
  await hydrated
  whenNextIdle(() => document.documentElement.removeAttribute('data-fonts'))
}
