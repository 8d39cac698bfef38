import {
  daysFault,
  newNotice,
  type NewNotice,
  type NoticeRow,
} from '@fellowship/schema/notices/notices.contract'
import { noticeLimits } from '@fellowship/schema/notices/notices.limits'
import { noticeTexts as texts } from '@fellowship/schema/notices/notices.texts'
import { Problem } from '@fellowship/schema/problem'
import { WrittenRows } from '../../db/written-rows.ts'

/** Notices by their first day. */
export const noticeRows = new WrittenRows<NoticeRow, NewNotice>({
  kind: 'notice',
  table: 'notices',
  fields: Object.keys(newNotice.shape) as (keyof NewNotice)[],
  order: ['from'],
  most: noticeLimits.all,
  texts,
  subjectOf: ({ text }) => text,
  check(_, notice) {
    const fault = daysFault(notice)
    if (fault) throw new Problem('invalid_input', fault)
  },
})
