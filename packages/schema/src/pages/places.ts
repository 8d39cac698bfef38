/** The page that lists all series, speakers and books. */
export const browsePath = '/browse'

/** Pages of earlier releases, and the places that have their content now. */
export const movedPages: Readonly<Record<string, string>> = {
  '/series': `${browsePath}#series`,
  '/speakers': `${browsePath}#speakers`,
  '/books': `${browsePath}#books`,
}
