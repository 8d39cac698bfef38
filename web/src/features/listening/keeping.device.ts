import { listening } from '@fellowship/schema/listening/listening.contract'
import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { claimAnonymous, turnOff, turnOn } from '@fellowship/sync/client/listening/listening-accounts'
import { pageQueues } from '../sync/page-queues.ts'
import { showToast } from '../../ui/toast.ts'

/** Turns on sync with the account for the listening data on this device. */
export const keepWithAccount = (userId: number): Promise<void> =>
  toasted(texts.turnedOn, async () => {
    await call(listening.choose, { body: { on: true } })
    await turnOn(appDatabase(), userId)
  })

/** Turns off sync, so that the data stays on this device alone; `remove` deletes it on the server. */
export const keepHere = (userId: number, { remove }: { remove: boolean }): Promise<void> =>
  toasted(texts.turnedOff, async () => {
    const { held } = await call(listening.choose, { body: { on: false, remove } })
    await turnOff(appDatabase(), userId, held)
  })

/** Adds the listening data made without an account to this person's. */
export const claimAnonymousListening = (userId: number): Promise<void> =>
  toasted(texts.added, () => claimAnonymous(appDatabase(), userId))

async function toasted(done: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
    showToast({ title: done })
    void pageQueues().listening.syncNow()
  } catch (error) {
    showToast({ title: texts.notTurned, description: sentenceOfError(error), kind: 'destructive' })
  }
}
