/**
 * The text size and contrast that somebody chose on this device, as attributes of the page, read from the cookie the
 * page keeps them in: the first HTML looks as they chose. Anything else in it is nothing.
 */
export function chosenLook(cookies: string | undefined): string {
  const [, text, contrast] =
    /(?:^|;\s*)comfort=(large|larger|)\.(more|normal|)(?:;|$)/.exec(cookies ?? '') ?? []
  return `${text ? ` data-text="${text}"` : ''}${contrast ? ` data-contrast="${contrast}"` : ''}`
}
