import { useComfort, useReducedData, type Comfort } from '../../lib/comfort.ts'

/** Whether this device stores the transcript index: as the user chose, else unless it reduces data. */
export const keepsIndex = (chosen: Comfort['spoken'], isReduced: boolean): boolean =>
  chosen === undefined ? !isReduced : chosen === 'stored'

export const useKeepsIndex = (): boolean => keepsIndex(useComfort().spoken, useReducedData())
