import { describe, expect, test } from 'vitest'
import { isSwiftMissing, startSwift } from '@fellowship/api/testing/swift'
import { journey } from './support/journey.ts'
import { save, seekTo, serverDown, sound, synced } from './support/offline-steps.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, play, sounds } from './support/screens.ts'

describe.skipIf(isSwiftMissing())('recordings in a bucket, from a public address,', async () => {
  if (isSwiftMissing()) return
  const swift = await startSwift()
  const site = journey({
    S3_ENDPOINT: swift.endpoint,
    S3_BUCKET: swift.bucket,
    S3_ACCESS_KEY_ID: swift.accessKeyId,
    S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
    S3_PUBLIC_URL: swift.publicUrl,
  })

  test('play, seek, and are saved and heard without the server', async () => {
    const title = 'The good shepherd'
    await site.add(mp3('a.mp3', { bytes: 3_000_000 }), { title, speaker: 'Jane Doe', date: '2026-11-15' })
    const page = await site.visit('/teaching', { firstVisit: true, allow: serverDown })
    const asked = new Set<string>()
    page.on('response', (response) => {
      const { origin, pathname } = new URL(response.url())
      if (pathname.endsWith('.mp3')) asked.add(`${response.status()} ${origin}`)
    })
    await synced(page)
    await play(page, title)
    await sounds(page)
    await seekTo(page, 0.9)
    await comesTo(async () => {
      const { at, of } = await sound(page)
      return at / of > 0.85
    }, true)
    await sounds(page)
    expect([...asked].toSorted()).toEqual([`206 ${swift.endpoint}`, `302 ${site.url}`].toSorted())
    await save(page, title)

    await site.product.kill()
    const cold = await site.visitBeside(page, '/teaching', serverDown)
    await play(cold, title)
    await cold.getByText('Playing from this device').waitFor()
    await sounds(cold)
  })
})
