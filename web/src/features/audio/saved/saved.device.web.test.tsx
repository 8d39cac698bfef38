import { aTeaching } from '@fellowship/schema/testing/builders'
import { audioDatabase } from '@fellowship/sync/client/database/audio-database'
import { audioDownloads } from '@fellowship/sync/client/saved-audio/audio-downloads'
import { beforeEach, expect, test, vi } from 'vitest'
import { testServer } from '../../../testing/test-server.ts'
import { saveRecordings, saveSize } from './saved.device.ts'

const original = aTeaching({ id: 1, uid: 'a', title: 'Hope', audioBytes: 4_000 })
const copy = { ...original, audioUrl: `/audio/${'c'.repeat(64)}.mp3`, audioBytes: 1_000 }
const rows = () => audioDatabase().recordings.toArray()

beforeEach(async () => {
  await testServer({})
  await audioDatabase().recordings.clear()
})

test.each([
  ['saving', original, () => saveRecordings([original])],
  ['saving another size', copy, () => saveSize(copy, original, original)],
])('%s tries the downloads at once, whatever failed before', async (_, wanted, save) => {
  const wake = vi.spyOn(audioDownloads(), 'wake').mockReturnValue()
  await save()
  expect(wake).toHaveBeenCalledTimes(1)
  expect((await rows()).map(({ url }) => url)).toContain(wanted.audioUrl)
})
