import { elderPhoto } from '@fellowship/schema/elders/elders.limits'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { callerGone } from '../../http/caller-gone.ts'
import type { Http } from '../../http/serve.ts'
import { discardFile, receiveForm, type ReceivedForm } from '../../http/upload-stream.ts'

/** A picture as it arrived. */
export interface UploadedPicture {
  readonly path: string
  /** Aborted when the uploader is gone: ends the conversion. */
  readonly gone?: AbortSignal | undefined
}

interface PictureForm {
  readonly http: Http
  /** The name of the file's part. */
  readonly part: string
  readonly checkCsrfField: (token: string | undefined) => void
}

/**
 * Receives the one picture of a form, and removes the file once `take` is done with it.
 *
 * @throws Problem `invalid_input` without a file, `too_large`, and what `take` throws
 */
export async function receivePicture<T>(
  context: Context,
  form: PictureForm,
  take: (picture: UploadedPicture) => Promise<T>,
): Promise<T> {
  const { fields, file } = await receive(context, form)
  try {
    if (!fields.has('_csrf')) form.checkCsrfField(undefined)
    if (!file) throw new Problem('invalid_input', elderTexts.invalidFileType.description)
    await file.staged.finish()
    return await take({ path: file.staged.path, gone: callerGone(form.http) })
  } finally {
    if (file) await discardFile(file)
  }
}

/** "Under 5MB", counted while it arrives; a longer file is refused without reading it to its end. */
async function receive(context: Context, { http, part, checkCsrfField }: PictureForm): Promise<ReceivedForm> {
  try {
    return await receiveForm(http.env.incoming, context, {
      filePart: part,
      maxFileBytes: elderPhoto.maxBytes - 1,
      onField: (name, value) => {
        if (name === '_csrf') checkCsrfField(value)
      },
    })
  } catch (error) {
    if (error instanceof Problem && error.code === 'too_large') {
      throw new Problem('too_large', elderTexts.fileTooLarge.description)
    }
    throw error
  }
}
