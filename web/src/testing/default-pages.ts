import { readFileSync } from 'node:fs'
import { appDatabase } from '@fellowship/sync/client/database/app-database'

/** Home and About of a fresh start, in the replica of the device. */
export async function putDefaultPages(): Promise<void> {
  const parts = JSON.parse(readFileSync('api/pages.defaults.json', 'utf8')) as Record<string, object>
  const page = { rev: 1, text: '', inNavigation: false, draft: false, imageUrl: null }
  const row = (id: number, slug: string, title: string) => {
    const uid = `6f1c1f0e-2b7a-4c58-a1de-0000000000f${id}`
    return { ...page, id, uid, slug, title, parts: { ...parts[slug] } }
  }
  await appDatabase().pages.bulkPut([row(1, 'home', 'Home'), row(2, 'about', 'About')])
}
