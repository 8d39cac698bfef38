import type { Page } from 'playwright-core'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

interface Waiting {
  state: string
  paused?: boolean
  title?: string
  filename?: string
  lastError?: { code: string }
}

/** The pending work of a device, by its databases. */
interface OnDevice {
  /** `uid rev` of every teaching of the replica. */
  teachings: string[]
  outbox: Waiting[]
  uploads: Waiting[]
  /** Listening to be kept with an account that was neither sent nor refused. */
  listening: number
}

/** Only a person can go on with these. */
const personsTurn = ['conflict', 'rejected', 'blocked_auth', 'duplicate', 'lost']

/**
 * Why a device that has a connection and a server is not at rest with it: one line each, such as `upload of a.mp3: creating`.
 * Empty once all that waited is sent, or is a person's turn, and the device has the same teachings as the server.
 */
export async function unsettled(page: Page, onServer: readonly Teaching[]): Promise<string[]> {
  const device = await onDevice(page)
  const goesOn = ({ state, paused }: Waiting) => state !== 'done' && !paused && !personsTurn.includes(state)
  const theirs = onServer.map(({ uid, rev }) => `${uid} ${rev}`)
  return [
    ...device.outbox.filter(goesOn).map(({ title, state }) => `change of ${title}: ${state}`),
    ...device.uploads.filter(goesOn).map(({ filename, state }) => `upload of ${filename}: ${state}`),
    ...(device.listening > 0 ? [`listening not sent: ${device.listening}`] : []),
    ...theirs.filter((one) => !device.teachings.includes(one)).map((one) => `only on the server: ${one}`),
    ...device.teachings.filter((one) => !theirs.includes(one)).map((one) => `only on the device: ${one}`),
  ]
}

const onDevice = (page: Page): Promise<OnDevice> =>
  page.evaluate(async () => {
    const asked = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result))
        request.addEventListener('error', () => reject(request.error!))
      })
    const all = async <Row>(db: IDBDatabase, table: string) =>
      (await asked(db.transaction(table).objectStore(table).getAll())) as Row[]
    const app = await asked(indexedDB.open('app'))
    const uploads = await asked(indexedDB.open('uploads'))
    const meta = new Map(
      (await all<{ key: string; value: unknown }>(app, 'meta')).map(({ key, value }) => [key, value]),
    )
    const account = meta.get(`listeningAccount:${meta.get('listeningOwner') as number}`)
    const isKept = (account as { on?: boolean } | undefined)?.on === true
    const read = {
      teachings: (await all<Pick<Teaching, 'uid' | 'rev'>>(app, 'teachings')).map(
        ({ uid, rev }) => `${uid} ${rev}`,
      ),
      outbox: await all<Waiting>(app, 'outbox'),
      uploads: await all<Waiting>(uploads, 'jobs'),
      listening: (await all<{ refused?: string }>(app, 'unsentListening')).filter(
        ({ refused }) => isKept && refused === undefined,
      ).length,
    }
    app.close()
    uploads.close()
    return read
  })
