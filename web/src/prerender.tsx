import type { RenderPage } from '@fellowship/schema/pages/prerender-data'
import { createMemoryHistory } from '@tanstack/react-router'
import { renderToString } from 'react-dom/server'
import { renderFrom } from './boot/prerender-data.ts'
import { makeRouter } from './router.tsx'
import { Site } from './site.tsx'

/** The HTML of a page before anybody is known to be signed in, rendered from the browser's components. */
export const renderPage: RenderPage = async (path, data) => {
  const router = makeRouter(createMemoryHistory({ initialEntries: [path] }))
  await router.load()
  // No await from here on: two concurrent renders would mix their data.
  renderFrom(data)
  // Input typed before hydration would be lost, so fields are read-only until then.
  return renderToString(<Site router={router} />).replaceAll('<input ', '<input readonly="" ')
}
