import type { BenchRow } from './area.ts'

const head = ['Work', 'Product', 'Yardstick, same run', 'Ratio (range)', 'Target', '']

/** All rows as one Markdown table with aligned columns. */
export function markdownTable(rows: readonly BenchRow[]): string {
  const all = [head, ...rows.map(cellsOf)]
  const widths = head.map((_, column) => Math.max(3, ...all.map((cells) => cells[column]!.length)))
  const line = (cells: readonly string[]) => lineOf(cells.map((cell, column) => cell.padEnd(widths[column]!)))
  const [first, ...body] = all.map(line)
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [first!, rule, ...body].join('\n')
}

/** One row as a line of the table, not aligned: the widths of the rows to come are not known yet. */
export const tableLine = (row: BenchRow): string => lineOf(cellsOf(row))

const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

function cellsOf({ work, product, yardstick, ratio, target, met }: BenchRow): string[] {
  return [work, product, yardstick, ratio, target, target === '–' ? '' : met ? 'met' : 'NOT met']
}
