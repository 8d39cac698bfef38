import { z } from 'zod'
import { isPlainDate } from '../dates.ts'
import { baseRevQuery, endpoint, idParam } from '../endpoint.ts'
import { plainLines } from '../plain-text.ts'
import { binCalls } from '../sync/written-calls.ts'
import { storedShape, text, writtenShape, type WrittenField } from '../sync/written-field.ts'
import { noticeLimits as limits } from './notices.limits.ts'
import { noticeTexts as texts } from './notices.texts.ts'

const date = z.string().refine(isPlainDate, { error: texts.notDate })

/** The fields of a notice that people write, each declared once. */
export const writtenNotice = {
  text: text(plainLines('Text').min(1, { error: texts.textRequired }).max(limits.text)),
  /** The first and the last day on which Home shows it, by the church's calendar. */
  from: text(date),
  until: text(date),
} satisfies Record<string, WrittenField>

/** A notice as everyone sees it. */
export const noticeRow = z.object({ id: z.int(), uid: z.uuid(), rev: z.int(), ...storedShape(writtenNotice) })
export type NoticeRow = z.infer<typeof noticeRow>

export const newNotice = z.object(writtenShape(writtenNotice))
export type NewNotice = z.infer<typeof newNotice>

/** Any subset of the fields. */
const noticeEdit = newNotice.partial().extend({
  /** The revision the edit started from; without it the last writer wins. */
  baseRev: z.int().min(0).optional(),
})
/** Why the days of a notice do not fit together, as a sentence; undefined if they do. */
export const daysFault = ({ from, until }: Pick<NoticeRow, 'from' | 'until'>): string | undefined =>
  until < from ? texts.untilFirst : undefined

/** The notices of a day, those that began last first. */
export const noticesOn = <Row extends NoticeRow>(notices: readonly Row[], today: string): Row[] =>
  notices
    .filter(({ from, until }) => from <= today && today <= until)
    .toSorted((a, b) => (a.from === b.from ? b.id - a.id : a.from < b.from ? 1 : -1))

export const notices = {
  list: endpoint({
    method: 'GET',
    path: '/api/notices',
    access: 'everyone',
    changes: false,
    summary: 'All notices by their first day.',
    answer: z.array(noticeRow),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/notices',
    access: 'admin',
    changes: true,
    summary: 'Adds a notice that Home shows from one day until another.',
    body: newNotice,
    answer: noticeRow,
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/notices/:id',
    access: 'admin',
    changes: true,
    summary: 'Changes any of the fields of a notice.',
    params: idParam,
    body: noticeEdit,
    answer: noticeRow,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/notices/:id',
    access: 'admin',
    changes: true,
    summary: 'Deletes a notice; it can be restored for 30 days.',
    params: idParam,
    query: baseRevQuery,
    answer: z.object({ success: z.literal(true) }),
  }),
  ...binCalls('notices', noticeRow),
}
