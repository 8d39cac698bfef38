import {
  imports,
  type ImportAnswers,
  type ImportReport,
  type ImportState,
} from '@fellowship/schema/imports/imports.contract'
import { importTexts } from '@fellowship/schema/imports/imports.texts'
import { call } from '@fellowship/sync/call/call'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { queryClient } from '../../lib/query-client.ts'
import { refreshReplica } from '../sync/refresh-replica.device.ts'

/** Milliseconds between two looks at an import that works, in case the event stream is broken. */
const pollMs = 20_000
/** Hints come with every item; a thousand of them are many answers. */
const renewMs = 1_000
export const isWorking = (state: ImportState | undefined) => state === 'reading' || state === 'importing'

/** The latest imports, the newest first. */
export const useImports = adminQuery(imports.list, {
  pollMs: (rows) => (rows?.some(({ state }) => isWorking(state)) ? pollMs : false),
})

/** One import with all its items. */
export const useImport = (id: string, state: ImportState) =>
  useQuery<ImportReport>(
    {
      // Another answer for another state, also if this device changed it.
      queryKey: [imports.read.path, id, state],
      queryFn: ({ signal }) => call(imports.read, { params: { id }, signal }),
      refetchInterval: ({ state: { data } }) => (isWorking(data?.state ?? state) ? pollMs : false),
      placeholderData: (earlier) => (earlier?.id === id ? earlier : undefined),
    },
    queryClient,
  )

/** Renews the answers about imports when the server hints at a change. */
export function useProgress(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return
    let renewing: ReturnType<typeof setTimeout> | undefined
    const renew = () => {
      renewing ??= setTimeout(() => {
        renewing = undefined
        for (const { path } of [imports.list, imports.read])
          void queryClient.invalidateQueries({ queryKey: [path] })
      }, renewMs)
    }
    const source = new EventSource(sync.events.path)
    source.addEventListener('changed', renew)
    return () => {
      source.close()
      clearTimeout(renewing)
    }
  }, [isOn])
}

/** A file or an address, with the answers for a table. */
export type NewImport = { answers: ImportAnswers } & ({ source: string } | { file: File })

export const useBegin = adminMutation({
  call: ({ answers, ...from }: NewImport) => {
    if ('source' in from) return call(imports.create, { body: { ...answers, source: from.source } })
    return call(imports.upload, { body: { answers: JSON.stringify(answers) }, files: { file: from.file } })
  },
  failure: importTexts.failed,
  invalidates: [imports.list],
  pendingUntilRefreshed: true,
})

export const useConfirm = adminMutation({
  call: ({ id, answers }: { id: string; answers: ImportAnswers }) =>
    call(imports.confirm, { params: { id }, body: answers }),
  success: () => ({ title: importTexts.confirmed }),
  failure: importTexts.failed,
  invalidates: [imports.list],
  pendingUntilRefreshed: true,
})

export const usePause = adminMutation({
  call: (id: string) => call(imports.pause, { params: { id } }),
  success: ({ state }) => ({ title: state === 'paused' ? importTexts.paused : importTexts.followEnded }),
  failure: importTexts.failed,
  invalidates: [imports.list],
  pendingUntilRefreshed: true,
})

export const useUndo = adminMutation({
  call: (id: string) => call(imports.undo, { params: { id } }),
  success: () => ({ title: importTexts.undone }),
  failure: importTexts.failed,
  invalidates: [imports.list],
  pendingUntilRefreshed: true,
  onSuccess: refreshReplica,
})
