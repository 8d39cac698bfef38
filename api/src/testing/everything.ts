import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { testApp } from './test-app.ts'

/** A snapshot of all rows and files of an instance, to assert that nothing has changed. */
export async function everything({
  context: { sql },
  dataDir,
}: Pick<Awaited<ReturnType<typeof testApp>>, 'context' | 'dataDir'>) {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`
  const rows: Record<string, unknown> = {}
  for (const { name } of tables) rows[name] = await sql`select t::text from ${sql(name)} t order by 1`
  // Refused requests count among a person's writes too.
  const counted = rows['counted_attempts'] as { t: string }[]
  rows['counted_attempts'] = counted.filter(({ t }) => !t.startsWith('(writes,'))
  const files: Record<string, string> = {}
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    files[file] = entry.isFile() ? await readFile(file, 'base64') : 'folder'
  }
  return { rows, files }
}
