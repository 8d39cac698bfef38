import type { ListeningMarks } from '@fellowship/schema/listening/listening-marks'
import { lazyStore, useLazyStore } from '../../lib/lazy-store.ts'

const marks = lazyStore<ReadonlyMap<string, ListeningMarks> | undefined>(undefined, (set) =>
  import('./marks.device.ts').then(({ watchMarks }) => watchMarks(set)),
)

/** The marks of a teaching as they change; undefined if it has none, or until they are read. */
export const useMarks = (uid: string): ListeningMarks | undefined => useLazyStore(marks)?.get(uid)
