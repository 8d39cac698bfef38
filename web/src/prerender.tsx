import type { RenderPage } from '@fellowship/schema/pages/prerender-data'
import { createMemoryHistory } from '@tanstack/react-router'
import { renderToString } from 'react-dom/server'
import { renderFrom } from './boot/prerender-data.ts'
import { makeRouter } from './router.tsx'
import { Site } from './site.tsx'

/** The inside of a page as it is before anybody is known to be signed in, drawn by the very components of the browser. */
export const renderPage: RenderPage = async (path, data) => {
  const router = makeRouter(createMemoryHistory({ initialEntries: [path] }))
  await router.load()
  // Nothing is awaited from here on: two pages drawn at once do not meet.
  renderFrom(data)
  // What is typed before the script has come would be lost: fields wait for it.
  return renderToString(<Site router={router} />).replaceAll('<input ', '<input readonly="" ')
}
