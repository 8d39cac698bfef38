import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { formatDate } from '@fellowship/schema/dates'
import { teachingPage } from '@fellowship/schema/teachings/teachings.limits'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

/**
 * Baseline for keystroke latency: the same rows as unstyled text, filtered by substring without a framework. It shows
 * the share of the machine and the browser at this hour.
 */
export async function serveBareList(
  teachings: readonly Teaching[],
): Promise<{ url: string; stop: () => void }> {
  const html = bareList(teachings)
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8').end(html)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const bareList = (teachings: readonly Teaching[]) => `<!doctype html>
<html lang="en"><meta name="viewport" content="width=device-width"><title>Bare</title>
<main><section>
<input type="search" aria-label="Search" autocomplete="off" spellcheck="false"><h2 id="library-title"></h2><ul></ul>
</section></main>
<script>
const rows = ${JSON.stringify(teachings.map(rowOf))}
const list = document.querySelector('ul')
const box = document.querySelector('input')
const element = (name, ...inside) => {
  const made = document.createElement(name)
  made.append(...inside)
  return made
}
const render = () => {
  const query = box.value.trim().toLowerCase()
  const found = query ? rows.filter(({ text }) => text.includes(query)) : rows
  document.querySelector('h2').textContent = found.length + ' teachings'
  list.replaceChildren(
    ...found
      .slice(0, ${teachingPage.initial})
      .map(({ title, details }) => element('li', element('h3', title), element('p', details))),
  )
}
box.addEventListener('input', render)
render()
</script></html>`

function rowOf({ title, date, speaker, scriptureReference, duration }: Teaching) {
  const details = [formatDate(date), speaker, scriptureReference, duration].filter(Boolean).join(' · ')
  return { title, details, text: `${title} ${details}`.toLowerCase() }
}
