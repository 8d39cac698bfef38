import type { Figure } from './area.ts'

/** The figures as a table that reads as well on a terminal as on a page. */
export function markdownTable(figures: readonly Figure[]): string {
  const rows = [
    ['Work', 'Product', 'Yardstick, same run', 'Ratio (range)', 'Target', ''],
    ...figures.map(({ work, product, yardstick, ratio, target, met }) => [
      work,
      product,
      yardstick,
      ratio,
      target,
      target === '–' ? '' : met ? 'met' : 'NOT met',
    ]),
  ]
  const widths = rows[0]!.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const [head, ...body] = rows.map(line)
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [head!, rule, ...body].join('\n')
}
