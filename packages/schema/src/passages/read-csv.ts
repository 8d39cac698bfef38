/** A record of a CSV file and the line it begins in, counted from 1. */
export interface CsvRecord {
  readonly line: number
  readonly fields: string[]
}

/**
 * Reads comma-separated values (RFC 4180): quoted fields may hold commas, line breaks and doubled quotes. Blank lines
 * are left out.
 *
 * @returns the records, or the line in which a quoted field begins that never ends
 */
export function readCsv(text: string): CsvRecord[] | { unclosedQuoteInLine: number } {
  const records: CsvRecord[] = []
  let line = 1
  let at = text.startsWith('\uFEFF') ? 1 : 0
  while (at < text.length) {
    const record: CsvRecord = { line, fields: [] }
    for (;;) {
      const field = text[at] === '"' ? quotedField(text, at) : plainField(text, at)
      if (!field) return { unclosedQuoteInLine: line }
      record.fields.push(field.value)
      line += text.slice(at, field.end).split('\n').length - 1
      at = field.end
      if (text[at] !== ',') break
      at += 1
    }
    const [ending] = /^(?:\r\n|\r|\n)?/.exec(text.slice(at, at + 2))!
    at += ending.length
    line += 1
    if (record.fields.length > 1 || record.fields[0]!.trim() !== '') records.push(record)
  }
  return records
}

interface Field {
  value: string
  end: number
}

function quotedField(text: string, start: number): Field | undefined {
  let close = text.indexOf('"', start + 1)
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  if (close < 0) return undefined
  // What stands between the closing quote and the comma belongs to it: better than losing it.
  const rest = plainField(text, close + 1)
  return { value: text.slice(start + 1, close).replaceAll('""', '"') + rest.value.trimEnd(), end: rest.end }
}

function plainField(text: string, start: number): Field {
  let end = start
  while (end < text.length && !',\r\n'.includes(text[end]!)) end += 1
  return { value: text.slice(start, end), end }
}
