import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { upNextNow } from '../../listening/up-next.ts'
import { playableOf } from '../player/recording-of.ts'
import { savedOf } from '../saved/saved.ts'
import { nextOf, type Following } from './next-of.ts'

/** Whether it can be played on this connection. */
export const canPlay = (teaching: ListedTeaching): boolean => navigator.onLine || isSaved(teaching)

/** The next teaching after the open one in the present list that can be played on this connection. */
export const nextPlayable = (open: string | undefined): Following => nextOf(waiting(), open, canPlay)

/** The next teaching after the open one that is saved on this device. */
export const nextSaved = (open: string | undefined): Following => nextOf(waiting(), open, isSaved)

/** Whether there is another teaching in the list, playable or not. */
export const hasNext = (open: string | undefined): boolean => waiting().some(({ uid }) => uid !== open)

export const isWaiting = (uid: string): boolean => waiting().some((teaching) => teaching.uid === uid)

/** The teaching that played before the open one. */
export const playedBefore = (open: string | undefined): ListedTeaching | undefined =>
  upNextNow()?.playedBefore.find(({ uid }) => uid !== open)

const waiting = (): readonly ListedTeaching[] => upNextNow()?.teachings ?? []

const isSaved = (teaching: ListedTeaching): boolean =>
  savedOf(playableOf(teaching)?.audioUrl ?? null)?.state === 'ready'
