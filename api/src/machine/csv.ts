import Papa from 'papaparse'

/** A record of a CSV file and the line it begins in, counted from 1. */
export interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

/**
 * Reads comma-separated values (RFC 4180): quoted fields may hold commas, line breaks and doubled quotes. Blank lines
 * are left out.
 *
 * @param most reading ends at more lines that are records, blank ones included
 * @returns the records, or the line of the first record whose quotation marks do not match, or the first line too many
 */
export function readCsv(
  text: string,
  most: number,
): CsvRecord[] | { wrongQuoteInLine: number } | { tooManyInLine: number } {
  // The parser tells one kind of line ending from the first lines; a file may mix them.
  const content = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const records: CsvRecord[] = []
  let wrongQuoteInLine: number | undefined
  let line = 1
  let read = 0
  let steps = 0
  let tooManyInLine: number | undefined
  Papa.parse<string[]>(content, {
    delimiter: ',',
    newline: '\n',
    step: ({ data: fields, errors, meta }, parser) => {
      if ((steps += 1) > most) {
        tooManyInLine = line
        return parser.abort()
      }
      if (errors.length > 0) wrongQuoteInLine ??= line
      if (fields.length > 1 || fields[0]?.trim()) records.push({ line, fields })
      line += content.slice(read, meta.cursor).split('\n').length - 1
      read = meta.cursor
    },
  })
  if (tooManyInLine !== undefined) return { tooManyInLine }
  return wrongQuoteInLine === undefined ? records : { wrongQuoteInLine }
}
