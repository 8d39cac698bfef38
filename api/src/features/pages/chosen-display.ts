/**
 * The reader's text size, contrast and colour scheme, as attributes of the html element, from the cookie in which the page stores them:
 * the first paint has them already. Invalid values are ignored.
 */
export function chosenDisplay(cookies: string | undefined): string {
  const [, text, contrast, scheme] =
    // Devices that chose before there was a scheme send two parts.
    /(?:^|;\s*)comfort=(large|larger|)\.(more|normal|)(?:\.(light|dark|))?(?:;|$)/.exec(cookies ?? '') ?? []
  return [
    text && ` data-text="${text}"`,
    contrast && ` data-contrast="${contrast}"`,
    scheme && ` data-scheme="${scheme}"`,
  ]
    .filter(Boolean)
    .join('')
}
