import type { ParsedFilename } from '@fellowship/schema/uploads/uploads.schema'
import { describe, expect, test } from 'vitest'
import { advance, noUpload, type UploadEffect, type UploadFlowEvent, type UploadFlow } from './upload-flow.ts'

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

/** Sends events one after the other; returns the final state and all effects. */
function after(...events: UploadFlowEvent[]): { flow: UploadFlow; effects: UploadEffect[] } {
  let flow = noUpload
  const effects: UploadEffect[] = []
  for (const event of events) {
    const [next, ...added] = advance(flow, event)
    flow = next
    effects.push(...added)
  }
  return { flow, effects }
}
const toasts = (effects: UploadEffect[]) => effects.flatMap((e) => (e.type === 'toast' ? [e.toast] : []))

const chosen: UploadFlowEvent = { type: 'chosen', files: [recording()] }
const parsed: UploadFlowEvent = { type: 'parsed', id: 1, parsed: read }
const submitted: UploadFlowEvent = { type: 'submitted' }
const passed: UploadFlowEvent = { type: 'checked', id: 1, outcome: { kind: 'new' } }

describe('choosing files', () => {
  test('rejects a file that is not audio', () => {
    const { flow, effects } = after({ type: 'chosen', files: [recording('notes.pdf', 'application/pdf')] })
    expect(flow.drafts).toEqual([])
    expect(toasts(effects)).toMatchObject([
      {
        title: 'Invalid File Type',
        description: 'Please select an audio file',
        kind: 'destructive',
      },
    ])
  })

  test('names the file that is not audio among several', () => {
    const files = [recording('a.mp3'), recording('notes.pdf', 'application/pdf')]
    const { flow, effects } = after({ type: 'chosen', files })
    expect(flow.drafts).toHaveLength(1)
    expect(toasts(effects)[0]?.description).toBe('Please select an audio file. notes.pdf is not one.')
  })

  test('rejects an empty file with a reason', () => {
    const empty = new File([], 'empty.mp3', { type: 'audio/mpeg' })
    const { flow, effects } = after({ type: 'chosen', files: [recording('a.mp3'), empty] })
    expect(flow.drafts).toHaveLength(1)
    expect(flow.refused).toMatchObject([{ name: 'empty.mp3', why: 'empty' }])
    expect(toasts(effects)).toMatchObject([{ title: 'Upload Failed', description: 'The file is empty.' }])
  })

  const tooLarge = (name?: string) => {
    const file = recording(name)
    Object.defineProperty(file, 'size', { value: 100 * 1024 * 1024 + 1 })
    return file
  }

  test('rejects a file over 100 MB before copying', () => {
    const { flow, effects } = after({ type: 'chosen', files: [tooLarge()] })
    expect(flow.drafts).toEqual([])
    expect(toasts(effects)).toMatchObject([
      {
        title: 'Upload Failed',
        description: 'The file is larger than 100MB. Export it as MP3 and try again.',
      },
    ])
  })

  test('names the file over 100 MB among several', () => {
    const { effects } = after({ type: 'chosen', files: [recording('a.mp3'), tooLarge('long.mp3')] })
    expect(toasts(effects)).toMatchObject([
      {
        title: 'Upload Failed',
        description: 'long.mp3 is larger than 100MB. Export it as MP3 and try again.',
      },
    ])
  })

  const notes = recording('notes.pdf', 'application/pdf')
  const mixed: UploadFlowEvent = {
    type: 'chosen',
    files: [recording('a.mp3'), tooLarge('long.mp3'), notes, recording('b.mp3')],
  }

  test('names all rejected files in one toast', () => {
    const { flow, effects } = after(mixed)
    expect(flow.drafts.map(({ file }) => file.name)).toEqual(['a.mp3', 'b.mp3'])
    expect(flow.refused).toMatchObject([
      { name: 'long.mp3', why: 'tooLarge' },
      { name: 'notes.pdf', why: 'notAudio' },
    ])
    expect(toasts(effects).map(({ description }) => description)).toEqual([
      'long.mp3 and notes.pdf cannot be uploaded. The list in the panel says why.',
    ])
  })

  test('counts many rejected files instead of naming them', () => {
    const files = [1, 2, 3, 4].map((n) => recording(`${n}.pdf`, 'application/pdf'))
    expect(toasts(after({ type: 'chosen', files }).effects).map(({ description }) => description)).toEqual([
      '4 files cannot be uploaded. The list in the panel says why.',
    ])
  })

  test('forgets a rejected file when removed, re-chosen or cleared', () => {
    const names = (...events: UploadFlowEvent[]) =>
      after(mixed, ...events).flow.refused.map(({ name }) => name)
    const [first] = after(mixed).flow.refused
    expect(names({ type: 'removed', id: first!.id })).toEqual(['notes.pdf'])
    expect(names({ type: 'chosen', files: [recording('long.mp3')] })).toEqual(['notes.pdf'])
    expect(names({ type: 'chosen', files: [notes] })).toEqual(['long.mp3', 'notes.pdf'])
    expect(names({ type: 'cleared' })).toEqual([])
  })

  const text = (name: string) => new File(['Grace.'], name)
  const captionsOf = ({ drafts }: UploadFlow) => drafts.map(({ captions }) => captions?.name)

  test('refuses captions without a recording', () => {
    const { flow, effects } = after({ type: 'chosen', files: [text('talk.vtt')] })
    expect([flow.drafts, flow.refused]).toMatchObject([[], [{ name: 'talk.vtt', why: 'captionsAlone' }]])
    expect(toasts(effects).map(({ title }) => title)).toEqual(['Choose the Recording First'])
  })

  test('refuses captions that may belong to several recordings', () => {
    const files = ['a.mp3', 'b.mp3'].map((name) => recording(name))
    const two: UploadFlowEvent = { type: 'chosen', files: [...files, text('talk.srt')] }
    expect(after(two).flow.refused).toMatchObject([{ name: 'talk.srt', why: 'captionsOfWhich' }])
    const both: UploadFlowEvent = { type: 'chosen', files: [text('1.txt'), text('2.txt')] }
    const { flow } = after(chosen, both)
    expect([captionsOf(flow), flow.refused.length]).toEqual([[undefined], 2])
    // Two files with the name of one recording.
    const twice = after({ type: 'chosen', files: [recording('a.mp3'), text('a.en.vtt'), text('a.srt')] }).flow
    expect([captionsOf(twice), twice.refused.map(({ name }) => name)]).toEqual([['a.en.vtt'], ['a.srt']])
  })

  test('captions go to the recording of their name, else the open one', () => {
    const [first, second] = [recording('A\u0301.mp3'), recording('b.mp3')]
    const all: UploadFlowEvent = {
      type: 'chosen',
      files: [text('b.en.vtt'), first, text('\u00C1.srt'), second],
    }
    const { flow, effects } = after(all)
    expect([captionsOf(flow), flow.refused]).toEqual([['\u00C1.srt', 'b.en.vtt'], []])
    expect(effects.filter(({ type }) => type === 'readCaptions')).toHaveLength(2)
    const later: UploadFlowEvent = { type: 'chosen', files: [text('talk.sbv')] }
    expect(captionsOf(after(chosen, later).flow)).toEqual(['talk.sbv'])
    expect(captionsOf(after(all, { type: 'opened', id: 2 }, later).flow)).toEqual(['\u00C1.srt', 'talk.sbv'])
  })

  test('lists damaged captions, unless others were chosen since', () => {
    const [bad, good] = [text('bad.vtt'), text('good.vtt')]
    const fault: UploadFlowEvent = { type: 'captionsUnreadable', id: 1, captions: bad, fault: 'Line 3.' }
    const drop = (file: File): UploadFlowEvent => ({ type: 'chosen', files: [file] })
    const { flow, effects } = after(chosen, drop(bad), fault)
    expect([captionsOf(flow), flow.refused]).toMatchObject([
      [undefined],
      [{ name: 'bad.vtt', fault: 'Line 3.' }],
    ])
    expect(toasts(effects).at(-1)?.description).toBe('bad.vtt: Line 3.')
    const since = after(chosen, drop(bad), drop(good), fault).flow
    expect([captionsOf(since), since.refused]).toEqual([['good.vtt'], []])
  })

  test('ignores further files during a duplicate check', () => {
    const { flow } = after(chosen, parsed, submitted, { type: 'chosen', files: [recording('other.mp3')] })
    expect(flow.drafts).toMatchObject([{ step: 'checking' }])
  })

  test('parses the file name and fills in the fields', () => {
    const { flow, effects } = after(chosen, parsed)
    expect(effects).toMatchObject([{ type: 'parse', id: 1 }])
    expect(flow.drafts).toMatchObject([
      {
        step: 'editing',
        fields: {
          title: 'Hope',
          speaker: 'John Smith',
          scriptureReference: 'Romans 8:28',
          date: '2026-11-22',
        },
        parse: { isValid: true, errors: [] },
      },
    ])
  })

  test('adds one draft per file, also for duplicates', () => {
    const files = ['a.mp3', 'b.mp3', 'c.mp3'].map((name) => recording(name))
    const { flow, effects } = after(
      { type: 'chosen', files },
      { type: 'chosen', files: [files[0]!, recording('d.mp3')] },
      { type: 'parsed', id: 3, parsed: { ...read, title: 'Third' } },
    )
    expect(flow.drafts.map(({ file, fields }) => [file.name, fields?.title])).toEqual([
      ['a.mp3', undefined],
      ['b.mp3', undefined],
      ['c.mp3', 'Third'],
      ['d.mp3', undefined],
    ])
    expect(effects.map(({ type }) => type)).toEqual(['parse', 'parse', 'parse', 'parse'])
  })

  test('clears the missing-field error when the name is parsed', () => {
    expect(after(chosen, submitted).flow.drafts[0]!.problem).toMatchObject({ title: 'No Data Available' })
    expect(after(chosen, submitted, parsed).flow.drafts[0]!.problem).toBeNull()
  })

  test('ignores the parse result of a removed file', () => {
    const { flow } = after(chosen, { type: 'removed', id: 1 }, parsed)
    expect(flow.drafts).toEqual([])
  })

  test('a failed parse shows an 8 s toast', () => {
    const { flow, effects } = after(chosen, { type: 'parseFailed', id: 1 })
    expect(flow.drafts).toMatchObject([
      {
        step: 'editing',
        fields: { title: '', speaker: '', scriptureReference: '', date: '' },
        parse: { isValid: false, errors: ['Failed to parse filename'] },
      },
    ])
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
  const edited = (
    field: 'title' | 'speaker' | 'scriptureReference' | 'date',
    value: string,
  ): UploadFlowEvent => ({
    type: 'edited',
    id: 1,
    field,
    value,
  })
  test.each<[string, UploadFlowEvent[]]>([
    ['No File Selected', []],
    ['No Data Available', [chosen]],
    ['Missing Speaker', [chosen, parsed, edited('speaker', ' '), edited('date', '')]],
    [
      'Missing Title or Scripture',
      [chosen, parsed, edited('title', ''), edited('scriptureReference', ''), edited('date', '')],
    ],
    ['Missing Date', [chosen, parsed, edited('date', '2026-02-30')]],
  ])('shows "%s"', (title, events) => {
    const { flow, effects } = after(...events, submitted)
    expect(toasts(effects).map((toast) => toast.title)).toEqual([title])
    expect(flow.drafts.every(({ step }) => step !== 'checking')).toBe(true)
  })

  test('opens the first draft that fails a check', () => {
    const { flow, effects } = after(
      { type: 'chosen', files: [recording('a.mp3'), recording('b.mp3')] },
      parsed,
      { type: 'parsed', id: 2, parsed: { ...read, speaker: '' } },
      submitted,
    )
    expect(toasts(effects).map(({ title }) => title)).toEqual(['Missing Speaker'])
    expect(flow).toMatchObject({ openId: 2, drafts: [{ step: 'checking' }, { step: 'editing' }] })
  })

  test('leaves a file without sound behind, unless it is the only one', () => {
    const two: UploadFlowEvent = { type: 'chosen', files: [recording('noise.mp3'), recording()] }
    const noise: UploadFlowEvent = { type: 'soundRead', id: 1, isRecording: false }
    const { flow, effects } = after(two, noise, { ...parsed, id: 2 }, submitted)
    expect(effects.flatMap((effect) => (effect.type === 'check' ? [effect.id] : []))).toEqual([2])
    expect(flow.drafts[0]).toMatchObject({ step: 'parsing', problem: null })
    expect(toasts(effects)).toEqual([])
    expect(after(chosen, noise, parsed, submitted).flow.drafts[0]).toMatchObject({ step: 'checking' })
    const none = after(two, noise, { ...noise, id: 2 }, submitted)
    expect(toasts(none.effects)).toMatchObject([{ title: 'No File Selected' }])
  })

  test('marks the missing field and sends the complete drafts', () => {
    const files = [1, 2, 3, 4, 5].map((n) => recording(`${n}.mp3`))
    const readAs = (id: number): UploadFlowEvent => ({
      type: 'parsed',
      id,
      parsed: id === 3 ? { ...read, speaker: '' } : read,
    })
    const events = [{ type: 'chosen', files } as const, ...[1, 2, 3, 4, 5].map(readAs), submitted]
    const { flow, effects } = after(...events)
    expect(effects.filter(({ type }) => type === 'check')).toHaveLength(4)
    expect(flow.drafts[2]).toMatchObject({
      step: 'editing',
      problem: { field: 'speaker', message: 'Speaker name is required' },
    })
    const mended = after(...events, { type: 'edited', id: 3, field: 'speaker', value: 'J' }).flow
    expect(mended.drafts[2]?.problem).toBeNull()
  })

  test('accepts a title alone or a scripture alone', () => {
    for (const field of ['title', 'scriptureReference'] as const) {
      expect(after(chosen, parsed, edited(field, ''), submitted).flow.drafts[0]?.step).toBe('checking')
    }
  })
})

describe('the duplicate check', () => {
  const checked = (outcome: Extract<UploadFlowEvent, { type: 'checked' }>['outcome']) =>
    after(chosen, parsed, submitted, { type: 'checked', id: 1, outcome })

  test('shows the server’s message for a duplicate', () => {
    const { flow, effects } = checked({ kind: 'duplicate', message: 'Hope by John Smith is there already.' })
    expect(flow.drafts).toMatchObject([{ step: 'editing', fields: { title: 'Hope' } }])
    expect(toasts(effects)).toMatchObject([
      { title: 'Duplicate Teaching Detected', description: 'Hope by John Smith is there already.' },
    ])
  })

  test('an identifying edit clears the server’s message', () => {
    const path = '/teaching/2026-11-22-hope-0000000000ab'
    const { flow } = checked({ kind: 'duplicate', message: 'It is there.', path })
    const problem = { title: 'Duplicate Teaching Detected', message: 'It is there.', duplicate: { path } }
    expect(flow.drafts).toMatchObject([{ problem }])
    const edited = (field: 'description' | 'speaker') =>
      advance(flow, { type: 'edited', id: 1, field, value: 'Evening' })[0].drafts[0]!.problem
    expect(edited('description')).toMatchObject(problem)
    expect(edited('speaker')).toBeNull()
    expect(advance(flow, submitted)[0].drafts[0]!.problem).toBeNull()
  })

  test('fills in only the empty fields', () => {
    const issues = { ...read, title: 'Read again', date: '', isValid: false, errors: ['No date.'] }
    const enter = (field: 'speaker' | 'scriptureReference' | 'date', value: string): UploadFlowEvent => ({
      type: 'edited',
      id: 1,
      field,
      value,
    })
    const { flow, effects } = after(
      chosen,
      { type: 'parseFailed', id: 1 },
      enter('speaker', 'Mine'),
      enter('scriptureReference', 'John 3:16'),
      enter('date', '2026-11-22'),
      submitted,
      { type: 'checked', id: 1, outcome: { kind: 'issues', parsed: issues } },
    )
    expect(flow.drafts).toMatchObject([
      {
        step: 'editing',
        fields: { title: 'Read again', speaker: 'Mine', date: '2026-11-22' },
        parse: { isValid: false, errors: ['No date.'] },
      },
    ])
    expect(toasts(effects).at(-1)?.title).toBe('Parsing Issues Detected')
  })

  test('skips the duplicate check after it failed once', () => {
    const { flow, effects } = checked({ kind: 'failed' })
    expect(toasts(effects)).toMatchObject([
      { title: 'Duplicate Check Failed', description: 'Please review the fields below and upload manually' },
    ])
    const [next, effect] = advance(flow, submitted)
    expect(next.drafts).toMatchObject([{ step: 'saving' }])
    expect(effect).toMatchObject({ type: 'save', id: 1 })
  })

  test('saves one draft while another is a duplicate', () => {
    const { flow, effects } = after(
      { type: 'chosen', files: [recording('a.mp3'), recording('b.mp3')] },
      parsed,
      { type: 'parsed', id: 2, parsed: read },
      submitted,
      { type: 'checked', id: 2, outcome: { kind: 'duplicate', message: 'There.' } },
      passed,
    )
    expect(flow).toMatchObject({ openId: 2, drafts: [{ step: 'saving' }, { step: 'editing' }] })
    expect(effects.filter(({ type }) => type === 'save')).toMatchObject([{ id: 1 }])
  })
})

describe('saving to the upload queue', () => {
  test('ignores edits while saving and then removes the draft', () => {
    const saving = after(
      chosen,
      parsed,
      submitted,
      passed,
      { type: 'edited', id: 1, field: 'title', value: 'Late' },
      { type: 'captionsChosen', id: 1, captions: new File(['Grace.'], 'talk.vtt') },
      { type: 'handoutsChosen', id: 1, handouts: [new File(['%PDF'], 'a.pdf')] },
      { type: 'smallerWanted', id: 1 },
      { type: 'originalWanted', id: 1 },
      passed,
      { type: 'discarded', id: 1 },
      { type: 'removed', id: 1 },
      { type: 'cleared' },
    )
    expect(saving.flow.drafts).toMatchObject([{ step: 'saving', fields: { title: 'Hope' } }])
    const [draft] = after(chosen, parsed, submitted, passed).flow.drafts
    expect(saving.flow.drafts).toEqual([{ ...draft, file: expect.any(File) as File }])
    expect(saving.effects.filter(({ type }) => type !== 'parse' && type !== 'check')).toMatchObject([
      { type: 'save', fields: { title: 'Hope' } },
    ])
    expect(advance(saving.flow, { type: 'saved', id: 1 })[0].drafts).toEqual([])
  })

  test('saves the text that was chosen beside the recording', () => {
    const captions = new File(['Grace.'], 'talk.vtt')
    const { effects } = after(chosen, parsed, { type: 'captionsChosen', id: 1, captions }, submitted, passed)
    expect(effects.at(-1)).toMatchObject({ type: 'save', captions })
  })

  test('saves the handouts that were chosen beside the recording', () => {
    const handouts = [new File(['%PDF'], 'a.pdf')]
    const { effects } = after(chosen, parsed, { type: 'handoutsChosen', id: 1, handouts }, submitted, passed)
    expect(effects.at(-1)).toMatchObject({ type: 'save', handouts })
  })

  test('a failed save leaves the fields', () => {
    const { flow, effects } = after(chosen, parsed, submitted, passed, {
      type: 'notSaved',
      id: 1,
      message: 'The file is empty.',
    })
    expect(flow.drafts).toMatchObject([{ step: 'editing', fields: { title: 'Hope' } }])
    expect(toasts(effects)).toMatchObject([{ title: 'Upload Failed', description: 'The file is empty.' }])
  })
})

describe('fields that the name does not contain', () => {
  const unread = { title: '', speaker: '', scriptureReference: '', date: '', isValid: false, errors: ['No.'] }
  const recorder: UploadFlowEvent = {
    type: 'chosen',
    files: [recording('IMG_20261004_voice.m4a', 'audio/mp4')],
  }
  const nothing: UploadFlowEvent = { type: 'parsed', id: 1, parsed: unread }

  test('takes only a date from an unconventional name', () => {
    expect(after(recorder, nothing).flow.drafts[0]?.fields).toMatchObject({
      title: '',
      speaker: '',
      date: '2026-10-04',
    })
  })

  test('tags fill only empty fields', () => {
    const tags = { title: 'Hope', speaker: 'Jane Doe', date: '2026-10-11' }
    const { flow } = after(
      recorder,
      nothing,
      { type: 'edited', id: 1, field: 'speaker', value: 'Mine' },
      { type: 'tagsRead', id: 1, tags },
    )
    expect(flow.drafts[0]?.fields).toMatchObject({ title: 'Hope', speaker: 'Mine', date: '2026-10-04' })
  })

  test('ignores tags that are read too late', () => {
    const { flow } = after(chosen, parsed, submitted, { type: 'tagsRead', id: 1, tags: { title: 'Late' } })
    expect(flow.drafts[0]?.fields?.title).toBe('Hope')
  })
})

describe('a WAV that can be made smaller', () => {
  const megabyte = 1024 * 1024
  const sized = (name: string, megabytes: number) => {
    const file = recording(name, 'audio/wav')
    Object.defineProperty(file, 'size', { value: megabytes * megabyte })
    return file
  }
  const small = recording('sunday.mp3')
  const wanted: UploadFlowEvent = { type: 'smallerWanted', id: 1 }
  const made: UploadFlowEvent = { type: 'madeSmaller', id: 1, file: small }
  const choose = (megabytes: number, name = 'sunday.wav'): UploadFlowEvent[] => [
    { type: 'chosen', files: [sized(name, megabytes)] },
    parsed,
  ]

  test("a WAV above its format's size is rejected", () => {
    expect(after(...choose(4096)).flow.drafts).toEqual([])
    expect(after(...choose(101, 'sunday.mp3')).flow.drafts).toEqual([])
  })

  test('a WAV above the limit is not sent', () => {
    const { flow, effects } = after(...choose(610), submitted)
    expect(flow.drafts).toMatchObject([{ step: 'editing' }])
    expect(effects.filter(({ type }) => type === 'check')).toEqual([])
    expect(toasts(effects)).toMatchObject([
      { title: 'Too Large to Send', description: expect.stringContaining('Make it smaller') as string },
    ])
  })

  test('marks a large WAV until shrinking is requested', () => {
    expect(after(...choose(610), submitted).flow.drafts[0]!.problem).toMatchObject({
      title: 'Too Large to Send',
    })
    expect(after(...choose(610), submitted, wanted).flow.drafts[0]!.problem).toBeNull()
  })

  test('a WAV below the limit is sent unchanged', () => {
    const { effects } = after(...choose(50), submitted)
    expect(effects).toContainEqual(expect.objectContaining({ type: 'check' }))
  })

  test('sends the smaller file or the restored original', () => {
    const { flow, effects } = after(...choose(610), wanted, wanted, made)
    expect(effects.filter(({ type }) => type === 'makeSmaller')).toHaveLength(1)
    expect(flow.drafts[0]).toMatchObject({ file: small, original: { name: 'sunday.wav' } })
    expect(flow.drafts[0]!.making).toBeUndefined()
    const [, ...sent] = advance(flow, submitted)
    expect(sent).toMatchObject([{ type: 'check', file: small }])
    const [back] = advance(flow, { type: 'originalWanted', id: 1 })
    expect(back.drafts[0]).toMatchObject({ file: { name: 'sunday.wav' } })
    expect(back.drafts[0]!.original).toBeUndefined()
  })

  test('a submitted WAV waits until it is smaller', () => {
    const waiting = [...choose(610), wanted, submitted]
    expect(after(...waiting).effects.map(({ type }) => type)).toEqual(['parse', 'makeSmaller'])
    const { flow, effects } = after(...waiting, made)
    expect(effects.at(-1)).toMatchObject({ type: 'check', file: small })
    expect(flow.drafts[0]).toMatchObject({ step: 'checking' })
    const emptied = after(...waiting, { type: 'edited', id: 1, field: 'speaker', value: '' }, made)
    expect(emptied.flow.drafts[0]).toMatchObject({ step: 'editing', problem: { field: 'speaker' } })
  })

  test.each<[string, UploadFlowEvent]>([
    ['stopped', { type: 'originalWanted', id: 1 }],
    ['removed', { type: 'removed', id: 1 }],
    ['cleared', { type: 'cleared' }],
  ])('stops making it smaller when it is %s', (_, event) => {
    const { flow, effects } = after(...choose(50), wanted, event, made)
    expect(effects.at(-1)).toEqual({ type: 'stopMaking', id: 1 })
    expect(flow.drafts.map(({ file }) => file.name)).not.toContain('sunday.mp3')
  })

  test('does not send a WAV that cannot shrink', () => {
    const { flow, effects } = after(...choose(50), wanted, submitted, { type: 'notMadeSmaller', id: 1 })
    expect(flow.drafts).toMatchObject([{ step: 'editing', file: { name: 'sunday.wav' }, waits: false }])
    expect(toasts(effects)).toMatchObject([{ title: 'Not Made Smaller' }])
  })

  test('choosing the same WAV again adds no draft', () => {
    const wav = sized('sunday.wav', 50)
    const again: UploadFlowEvent = { type: 'chosen', files: [wav] }
    expect(after(again, parsed, wanted, made, again).flow.drafts).toHaveLength(1)
  })
})
