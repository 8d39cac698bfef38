import type { DeviceReader } from './simulated-history.ts'

/** All states of entries, uploads and recordings on a device. */
export const entryStates = [
  ...(['queued', 'sending', 'blocked_auth', 'conflict', 'rejected'] as const).map(
    (state) => `of the outbox, ${state}`,
  ),
  ...(['queued', 'sending', 'blocked_auth', 'duplicate', 'rejected', 'done', 'lost'] as const).map(
    (state) => `of the uploads, ${state}`,
  ),
  ...(['waiting', 'ready'] as const).map((state) => `of the saved recordings, ${state}`),
]

/** States in which entries are seldom found, the rarest first. */
export const fleeting = new Set([
  'of the outbox, conflict',
  'of the uploads, rejected',
  'of the saved recordings, waiting',
  'of the uploads, sending',
  'of the outbox, sending',
  'of the uploads, queued',
])
/** The order in which the states of a device choose its next event. */
export const rarestFirst = [...fleeting, ...entryStates]

/** States of the entries, uploads and recordings of a device, each as in `entryStates`. */
export async function statesOf({ app, uploads, audio }: DeviceReader): Promise<string[]> {
  return [
    ...(await app.outbox.toArray()).map(({ state }) => `of the outbox, ${state}`),
    ...(await uploads.jobs.toArray()).map(
      ({ state }) =>
        `of the uploads, ${['creating', 'uploading', 'finalizing'].includes(state) ? 'sending' : state}`,
    ),
    ...(await audio.recordings.toArray()).map(({ state }) => `of the saved recordings, ${state}`),
  ]
}

export const pairOf = (state: string, fault: string) => `${state} × ${fault}`
