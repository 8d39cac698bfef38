/**
 * `send-hostile-recordings.ts url bytes atOnce seconds`: signs in and sends recordings of frame marks and nothing else, several
 * at once. Prints how many were refused.
 */
import { setPriority } from 'node:os'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { cookieTransport } from '../../dev/cookie-transport.ts'
import { administrator } from '../../e2e/support/product.ts'
import { timeIsUp } from './latency.ts'

const [url = '', ...numbers] = process.argv.slice(2)
const [bytes, atOnce, seconds] = numbers.map(Number) as [number, number, number]

// The measuring process shares this core and must not wait for this one.
setPriority(19)
const person = cookieTransport(url)
await call(auth.login, { body: administrator }, person)
const audioFile = new File([new Uint8Array(Buffer.alloc(bytes, '\xff\xfb', 'latin1'))], 'a.mp3')
const body = { title: 'Hope', speaker: 'Ana', date: '2026-11-22' }
const isOver = timeIsUp(seconds * 1000)
let refused = 0
const one = async () => {
  while (!isOver()) {
    await call(uploads.smartUpload, { body, files: { audioFile } }, person).catch((error: unknown) => {
      if (!(error instanceof CallError)) throw error
      refused += 1
    })
  }
}
await Promise.all(Array.from({ length: atOnce }, one))
console.log(refused)
