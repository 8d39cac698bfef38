import { churchDate } from '@fellowship/schema/dates'
import { Problem } from '@fellowship/schema/problem'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { requestWords } from '@fellowship/schema/teachings/teaching-words'
import { parseFilename } from '@fellowship/schema/uploads/parse-filename'
import { sanitizedFilename } from '@fellowship/schema/uploads/clean-filename'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { maxFormUploads, maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import type { Context } from '../../context.ts'
import { callerGone } from '../../http/caller.ts'
import { parseInput } from '../../http/input.ts'
import { concurrencyLimiter } from '../../http/limiter.ts'
import { serve, serveUpload, type App, type Http } from '../../http/serve.ts'
import { discardFile, receiveForm, type ReceivedForm } from '../../http/upload-stream.ts'
import {
  duplicateOf,
  editTeaching,
  findDuplicate,
  mutationKey,
  once,
  type Once,
} from '../teachings/teachings.ts'
import { checkFields, mergeFields, readFields, readOverride } from './upload-fields.ts'
import { finalizeUpload } from './upload-finalize.ts'
import { mountTus } from './upload-tus.ts'
import { receiveFile } from './receive-file.ts'

export function mountUploads(app: App, context: Context): void {
  const forms = concurrencyLimiter(
    { each: maxFormUploads, all: Infinity },
    () => new Problem('too_many_uploads', uploadTexts.tooManyForms, { retryAfter: 10 }),
  )

  serve(app, context, uploads.parseFilename, ({ body }) => ({
    parsedData: parseFilename(body.filename, churchDate(context.clock.now())),
  }))

  serve(app, context, uploads.checkDuplicate, async ({ body }) => {
    const parsedData = mergeFields(context, body.filename, { corrected: body.parsedData ?? {} })
    const existing = await findDuplicate(context.sql, checkFields(parsedData))
    if (existing) throw duplicateOf(existing)
    return { success: true as const, duplicate: false as const, parsedData }
  })

  serveUpload(app, context, uploads.smartUpload, ({ http, actor, checkCsrfField }) =>
    withForm(http, actor.id, checkCsrfField, async ({ fields, file }) => {
      if (!file) throw new Problem('invalid_input', uploadTexts.noFile.description)
      const merged = mergeFields(context, file.name, {
        entered: readFields(fields),
        corrected: readOverride(fields.get('overrideData')),
      })
      const create = checkFields(merged)
      const recording = { ...file, gone: callerGone(http) }
      const destination = { create, by: actor, ...acceptedIn(fields) }
      const { teaching, extension } = await receiveFile(context, recording, destination)
      return {
        success: true as const,
        teaching,
        parseInfo: { sanitizedFilename: sanitizedFilename(create, extension) },
      }
    }),
  )

  serveUpload(app, context, teachings.update, ({ http, params, actor, checkCsrfField }) =>
    withForm(http, actor.id, checkCsrfField, async ({ fields, file }) => {
      const edit = parseInput(teachings.update.body, Object.fromEntries(fields))
      const header = http.req.header('idempotency-key')
      const keyFor = (sha256: string | undefined) =>
        mutationKey(header, actor.id, ['edit', params.id, [...requestWords(edit), edit.baseRev], sha256])
      // Refuses a malformed key before the first write.
      keyFor(undefined)
      const onlyOnce: Once = (tx, write, sha256) => once(tx, keyFor(sha256), write)
      if (!file) return editTeaching(context, params.id, edit, actor, onlyOnce)
      const destination = { replace: params.id, edit, by: actor, once: onlyOnce, ...acceptedIn(fields) }
      const recording = { ...file, gone: callerGone(http) }
      return (await receiveFile(context, recording, destination)).teaching
    }),
  )

  serve(app, context, uploads.finalize, async ({ params, body, actor }) => {
    const teaching = await finalizeUpload(context, actor.id, params.id.toLowerCase(), body)
    return { success: true as const, teaching }
  })

  mountTus(app, context)

  /** Receives a form and runs the work on it, a few at a time for each person. Removes the file if either fails. */
  async function withForm<T>(
    http: Http,
    userId: number,
    checkCsrf: (token: string | undefined) => void,
    work: (form: ReceivedForm) => Promise<T>,
  ): Promise<T> {
    const leave = forms.enter(String(userId))
    try {
      const form = await receiveForm(http.env.incoming, context, {
        filePart: 'audioFile',
        maxFileBytes: maxUploadBytes,
        // The CSRF token may be a field before or after the file.
        onField: (name, value) => {
          if (name === '_csrf') checkCsrf(value)
        },
      })
      return await discardAtFailure(form, () => {
        if (!form.fields.has('_csrf')) checkCsrf(undefined)
        return work(form)
      })
    } finally {
      leave()
    }
  }
}

async function discardAtFailure<T>({ file }: ReceivedForm, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (file) await discardFile(file)
    throw error
  }
}

const acceptedIn = (form: ReadonlyMap<string, string>) => ({
  acceptCutOff: form.get('acceptCutOff') === 'true',
  acceptSound: form.has('acceptSound') ? form.get('acceptSound') === 'true' : undefined,
})
