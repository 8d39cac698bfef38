import type { Area, BenchRow } from './area.ts'
import { tableLine } from './table.ts'
import { packageOf, type Tool } from './tools.ts'

interface Machine {
  isInstalled: (tool: Tool) => boolean
  print: (line: string) => void
}

/**
 * Runs the areas one after the other and prints each row as it is measured. An area whose programs are not installed, or
 * that fails, is one line with the reason; the others still run.
 *
 * @returns every row measured, those of failed areas included
 */
export async function runAreas(areas: readonly Area[], { isInstalled, print }: Machine): Promise<BenchRow[]> {
  const rows: BenchRow[] = []
  const report = (row: BenchRow) => {
    rows.push(row)
    print(tableLine(row))
  }
  for (const area of areas) {
    const missing = area.needs.filter((tool) => !isInstalled(tool))
    if (missing.length > 0) {
      const packages = missing.map((tool) => `${tool} (package ${packageOf(tool)})`).join(', ')
      print(`${area.name}: skipped, this machine has no ${packages}.`)
      continue
    }
    print(`${area.name} …`)
    const failure = await runArea(area, report)
    if (failure !== undefined) print(`${area.name}: could not run: ${reasonOf(failure)}`)
  }
  return rows
}

/** The error that ended the area early; the first one if cleaning up failed as well. */
async function runArea(area: Area, report: (row: BenchRow) => void): Promise<unknown> {
  const cleanups: (() => Promise<void> | void)[] = []
  const failures: unknown[] = []
  const attempt = async (work: () => Promise<void> | void) => {
    try {
      await work()
    } catch (error) {
      failures.push(error)
    }
  }
  await attempt(() => area.run({ report, onEnd: (cleanup) => void cleanups.push(cleanup) }))
  for (const cleanup of cleanups.toReversed()) await attempt(cleanup)
  return failures[0]
}

/** An error on one line: a server that did not start puts its whole output into the message. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const line = message.replaceAll(/\s+/g, ' ').trim() || 'no reason given'
  return line.length > 300 ? `${line.slice(0, 299)}…` : line
}
