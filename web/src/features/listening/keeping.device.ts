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
  toasted(async () => {
    await call(listening.choose, { body: { on: true } })
    await turnOn(appDatabase(), userId)
    return texts.turnedOn
  })

/** Turns off sync, so that later changes stay on this device; `remove` deletes the data on the server. */
export const keepHere = (userId: number, { remove }: { remove: boolean }): Promise<void> =>
  toasted(async () => {
    const { held } = await call(listening.choose, { body: { on: false, remove } })
    await turnOff(appDatabase(), userId, held)
    return texts.turnedOff(held)
  })

/** Adds the anonymous listening data of this device to this person's. */
export const claimAnonymousListening = (userId: number): Promise<void> =>
  toasted(() => claimAnonymous(appDatabase(), userId).then(() => texts.added))

/** Shows the title that `work` resolves with, or why it failed. */
async function toasted(work: () => Promise<string>): Promise<void> {
  try {
    showToast({ title: await work() })
    void pageQueues().listening.syncNow()
  } catch (error) {
    showToast({ title: texts.notTurned, description: sentenceOfError(error), kind: 'destructive' })
  }
}
