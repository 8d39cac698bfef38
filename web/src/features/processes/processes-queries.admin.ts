import { processes } from '@fellowship/schema/processes/processes.contract'
import { processTexts } from '@fellowship/schema/processes/processes.texts'
import { adminQuery, refresh } from '../../lib/admin-query.ts'

export const useProcesses = adminQuery(processes.list)

/** Refetches the list. */
export const refreshProcesses = (): Promise<void> => refresh(processes.list, processTexts.loadFailed)
