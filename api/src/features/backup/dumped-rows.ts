import { backupLimits } from '@fellowship/schema/backup/backup.limits'
import { z } from 'zod'
import { parsedJson } from '../../machine/json.ts'
import { RestoreRefusal } from './manifest.ts'

/** Consecutive rows of a table, each as JSON. */
export interface DumpedRows {
  readonly table: string
  readonly rows: readonly string[]
}

/**
 * Reads database.json in constant memory. Every table is reported, an empty one without rows.
 *
 * @throws RestoreRefusal if it has another form, or a row is larger than rows are
 */
export async function* dumpedRows(source: AsyncIterable<Buffer>): AsyncGenerator<DumpedRows> {
  const reader = rowReader()
  for await (const chunk of source) {
    reader.take(chunk)
    if (reader.isFull()) yield* reader.drain()
  }
  reader.end()
  yield* reader.drain()
}

/** Rows, and their bytes, that are reported together. */
const batch = { rows: 500, bytes: 4 * 1024 * 1024 }

/** The members of database.json beside its rows. */
const outline = z.object({
  format: z.literal(1),
  tables: z.record(z.string().regex(/^[a-z_]+$/), z.array(z.never())),
})
const mostOutlineBytes = 64 * 1024

/** {"format":1,"tables":{"users":[ is three deep, and each of its objects a row. */
const depthOfRows = 3

const code = (character: string) => character.charCodeAt(0)
const [quote, backslash, comma] = [code('"'), code('\\'), code(',')]
const opening = new Set([code('{'), code('[')])
const closing = new Set([code('}'), code(']')])
const space = new Set([' ', '\n', '\r', '\t'].map(code))

/**
 * Cuts the text at the borders of its rows, and leaves the parsing of each row, and of the outline around them, to the JSON
 * parser.
 */
function rowReader() {
  let depth = 0
  let inString = false
  let isEscaped = false
  let outside = ''
  let table = ''
  /** The bytes of the present row in earlier chunks. */
  let begun: Buffer[] = []
  let begunBytes = 0
  let batches: { table: string; rows: string[] }[] = []
  let waiting = { rows: 0, bytes: 0 }

  return {
    take,
    isFull: () => waiting.rows >= batch.rows || waiting.bytes >= batch.bytes,
    *drain(): Generator<DumpedRows> {
      const ready = batches
      batches = []
      waiting = { rows: 0, bytes: 0 }
      yield* ready
    },
    end(): void {
      if (depth !== 0 || !outline.safeParse(parsedJson(Buffer.from(outside))).success) throw unreadable()
    },
  }

  function take(chunk: Buffer): void {
    let from = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!
      const isInRow = depth > depthOfRows
      if (inString) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) inString = false
      } else if (byte === quote) inString = true
      else if (opening.has(byte)) {
        if (depth === depthOfRows) from = at
        depth += 1
        if (depth === depthOfRows) beginTable()
      } else if (closing.has(byte)) {
        depth -= 1
        if (depth === depthOfRows) {
          endRow(chunk.subarray(from, at + 1))
          continue
        }
      } else if (depth === depthOfRows && (byte === comma || space.has(byte))) continue
      if (!isInRow && depth <= depthOfRows) outside += String.fromCharCode(byte)
    }
    if (outside.length > mostOutlineBytes) throw unreadable()
    if (depth > depthOfRows) addToRow(chunk.subarray(from))
  }

  function beginTable(): void {
    table = /"([a-z_]+)"\s*:\s*$/.exec(outside)?.[1] ?? ''
    if (table === '') throw unreadable()
    batches.push({ table, rows: [] })
  }

  function addToRow(bytes: Buffer): void {
    begun.push(Buffer.from(bytes))
    begunBytes += bytes.length
    if (begunBytes > backupLimits.rowBytes) throw rowTooLarge(table)
  }

  function endRow(bytes: Buffer): void {
    const length = begunBytes + bytes.length
    if (length > backupLimits.rowBytes) throw rowTooLarge(table)
    const last = batches.at(-1)
    const rows = last?.table === table ? last.rows : []
    if (last?.table !== table) batches.push({ table, rows })
    rows.push(begun.length === 0 ? bytes.toString() : Buffer.concat([...begun, bytes]).toString())
    waiting = { rows: waiting.rows + 1, bytes: waiting.bytes + length }
    begun = []
    begunBytes = 0
  }
}

const unreadable = () => new RestoreRefusal('database.json cannot be read by this version of the product.')

const rowTooLarge = (table: string) =>
  new RestoreRefusal(
    `database.json has a row of ${table} with more than ${backupLimits.rowBytes} bytes. No backup of this product is like that: take another one.`,
  )
