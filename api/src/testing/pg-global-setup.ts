import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { connect, type Place } from '../db/connection.ts'
import { createDatabase, migrate } from '../db/database.ts'
import { startEmbedded } from '../db/embedded.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A migrated database; each test file gets a copy of it. */
    template: Place
    /** The place of the folder that `copyStarted` copies, once a test needed it. */
    startedOnceIn: string
  }
}

/**
 * One PostgreSQL per test run, and in it a migrated template. It ends with the run, even when the run is killed.
 * With TEST_DATABASE_URL (a superuser's address) the template and its copies are made on that server instead.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const external = process.env['TEST_DATABASE_URL']
  const template = external ? await makeExternal(external) : await makeEmbedded()
  const sql = connect(template.place, { max: 1 })
  await migrate(sql)
  await sql.end()
  project.provide('template', template.place)
  const startedOnceIn = await mkdtemp(path.join(tmpdir(), 'started-once-'))
  await chmod(startedOnceIn, 0o755)
  project.provide('startedOnceIn', startedOnceIn)
  return async () => {
    await template.close()
    await rm(startedOnceIn, { recursive: true, force: true })
  }
}

interface Template {
  place: Place
  close(): Promise<void>
}

async function makeEmbedded(): Promise<Template> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'test-pg-'))
  await chmod(dataDir, 0o755)
  const server = await startEmbedded({ dataDir, throwaway: true })
  const place = { socketFolder: server.socketFolder, database: 'template' }
  await createDatabase(place)
  return { place, close: () => server.stop() }
}

async function makeExternal(url: string): Promise<Template> {
  const place = new URL(url)
  place.pathname = `/template_${randomUUID().replaceAll('-', '')}`
  const admin = connect({ url }, { max: 1 })
  const name = place.pathname.slice(1)
  await admin`create database ${admin(name)}`
  return {
    place: { url: place.href },
    async close() {
      await admin`drop database ${admin(name)} with (force)`
      await admin.end()
    },
  }
}
