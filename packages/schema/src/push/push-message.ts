import { church } from '../church.ts'
import { shownTitle } from '../teachings/shown-title.ts'
import { keyOf, teachingPath } from '../teachings/teaching-address.ts'
import type { Teaching } from '../teachings/teachings.schema.ts'
import { pushLimits } from './push.limits.ts'
import { pushTexts } from './push.texts.ts'

/** The message to a device: the same for all, without personal data. */
export interface PushMessage {
  readonly title: string
  readonly body: string
  /** The page that opens when a person presses the notification. */
  readonly path: string
  /** A later message with the same tag replaces it on the screen. */
  readonly tag: string
  /** The teachings, for the count on the icon. */
  readonly uids: readonly string[]
}

/**
 * One message about teachings: the title and the speaker of a single one, else how many and the first of them.
 *
 * @param teachings at least one
 */
export function pushMessage(
  teachings: readonly Pick<Teaching, 'uid' | 'date' | 'title' | 'speaker' | 'scriptureReference'>[],
): PushMessage {
  const [first, second] = teachings
  const uids = teachings.slice(0, pushLimits.uids).map(({ uid }) => uid)
  if (!first) throw new Error('There is nothing to tell.')
  if (!second) {
    const body = `${short(shownTitle(first))} · ${short(first.speaker)}`
    return { title: church().name, body, path: teachingPath(first), tag: keyOf(first), uids }
  }
  const named = `${short(shownTitle(first))}, ${short(shownTitle(second))}${teachings.length > 2 ? ', …' : ''}`
  return {
    title: church().name,
    body: pushTexts.newTeachings(teachings.length, named),
    path: '/teaching?show=new',
    tag: 'several',
    uids,
  }
}

/** Shown if a message cannot be read: browsers withdraw the permission when a site shows no notification. */
export const anyMessage = (): PushMessage => ({
  title: church().name || pushTexts.newTeaching,
  body: pushTexts.newTeaching,
  path: '/teaching',
  tag: 'any',
  uids: [],
})

/** The message that a device received. */
export function readPushMessage(text: string | undefined): PushMessage {
  try {
    const { title, body, path, tag, uids } = JSON.parse(text ?? '') as Record<string, unknown>
    if (![title, body, path, tag].every(isText) || !isOwnPath(path as string)) return anyMessage()
    const named = Array.isArray(uids) ? uids.filter(isText) : []
    return { title, body, path, tag, uids: named } as PushMessage
  } catch {
    return anyMessage()
  }
}

const isText = (value: unknown) => typeof value === 'string'
/** A path of this site, and not the '//host' or '/\host' of another one. */
const isOwnPath = (path: string) => /^\/(?![/\\])/.test(path)

/** By code points, so that no letter is cut in half. */
function short(text: string): string {
  const letters = [...text]
  return letters.length <= pushLimits.part ? text : `${letters.slice(0, pushLimits.part - 1).join('')}…`
}
