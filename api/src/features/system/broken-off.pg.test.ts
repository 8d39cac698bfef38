import { once } from 'node:events'
import http from 'node:http'
import { expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { createLog } from '../../machine/log.ts'
import { fixture, formBody, storedFiles } from '../../testing/multipart.ts'
import { testApp } from '../../testing/test-app.ts'
import { tusClient } from '../../testing/tus.ts'

const errors: unknown[] = []
const log = createLog('silent')
log.error = (...said: unknown[]) => void errors.push(said)
const app = await testApp({}, () => ({ log }))
const person = await app.signedIn()
const token = (await call(auth.csrfToken, {}, person)).csrfToken
const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
const mp3 = await fixture('cbr.mp3')

/** Sends the head of a request and a part of its body, then breaks the connection off. */
async function breakOff(
  method: string,
  path: string,
  headers: http.OutgoingHttpHeaders,
  part: Buffer,
): Promise<void> {
  const request = http.request(app.url + path, {
    method,
    agent: false,
    headers: { cookie, 'x-csrf-token': token, 'content-length': part.length + 1000, ...headers },
  })
  request.once('error', () => undefined)
  const arrived = once(app.server, 'request') as Promise<[http.IncomingMessage]>
  request.write(part)
  const [incoming] = await arrived
  const closed = new Promise((resolve) => incoming.socket.once('close', resolve))
  request.destroy()
  await closed
}

const form = Buffer.concat([
  ...formBody([{ name: 'audioFile', filename: 'a.mp3', body: [mp3] }], { close: false }),
])

test('an aborted request logs no error', async () => {
  const id = uuidv7(Date.now())
  await tusClient(person, token).create(mp3.length + 1000, { jobId: id })
  const json = { 'content-type': 'application/json' }
  for (let round = 0; round < 5; round++) {
    await breakOff('POST', '/api/auth/login', json, Buffer.from('{"email":'))
    await breakOff('POST', '/api/uploads/check-duplicate', json, Buffer.from('{'))
    await breakOff(
      'POST',
      '/api/sermons/smart-upload',
      { 'content-type': 'multipart/form-data; boundary=xYzZyBoundary' },
      form,
    )
    await breakOff(
      'PATCH',
      `/api/uploads/${id}`,
      {
        'tus-resumable': '1.0.0',
        'upload-offset': String(round * 10),
        'content-type': 'application/offset+octet-stream',
        'content-length': mp3.length,
      },
      mp3.subarray(0, 10),
    )
  }
  expect((await fetch(`${app.url}/api/health/live`)).status).toBe(200)
  await expect.poll(() => storedFiles(app.dataDir)).toEqual({ staging: [], audio: [] })
  expect(errors).toEqual([])
})
