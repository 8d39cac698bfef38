import { expect, test } from 'vitest'
import { dumpedRows } from './dumped-rows.ts'

/** Reads the text in pieces of this length; the rows by table. */
async function readIn(text: string, length: number): Promise<Record<string, unknown[]>> {
  const bytes = Buffer.from(text)
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
  }
  const found: Record<string, unknown[]> = {}
  for await (const { table, rows } of dumpedRows(pieces()))
    found[table] = [...(found[table] ?? []), ...rows.map((row) => JSON.parse(row) as unknown)]
  return found
}

const tables = {
  users: [
    { id: 1, name: 'A "quoted\\" } ] name' },
    { id: 2, name: 'Tāne 🎧' },
  ],
  empty: [],
  audit_log: [{ details: { deep: [[{ a: '{' }], '\\'] } }, {}],
}
const compact = JSON.stringify({ format: 1, tables })
const spaced = JSON.stringify({ tables, format: 1 }, null, 2)

test.each([1, 2, 3, 7, 64, 10_000])('reads rows from pieces of %i bytes', async (length) => {
  expect(await readIn(compact, length)).toEqual(tables)
  expect(await readIn(spaced, length)).toEqual(tables)
})

test.each([
  ['another format', '{"format":2,"tables":{}}'],
  ['no tables', '{"format":1}'],
  ['a cut text', compact.slice(0, -1)],
  ['a cut row', compact.slice(0, 60)],
  ['rows that are numbers', '{"format":1,"tables":{"users":[1,2]}}'],
  ['a table with a strange name', '{"format":1,"tables":{"Users; --":[{"id":1}]}}'],
  ['rows at another depth', '[[[{"id":1}]]]'],
  ['text after the end', `${compact}{}`],
  ['a long outline', `{"format":1,"tables":{},"x":"${'y'.repeat(100_000)}"}`],
  ['a row without end', `{"format":1,"tables":{"users":[{"name":"${'y'.repeat(5_000_000)}`],
])('refuses %s', async (_, text) => {
  await expect(readIn(text, 1000)).rejects.toThrow(/^database\.json /)
})
