import { beforeEach, describe, expect, test } from 'vitest'
import { series } from '@fellowship/schema/series/series.contract'
import { bin, teachings } from '@fellowship/schema/teachings/teachings.contract'
import { undoMinutes } from '@fellowship/schema/teachings/teachings.limits'
import { binTexts } from '@fellowship/schema/teachings/teachings.texts'
import { call } from '@fellowship/sync/call/call'
import { refusal } from '../../testing/test-client.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'

const app = await testApp()
const { clock } = app
const { sql } = app.context
const visitor = app.client()
const ruth = await app.signedIn()
const john = await app.signedIn()
const admin = await app.signedIn('admin')

beforeEach(async () => {
  await sql`delete from series`
  await sql`delete from teachings`
})

/** The kinds that can be deleted: their calls to delete, restore and list. */
const kinds = [
  {
    kind: 'a teaching',
    make: async () => {
      const [row] = await sql<{ id: number }[]>`
        insert into teachings (title, speaker, date, year) values ('Hope', 'Ana', '2026-11-22', 2026) returning id`
      const params = { id: row!.id }
      return {
        remove: (by: TestClient) => call(teachings.remove, { params }, by),
        undo: (by: TestClient) => call(teachings.undoRemove, { params }, by),
        restore: () => call(bin.restore, { params }, admin),
      }
    },
    list: () => call(teachings.list, {}, visitor),
  },
  {
    kind: 'a series',
    make: async () => {
      const { uid } = await call(
        series.create,
        { body: { title: 'Hope', description: '', teachings: [] } },
        ruth,
      )
      const params = { uid }
      return {
        remove: (by: TestClient) => call(series.remove, { params, query: {} }, by),
        undo: (by: TestClient) => call(series.undoRemove, { params }, by),
        restore: () => call(series.restore, { params }, admin),
      }
    },
    list: () => call(series.list, {}, visitor),
  },
]

describe.each(kinds)('$kind that was deleted', ({ make, list }) => {
  const late = { status: 403, code: 'forbidden', sentence: binTexts.undoLate }

  test('only the person who deleted it can undo', async () => {
    const { remove, undo } = await make()
    expect(await refusal(undo(ruth))).toMatchObject({ status: 404, code: 'not_found' })
    await remove(ruth)
    expect(await refusal(undo(visitor))).toMatchObject({ status: 401 })
    expect(await refusal(undo(john))).toMatchObject(late)
    expect(await refusal(undo(admin))).toMatchObject(late)
    expect(await list()).toEqual([])
  })

  test('an earlier deleter cannot undo a later deletion', async () => {
    const { remove, undo, restore } = await make()
    await remove(ruth)
    await restore()
    await remove(john)
    expect(await refusal(undo(ruth))).toMatchObject(late)
    await undo(john)
    expect(await list()).toHaveLength(1)
  })

  test('its deleter can undo for ten minutes, audited', async () => {
    const { remove, undo } = await make()
    await remove(ruth)
    clock.advance(undoMinutes * 60_000 - 1)
    expect(await undo(ruth)).toMatchObject({ title: 'Hope' })
    expect(await list()).toHaveLength(1)
    const [last] = await sql<{ action: string; email: string }[]>`
      select action, email from audit_log join users on users.id = user_id order by audit_log.id desc limit 1`
    expect([last!.action.split('.')[1], last!.email]).toEqual(['restored', ruth.email])

    await remove(ruth)
    clock.advance(undoMinutes * 60_000 + 1)
    expect(await refusal(undo(ruth))).toMatchObject(late)
    expect(await list()).toEqual([])
  })
})
