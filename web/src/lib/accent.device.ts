import { accentProperties } from '@fellowship/schema/site/accent'

/** Colours a page that was made with an earlier accent. */
export function setAccent(accent: string): void {
  const { style } = document.documentElement
  for (const [name, colour] of accentProperties(accent)) style.setProperty(name, colour)
}
