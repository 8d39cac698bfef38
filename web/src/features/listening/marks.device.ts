import type { ListeningMarks, MarkName } from '@fellowship/schema/listening/listening-marks'
import { listeningTexts } from '@fellowship/schema/listening/listening.texts'
import { watch } from '@fellowship/sync/client/engine/live'
import { readMarks, writeMark } from '@fellowship/sync/client/listening/listening.store'
import { showToast } from '../../ui/toast.ts'

/** Reports the marks by uid, now and after every change in any tab; resolves after the first report. */
export function watchMarks(onChange: (marks: ReadonlyMap<string, ListeningMarks>) => void): Promise<void> {
  return new Promise((resolve) => {
    watch(
      () => readMarks(),
      (rows) => {
        onChange(new Map(rows.map((row) => [row.uid, row])))
        resolve()
      },
    )
  })
}

/** Sets or removes a mark; shows a toast if the device cannot store it. */
export async function mark(uid: string, name: MarkName, on: boolean): Promise<void> {
  await writeMark(uid, name, on).catch(() => showToast({ ...listeningTexts.notKept, kind: 'destructive' }))
}
