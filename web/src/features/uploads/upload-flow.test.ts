import { aTeaching } from '@fellowship/schema/testing/builders'
import type { ParsedFilename } from '@fellowship/schema/uploads/uploads.schema'
import { describe, expect, it } from 'vitest'
import { advance, noUpload, type UploadEffect, type UploadEvent, type UploadFlow } from './upload-flow.ts'

const recording = (name = '2026-11-22_John-Smith"Hope"_Romans_8_28.mp3', type = 'audio/mpeg') =>
  new File(['sound'], name, { type })
const read: ParsedFilename = {
  title: 'Hope',
  speaker: 'John Smith',
  scriptureReference: 'Romans 8:28',
  date: '2026-11-22',
  isValid: true,
  errors: [],
}

/** Sends events one after the other; the state at the end and everything that was to be done. */
function after(...events: UploadEvent[]): { flow: UploadFlow; effects: UploadEffect[] } {
  let flow = noUpload
  const effects: UploadEffect[] = []
  for (const event of events) {
    const [next, ...wanted] = advance(flow, event)
    flow = next
    effects.push(...wanted)
  }
  return { flow, effects }
}
const toasts = (effects: UploadEffect[]) => effects.flatMap((e) => (e.type === 'toast' ? [e.toast] : []))

const chosen: UploadEvent = { type: 'chosen', file: recording() }
const parsed: UploadEvent = { type: 'parsed', turn: 1, parsed: read }
const submitted: UploadEvent = { type: 'submitted' }
const passed: UploadEvent = { type: 'checked', turn: 1, outcome: { kind: 'new' } }

describe('choosing a file', () => {
  it('refuses what neither its type nor its name calls audio', () => {
    const { flow, effects } = after({ type: 'chosen', file: recording('notes.pdf', 'application/pdf') })
    expect(flow.step).toBe('empty')
    expect(toasts(effects)).toMatchObject([
      { title: 'Invalid File Type', description: 'Please select an audio file', kind: 'destructive' },
    ])
  })

  it('refuses more than 100 MB before a byte is sent', () => {
    const file = recording()
    Object.defineProperty(file, 'size', { value: 100 * 1024 * 1024 + 1 })
    const { flow, effects } = after({ type: 'chosen', file })
    expect(flow.step).toBe('empty')
    expect(toasts(effects)).toMatchObject([
      { title: 'Upload Failed', description: expect.stringContaining('100MB') as string },
    ])
  })

  it('is not possible while the server is asked', () => {
    const { flow } = after(chosen, parsed, submitted, { type: 'chosen', file: recording('other.mp3') })
    expect(flow).toMatchObject({ step: 'checking', turn: 1 })
  })

  it('has the name read, and takes what it says', () => {
    const { flow, effects } = after(chosen, parsed)
    expect(effects).toMatchObject([{ type: 'parse', turn: 1 }])
    expect(flow).toMatchObject({
      step: 'editing',
      fields: { title: 'Hope', speaker: 'John Smith', scriptureReference: 'Romans 8:28', date: '2026-11-22' },
      parse: { isValid: true, errors: [] },
    })
  })

  it('forgets the answer about an earlier file', () => {
    const { flow } = after(chosen, { type: 'chosen', file: recording('second.mp3') }, parsed)
    expect(flow).toMatchObject({ step: 'parsing', turn: 2, fields: null })
  })

  it('leaves empty fields and says so for 8 s when the name cannot be read', () => {
    const { flow, effects } = after(chosen, { type: 'parseFailed', turn: 1 })
    expect(flow).toMatchObject({
      step: 'editing',
      fields: { title: '', speaker: '', scriptureReference: '', date: '' },
      parse: { isValid: false, errors: ['Failed to parse filename'] },
    })
    expect(toasts(effects)).toEqual([
      {
        title: 'Parsing Failed',
        description: 'Please enter the sermon details manually',
        kind: 'destructive',
        displayMs: 8_000,
      },
    ])
  })
})

describe('the five submit checks, in order', () => {
  const edited = (field: keyof NonNullable<UploadFlow['fields']>, value: string): UploadEvent => ({
    type: 'edited',
    field,
    value,
  })
  it.each<[string, UploadEvent[]]>([
    ['No File Selected', []],
    ['No Data Available', [chosen]],
    ['Missing Speaker', [chosen, parsed, edited('speaker', ' '), edited('date', '')]],
    [
      'Missing Title or Scripture',
      [chosen, parsed, edited('title', ''), edited('scriptureReference', ''), edited('date', '')],
    ],
    ['Missing Date', [chosen, parsed, edited('date', '2026-02-30')]],
  ])('%s', (title, events) => {
    const { flow, effects } = after(...events, submitted)
    expect(toasts(effects).map((toast) => toast.title)).toEqual([title])
    expect(flow.step).not.toBe('checking')
  })

  it('lets a title alone, or a scripture alone, pass', () => {
    expect(after(chosen, parsed, edited('title', ''), submitted).flow.step).toBe('checking')
    expect(after(chosen, parsed, edited('scriptureReference', ''), submitted).flow.step).toBe('checking')
  })
})

