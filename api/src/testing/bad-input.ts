import { auth } from '@fellowship/schema/auth/auth.contract'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { eventTexts } from '@fellowship/schema/events/events.texts'
import { noticeTexts } from '@fellowship/schema/notices/notices.texts'
import { listeningTexts } from '@fellowship/schema/listening/listening.texts'
import { pageTexts } from '@fellowship/schema/written-pages/written-pages.texts'
import { pushTexts } from '@fellowship/schema/push/push.texts'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { sftpTexts } from '@fellowship/schema/sftp/sftp.texts'
import { siteTexts } from '@fellowship/schema/site/site.texts'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { call } from '@fellowship/sync/call/call'
import type { TestClient } from './test-app.ts'

/** A bad input and its description. */
export type Bad = [what: string, value: unknown]

export const asThemselves = (...values: string[]): Bad[] => values.map((value) => [value, value])
export const long = (length: number): Bad => [`${length} letters`, 'x'.repeat(length)]
export const notText: Bad[] = [
  ['null', null],
  ['a list', ['Ana']],
  ['an object', { a: 'Ana' }],
  ['true', true],
  ['a number', 5],
]
export const controls: Bad[] = [
  ['NUL', 'A\u0000na'],
  ['a bell', 'A\u0007na'],
  ['an escape', 'A\u001b[31mna'],
]
export const blank: Bad[] = [
  ['empty', ''],
  ['spaces', ' \t\n '],
]
/** Bad inputs of a single-line field with that maximum length. */
export const line = (most: number): Bad[] => [
  ...notText,
  ...controls,
  ...blank,
  ['two lines', 'A\nna'],
  long(most + 1),
]
/** Omitted from the body. */
export const missing: Bad = ['missing', undefined]

/** Sentences that name their field in other words. */
const ownWords = new Set<unknown>([
  ...['The note', 'What to expect', 'Children'].map(
    (field) => `${field} must not hold control characters. Type it again.`,
  ),
  ...[
    authTexts,
    elderTexts,
    eventTexts,
    listeningTexts,
    noticeTexts,
    pageTexts,
    pushTexts,
    seriesTexts,
    sftpTexts,
    siteTexts,
    teachingTexts,
  ].flatMap((texts) => Object.values<unknown>(texts)),
])
/** Normalizes a name: 'shortBio' and 'Short bio' are equal. */
const letters = (text: string) => text.replaceAll(' ', '').toLowerCase()

/**
 * Sends each bad input to a call, and collects in `wrong` every answer that is no refusal with one of the codes or, where it
 * is `about` a field, whose sentence does not name it.
 */
export async function refusalRecorder(client: TestClient, { method }: Pick<AnyEndpoint, 'method'>) {
  const { csrfToken } = await call(auth.csrfToken, {}, client)
  const wrong: Record<string, string> = {}
  let sent = 0
  const send = async (
    what: string,
    url: string,
    init: RequestInit,
    codes: readonly string[],
    about?: string,
  ) => {
    const headers = { 'x-csrf-token': csrfToken, ...(init.headers as Record<string, string>) }
    const response = await client.fetch(url, { ...init, method, headers })
    const text = await response.text()
    sent += 1
    const { status } = response
    const { code = '', error = '' } = status < 400 ? {} : (JSON.parse(text) as Record<string, string>)
    const names = about === undefined || letters(error).startsWith(letters(about)) || ownWords.has(error)
    const isClear = codes.includes(code) && error.length > 8 && error !== 'Invalid input' && names
    if (status < 400 || status > 499 || !isClear) wrong[what] = `${status} ${text.slice(0, 200)}`
  }
  return { send, wrong, sent: () => sent }
}

/** Chapters of a teaching. */
export const badChapters: Bad[] = [
  ...notText,
  ...controls,
  long(16_001),
  ...asThemselves('Welcome', '0:02 One\n0:01 Two'),
]
