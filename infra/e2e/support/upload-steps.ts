import { expect } from 'vitest'
import type { CDPSession, Page } from 'playwright-core'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Recording } from './recordings.ts'
import { pickFile, seenInPage, uploadPanel } from './screens.ts'

/** The browser has no line: every call fails, and so does the line for hints. */
export const noLine = [/^net::ERR_(INTERNET_DISCONNECTED|NETWORK_CHANGED|FAILED) /]

/** Sends what was chosen, once its name is read. */
export async function giveRecording(page: Page, recording: Recording | string): Promise<void> {
  await pickFile(page, recording)
  const panel = uploadPanel(page)
  await panel.getByText('Filename Parsed Successfully', { exact: true }).waitFor()
  await panel.getByRole('button', { name: 'Upload Teaching' }).click()
}

/** A slow line, so that there is a middle to break off in; -1 is a fast one again. */
export async function slowDown(page: Page, bytesPerSecond: number): Promise<void> {
  const slow = lines.get(page)
  if (bytesPerSecond === -1) {
    await slow?.detach()
    lines.delete(page)
    return
  }
  const line = slow ?? (await page.context().newCDPSession(page))
  lines.set(page, line)
  await line.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  })
}

/** Who slowed a line down, hastens it: what several ask for, the slowest gets. */
const lines = new WeakMap<Page, CDPSession>()

/** Waits until the server has some of it, but not all. */
export async function midWay(page: Page): Promise<void> {
  await uploadPanel(page).waitFor()
  await seenInPage(page, 60_000, '#upload *', (inPanel) =>
    [...document.querySelectorAll(inPanel)].some(
      (part) => /^[1-9]\d? %$/.test(part.textContent) && part.checkVisibility(),
    ),
  )
}

/** The library's copy is what was given, byte for byte. */
export async function hasBytes(url: string, { audioUrl }: Teaching, { buffer }: Recording): Promise<void> {
  const there = Buffer.from(await (await fetch(url + audioUrl!)).arrayBuffer())
  expect(there.equals(buffer)).toBe(true)
}
