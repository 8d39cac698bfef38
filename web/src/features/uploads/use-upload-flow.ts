import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useEffect } from 'react'
import { holdAndAsk } from '../../lib/busy.ts'
import { dropDraft, readDraft, writeDraft } from '../../lib/drafts.ts'
import { isMissingPart } from '../../lib/missing-part.ts'
import { makeStore, useStore } from '../../lib/lazy-store.ts'
import { showToast } from '../../ui/toast.ts'
import { pageQueues } from '../sync/page-queues.ts'
import { copyToDevice, LostFile } from './copy-file.ts'
import { type Draft, isInProgress } from './draft.ts'
import { advance, noUpload, type UploadEffect, type UploadFlow, type UploadFlowEvent } from './upload-flow.ts'
import { checkDuplicate, parseFilename } from './uploads.queries.ts'

/**
 * The state of the upload form. `onAdded` is called for each recording that was, or may have been, added to the library.
 */
export function useUploadFlow(userId: number, onAdded: (teaching: Teaching | null) => void) {
  const flow = useStore(uploadFlow)
  useEffect(() => beginUploads(userId), [userId])
  useEffect(
    () =>
      pageQueues().onQueueEvent((event) => {
        if (event.about !== 'upload') return
        const { kind, job } = event.event
        if (kind === 'done' && !job.replace) onAdded(job.teaching ?? null)
        else if (kind === 'done' || kind === 'timeout') onAdded(null)
      }),
    [onAdded],
  )
  return { flow, send }
}

/**
 * The upload form's state. It is stored outside of the panel: when the session expires the panel unmounts, but the chosen
 * files and entered fields stay.
 */
export const uploadFlow = makeStore<UploadFlow>(noUpload)
holdWhileDrafted()
let owner: number | undefined
/** The user who chose each file: another user may have signed in before it is saved. */
const owners = new WeakMap<File, number>()

/**
 * While there are drafts, on any page, no update reloads the site and the browser asks before it is left, because the
 * chosen files are stored nowhere else.
 */
function holdWhileDrafted(): void {
  let release: (() => void) | undefined
  uploadFlow.subscribe(() => {
    const { drafts } = uploadFlow.snapshot()
    if (drafts.length > 0) release ??= holdAndAsk()
    else {
      release?.()
      release = undefined
    }
  })
}

/** Sets the user; drafts of another are dropped, except those being checked or saved. */
export function beginUploads(userId: number): void {
  if (owner !== undefined && owner !== userId) {
    const { lastId, drafts } = uploadFlow.snapshot()
    uploadFlow.set({ ...noUpload, lastId, drafts: drafts.filter(isInProgress) })
    for (const stop of making.values()) stop.abort()
  }
  if (owner !== userId) pageQueues().setUser(userId)
  owner = userId
}

export function send(event: UploadFlowEvent): void {
  const before = uploadFlow.snapshot()
  const [next, ...effects] = advance(before, event)
  uploadFlow.set(next)
  for (const effect of effects) runEffect(effect)
  for (const draft of before.drafts)
    keepWords(
      draft,
      next.drafts.find(({ id }) => id === draft.id),
    )
}

/** Stores the typed words of a file, and restores them when it is chosen again: the page cannot hold files over a reload. */
function keepWords(before: Draft, now: Draft | undefined): void {
  const { name, size, lastModified } = before.original ?? before.file
  const key = { owner, kind: 'new upload', uid: `${name} ${size} ${lastModified}` }
  if (!now || (before.typed && !now.typed)) return dropDraft(key)
  if (now.typed && now.typed !== before.typed)
    return writeDraft(key, { at: Date.now(), row: {}, words: now.typed })
  const isRead = before.step === 'parsing' && now.step === 'editing'
  const stored = isRead ? readDraft(key) : undefined
  if (stored)
    send({ type: 'restored', id: now.id, words: stored.words as Draft['typed'] & object, at: stored.at })
}

function runEffect(effect: UploadEffect): void {
  switch (effect.type) {
    case 'parse':
      if (owner !== undefined) owners.set(effect.file, owner)
      return void parse(effect.id, effect.file)
    case 'check':
      return void checkDuplicate(effect.file.name, effect.fields).then((outcome) =>
        send({ type: 'checked', id: effect.id, outcome }),
      )
    case 'save':
      saving = saving.then(() => save(effect))
      return
    case 'readCaptions':
      return void checkCaptions(effect)
    case 'makeSmaller':
      return void shrink(effect.id, effect.file)
    case 'stopMaking':
      return making.get(effect.id)?.abort()
    case 'toast':
      return showToast(effect.toast)
  }
}

/** Controllers of the running conversions, by draft. */
const making = new Map<number, AbortController>()

async function shrink(id: number, file: File): Promise<void> {
  const stop = new AbortController()
  making.set(id, stop)
  const { makeSmaller } = await import('./smaller/make-smaller.ts')
  const made = await makeSmaller(file, stop.signal, (share) => send({ type: 'smallerShare', id, share }))
  if (making.get(id) === stop) making.delete(id)
  if (stop.signal.aborted) return
  if (!made) return send({ type: 'notMadeSmaller', id })
  const user = owners.get(file)
  if (user !== undefined) owners.set(made, user)
  send({ type: 'madeSmaller', id, file: made })
}

async function parse(id: number, file: File): Promise<void> {
  try {
    const parsed = await parseFilename(file.name)
    send({ type: 'parsed', id, parsed })
    if (parsed.isValid) return
  } catch {
    send({ type: 'parseFailed', id })
  }
  // The tag reader is large, so it loads only if the name leaves fields empty.
  await import('@fellowship/sound/read/metadata').then(
    async ({ readTags }) => send({ type: 'tagsRead', id, tags: await readTags(file) }),
    () => undefined,
  )
}

const readCaptions = async (file: File) =>
  (await (await import('../transcripts/caption-file.ts')).readCaptionFile(file)).bytes

async function checkCaptions({
  id,
  captions,
}: Extract<UploadEffect, { type: 'readCaptions' }>): Promise<void> {
  try {
    await readCaptions(captions)
  } catch (error) {
    // They are read again when the recording is sent.
    if (isMissingPart(error)) return
    const fault = error instanceof Error ? error.message : String(error)
    send({ type: 'captionsUnreadable', id, captions, fault })
  }
}

/** One copy at a time. */
let saving = Promise.resolve()

async function save({
  id,
  file,
  fields,
  captions: chosen,
  handouts: files = [],
}: Extract<UploadEffect, { type: 'save' }>): Promise<void> {
  const ownerUserId = owners.get(file) ?? null
  try {
    const captions = chosen && (await readCaptions(chosen))
    const handouts = await Promise.all(
      files.map(async (each) => ({ name: each.name, data: await each.arrayBuffer() })),
    )
    const upload = { fields, ownerUserId, handouts, now: Date.now() }
    await copyToDevice(file, { ...upload, ...(captions && { captions }) })
    send({ type: 'saved', id })
  } catch (error) {
    // The queue shows the reason and an input to choose the file again.
    if (error instanceof LostFile) send({ type: 'saved', id })
    else send({ type: 'notSaved', id, message: error instanceof Error ? error.message : String(error) })
  }
}