describe('the duplicate check', () => {
  const checked = (outcome: Extract<UploadEvent, { type: 'checked' }>['outcome']) =>
    after(chosen, parsed, submitted, { type: 'checked', turn: 1, outcome })

  it('stops at a duplicate with the words of the server, and keeps what was entered', () => {
    const { flow, effects } = checked({ kind: 'duplicate', message: 'Hope by John Smith is there already.' })
    expect(flow).toMatchObject({ step: 'editing', fields: { title: 'Hope' } })
    expect(toasts(effects)).toMatchObject([
      { title: 'Duplicate Teaching Detected', description: 'Hope by John Smith is there already.' },
    ])
  })

  it('shows what is wrong with the name, and fills only what is empty', () => {
    const issues = { ...read, title: 'Read again', date: '', isValid: false, errors: ['No date.'] }
    const { flow, effects } = after(
      chosen,
      { type: 'parseFailed', turn: 1 },
      { type: 'edited', field: 'speaker', value: 'Mine' },
      { type: 'edited', field: 'scriptureReference', value: 'John 3:16' },
      { type: 'edited', field: 'date', value: '2026-11-22' },
      submitted,
      { type: 'checked', turn: 1, outcome: { kind: 'issues', parsed: issues } },
    )
    expect(flow).toMatchObject({
      step: 'editing',
      fields: { title: 'Read again', speaker: 'Mine', date: '2026-11-22' },
      parse: { isValid: false, errors: ['No date.'] },
    })
    expect(toasts(effects).at(-1)?.title).toBe('Parsing Issues Detected')
  })

  it('that fails lets the next submit upload without it', () => {
    const { flow, effects } = checked({ kind: 'failed' })
    expect(toasts(effects)).toMatchObject([
      { title: 'Duplicate Check Failed', description: 'Please review the fields below and upload manually' },
    ])
    const [next, effect] = advance(flow, submitted)
    expect(next.step).toBe('uploading')
    expect(effect).toMatchObject({ type: 'upload', turn: 1 })
  })

  it('is silent when signed out: the sign-in speaks', () => {
    const { flow, effects } = checked({ kind: 'unauthorized' })
    expect(flow.step).toBe('editing')
    expect(toasts(effects)).toEqual([])
  })

  it('lets a new teaching through', () => {
    const { flow, effects } = checked({ kind: 'new' })
    expect(flow.step).toBe('uploading')
    expect(effects.at(-1)).toMatchObject({ type: 'upload', fields: { title: 'Hope' } })
  })
})

describe('the upload', () => {
  const finished = (outcome: Extract<UploadEvent, { type: 'finished' }>['outcome']) =>
    after(chosen, parsed, submitted, passed, { type: 'finished', turn: 1, outcome })

  it.each([
    [{ kind: 'duplicate' } as const, 'empty', 'Duplicate Teaching'],
    [{ kind: 'failed', message: 'The disk is full.' } as const, 'editing', 'Upload Failed'],
    [{ kind: 'timeout' } as const, 'editing', 'Upload Timeout'],
    [{ kind: 'incomplete' } as const, 'empty', 'Upload Completed'],
  ])('%j', (outcome, step, title) => {
    const { flow, effects } = finished(outcome)
    expect(flow.step).toBe(step)
    expect(toasts(effects).map((toast) => toast.title)).toEqual([title])
  })

  it('has the list looked at again where the teaching may have been added', () => {
    expect(finished({ kind: 'timeout' }).effects.at(-1)).toEqual({ type: 'added', teaching: null })
    expect(finished({ kind: 'incomplete' }).effects.at(-1)).toEqual({ type: 'added', teaching: null })
    expect(finished({ kind: 'failed', message: 'x' }).effects.map((e) => e.type)).not.toContain('added')
  })

  it('ends empty, with the toast of 60 s, the banner and the new list', () => {
    const teaching = aTeaching({ title: 'Hope_in_Christ' })
    const { flow, effects } = finished({ kind: 'done', teaching })
    expect(flow).toMatchObject({ step: 'empty', file: null, fields: null })
    expect(toasts(effects)).toEqual([
      { title: 'File upload successful', description: 'Hope in Christ', displayMs: 60_000 },
    ])
    expect(effects.at(-1)).toEqual({ type: 'added', teaching })
  })

  it('tells its progress, and takes no edits meanwhile', () => {
    const { flow } = after(
      chosen,
      parsed,
      submitted,
      passed,
      { type: 'progressed', turn: 1, share: 0.62 },
      { type: 'edited', field: 'title', value: 'Late' },
      { type: 'cleared' },
    )
    expect(flow).toMatchObject({ step: 'uploading', progress: 0.62, fields: { title: 'Hope' } })
  })
})
