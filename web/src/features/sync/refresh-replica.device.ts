import { syncSession } from '@fellowship/sync/client/replica/sync-session'

/** Pulls from the server now, after a change by this device's user, whatever the outcome. */
export const refreshReplica = (): void =>
  void syncSession()
    .pull()
    .catch(() => undefined)
