import { church, onChurch } from '@fellowship/schema/church'
import type { Site } from '@fellowship/schema/site/site.contract'
import { useSyncExternalStore } from 'react'

/** The identity of the site; renders again when it changes. */
export const useChurch = (): Site => useSyncExternalStore(onChurch, church, church)
