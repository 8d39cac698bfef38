import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { watch } from '@fellowship/sync/client/engine/live'

/** Calls back when a teaching that was in the library of this device is no longer in it; returns the end of watching. */
export function watchRemoval(uid: string, then: () => void): () => void {
  const { teachings } = appDatabase()
  let wasThere = false
  return watch(
    () => teachings.get(uid),
    (teaching) => {
      if (wasThere && !teaching) then()
      wasThere = teaching !== undefined
    },
  )
}
