import { copyTexts } from '@fellowship/schema/copies/copies.texts'
import type { copies } from '@fellowship/schema/copies/copies.contract'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'

/**
 * How the latest upload sounds, if it has no fault.
 *
 * @param answer the server's, requested after the upload; an earlier one knows nothing about it
 */
export function latestSoundWords(
  latest: Teaching,
  answer: Pick<AnswerOf<typeof copies.sounds>, 'waiting' | 'unmeasurable'> | undefined,
): string {
  const isWaiting = !answer || answer.waiting.includes(latest.uid)
  const isUnmeasurable = answer?.unmeasurable.includes(latest.uid)
  return copyTexts.latest(
    shownTitle(latest),
    isWaiting ? 'waiting' : isUnmeasurable ? 'unmeasurable' : 'fine',
  )
}
