/** Resolves when the fonts that the page preloads have arrived, or failed to: then its text waits for nothing more. */
export async function fontsFetched(): Promise<void> {
  const arrived = new Set(performance.getEntriesByType('resource').map(({ name }) => name))
  const links = document.querySelectorAll<HTMLLinkElement>('link[rel=preload][as=font]')
  await Promise.all(
    [...links]
      .filter(({ href }) => !arrived.has(href))
      .map(
        (link) =>
          new Promise((resolve) => {
            link.addEventListener('load', resolve)
            link.addEventListener('error', resolve)
          }),
      ),
  )
}
