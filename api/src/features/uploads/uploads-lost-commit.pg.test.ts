import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/connection.ts'
import { fixture } from '../../testing/multipart.ts'
import { testApp } from '../../testing/test-app.ts'
import { receiveFile } from './uploads.ts'

const app = await testApp()
const mp3 = await fixture('cbr.mp3')
const name = `${createHash('sha256').update(mp3).digest('hex')}.mp3`
const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }

async function receive(context: Context): Promise<unknown> {
  const staged = await context.storage.stage()
  await staged.write([mp3])
  const recording = { staged, hashing: context.hashes.follow(staged.path) }
  return receiveFile(context, recording, { create: fields, by: { id: null, name: 'the test' } })
}
const stored = () => readdir(path.join(app.dataDir, 'audio'))
const lost = () => Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })

/** The real database, but its first transaction loses its connection before or after the commit. */
function losing(sql: Database, when: 'before COMMIT' | 'after COMMIT'): Database {
  let isFirst = true
  return new Proxy(sql, {
    get(target, key) {
      if (key !== 'begin') return Reflect.get(target, key) as unknown
      return async (options: string, work: (tx: unknown) => Promise<unknown>) => {
        if (!isFirst) return target.begin(options, work as never)
        isFirst = false
        await target.begin(options, async (tx) => {
          await work(tx)
          if (when === 'before COMMIT') throw lost()
        })
        throw lost()
      }
    },
  })
}

test('a connection lost before COMMIT leaves no file', async () => {
  const context = { ...app.context, sql: losing(app.context.sql, 'before COMMIT') }
  await expect(receive(context)).rejects.toThrow('CONNECTION_CLOSED')
  expect(await app.context.sql`select 1 from teachings`).toEqual([])
  expect(await stored()).toEqual([])
})

test('a connection lost after COMMIT keeps teaching and file', async () => {
  const context = { ...app.context, sql: losing(app.context.sql, 'after COMMIT') }
  await expect(receive(context)).rejects.toThrow('CONNECTION_CLOSED')
  expect(await app.context.sql`select title from teachings`).toEqual([{ title: 'Hope' }])
  expect(await stored()).toEqual([name])
})
