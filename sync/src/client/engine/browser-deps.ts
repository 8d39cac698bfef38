import { browserTransport } from '../../call/call.ts'
import type { DeviceDatabase } from '../database/device-database.ts'
import { withLeaderLock } from './leader.ts'
import type { SendingDeps } from './queue.ts'
import { deviceRequestRate } from './rate.ts'
import { pause } from './sleep.ts'

/** The browser's own deps for the queue with this leader lock, on this database. */
export const browserDeps = (lock: string, db: DeviceDatabase): SendingDeps => ({
  transport: browserTransport,
  now: () => Date.now(),
  random: () => Math.random(),
  rate: deviceRequestRate,
  pause,
  withLeaderLock: (work) => withLeaderLock(lock, db, work),
})
