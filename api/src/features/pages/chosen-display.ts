/**
 * The reader's text size and contrast, as attributes of the html element, from the cookie in which the page stores them:
 * the first paint has them already. Invalid values are ignored.
 */
export function chosenDisplay(cookies: string | undefined): string {
  const [, text, contrast] =
    /(?:^|;\s*)comfort=(large|larger|)\.(more|normal|)(?:;|$)/.exec(cookies ?? '') ?? []
  return `${text ? ` data-text="${text}"` : ''}${contrast ? ` data-contrast="${contrast}"` : ''}`
}
