import { expect } from 'vitest'
import type { CDPSession, Page } from 'playwright-core'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { RecordingFile } from './recordings.ts'
import { pickFile, seenInPage, uploadPanel } from './screens.ts'

/** Console messages while the browser is offline. */
export const offlineErrors = [/^net::ERR_(INTERNET_DISCONNECTED|NETWORK_CHANGED|FAILED) /]

/** Chooses a recording and uploads it once its name is parsed. */
export async function uploadRecording(page: Page, recording: RecordingFile | string): Promise<void> {
  await pickFile(page, recording)
  const panel = uploadPanel(page)
  await panel.getByText('Filename Parsed Successfully', { exact: true }).waitFor()
  await panel.getByRole('button', { name: /^Upload (Teaching|\d+ teachings)$/ }).click()
}

/** Throttles uploads, so that they can be interrupted; -1 ends it. */
export async function throttleUploads(page: Page, bytesPerSecond: number): Promise<void> {
  const current = sessions.get(page)
  if (bytesPerSecond === -1) {
    await current?.detach()
    sessions.delete(page)
    return
  }
  const session = current ?? (await page.context().newCDPSession(page))
  sessions.set(page, session)
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond,
  })
}

/** The throttling DevTools session of each page: with several, the slowest would apply. */
const sessions = new WeakMap<Page, CDPSession>()

/** Waits until the upload is partly done. */
export async function partlyUploaded(page: Page): Promise<void> {
  await uploadPanel(page).waitFor()
  await seenInPage(page, 60_000, '#upload *', (inPanel) =>
    [...document.querySelectorAll(inPanel)].some(
      (part) => /^[1-9]\d? %$/.test(part.textContent) && part.checkVisibility(),
    ),
  )
}

/** The published audio equals the recording, byte for byte. */
export async function hasBytes(
  url: string,
  { audioUrl }: Teaching,
  { buffer }: RecordingFile,
): Promise<void> {
  const there = Buffer.from(await (await fetch(url + audioUrl!)).arrayBuffer())
  expect(there.equals(buffer)).toBe(true)
}
