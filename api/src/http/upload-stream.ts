import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import busboy from 'busboy'
import { Problem } from '@fellowship/schema/problem'
import { reservedDiskBytes } from '@fellowship/schema/uploads/uploads.limits'
import type { Context } from '../context.ts'
import type { Http } from './caller.ts'
import type { HashInProgress } from '../machine/storage/file-hash.ts'
import { stagedSink } from '../machine/storage/staging-area.ts'
import { isDiskFull, type StagedFile } from '../machine/storage/storage.ts'

/** A received file part in the staging folder. The caller ends it with `discardFile` or by settling it. */
export interface ReceivedFile {
  /** The client's file name, without a path. */
  readonly name: string
  readonly staged: StagedFile
  readonly hashing: HashInProgress
}

export interface ReceivedForm {
  readonly fields: ReadonlyMap<string, string>
  readonly file: ReceivedFile | undefined
}

export interface FormRules {
  /** The name of the one part that may carry a file. */
  filePart: string
  maxFileBytes: number
  /** Called for each field as it arrives; an error it throws refuses the form before more of it is read. */
  onField?: (name: string, value: string) => void
}

/** Room for the fields and the part headers of a form. */
const maxOtherBytes = 1024 * 1024

/**
 * Reads a multipart form from the raw request in constant memory, streaming its file to disk and to the hashes.
 * Refuses as soon as a limit is passed, by Content-Length if there is one. When it throws, no file is left behind.
 *
 * @throws Problem `too_large`, `unsupported_media`, `invalid_input`, `disk_full`
 */
export async function receiveForm(
  incoming: IncomingMessage,
  { storage, hashes }: Pick<Context, 'storage' | 'hashes'>,
  rules: FormRules,
): Promise<ReceivedForm> {
  const announced = Number(incoming.headers['content-length'] ?? 0)
  if (announced > rules.maxFileBytes + maxOtherBytes) throw new Problem('too_large')
  // A form without a recording is accepted on a full disk too.
  const isLarge = announced > maxOtherBytes
  if (isLarge && announced + reservedDiskBytes > (await storage.freeBytes())) throw new Problem('disk_full')

  const parser = createParser(incoming, rules)
  const fields = new Map<string, string>()
  let file: ReceivedFile | undefined
  let writing: Promise<void> | undefined

  let refused = false
  const read = new Promise<void>((resolve, rejectRead) => {
    const reject = (error: Error) => {
      refused = true
      rejectRead(error)
    }
    parser.on('field', (name, value, { nameTruncated, valueTruncated }) => {
      if (nameTruncated || valueTruncated) return reject(badForm(`The field ${name} is too long.`))
      try {
        rules.onField?.(name, value)
        fields.set(name, value)
      } catch (error) {
        reject(error as Error)
      }
    })
    parser.on('file', (name, stream, { filename }) => {
      // The parser reports the error; an unhandled 'error' event here would end the process.
      stream.on('error', () => undefined)
      // The parser still emits parts of the chunk in which the form was refused.
      if (refused) return void stream.resume()
      if (name !== rules.filePart)
        return reject(badForm(`Send the file as "${rules.filePart}", not as "${name}".`))
      stream.once('limit', () => reject(new Problem('too_large')))
      writing = write(stream, filename)
      writing.catch(reject)
    })
    parser.once('filesLimit', () => reject(badForm('Send one file at a time.')))
    for (const limit of ['fieldsLimit', 'partsLimit'] as const) {
      parser.once(limit, () => reject(badForm('The form has too many fields.')))
    }
    parser.on('error', () => reject(badForm('The form ended too early or is damaged. Send the file again.')))
    parser.once('close', resolve)
    incoming.once('close', () => {
      if (!incoming.complete) reject(badForm('The connection was lost before the file had arrived.'))
    })
    let arrived = 0
    incoming.on('data', (chunk: Buffer) => {
      arrived += chunk.length
      if (arrived > rules.maxFileBytes + maxOtherBytes) reject(new Problem('too_large'))
    })
  })

  async function write(stream: Readable, name: string | undefined): Promise<void> {
    const staged = await storage.stage()
    const hashing = hashes.follow(staged.path)
    file = { name: name ?? '', staged, hashing }
    await pipeline(
      stream,
      whileRoom(storage),
      stagedSink(staged, (bytes) => hashing.advance(bytes)),
    )
  }

  try {
    incoming.pipe(parser)
    await read
    await writing
  } catch (error) {
    incoming.unpipe(parser)
    // Ends the file's stream, and with it the pipeline that writes it.
    parser.destroy()
    await writing?.catch(() => undefined)
    if (file) await discardFile(file)
    throw isDiskFull(error) ? new Problem('disk_full') : error
  }
  // A browser sends an empty file input as a part without a name and without bytes.
  if (file && file.name === '' && file.staged.bytes === 0) {
    await discardFile(file)
    file = undefined
  }
  return { fields, file }
}

export interface FileRules {
  readonly http: Http
  /** The name of the file's part. */
  readonly part: string
  readonly maxBytes: number
  /** The sentences for a larger file, and for a form without one. */
  readonly tooLarge: string
  readonly none: string
  readonly checkCsrfField: (token: string | undefined) => void
}

/**
 * Receives the one file of a form, counted while it arrives, and removes it once `take` is done with it.
 *
 * @throws Problem `invalid_input` without a file, `too_large`, and any error of `take`
 */
export async function receiveFile<T>(
  context: Pick<Context, 'storage' | 'hashes'>,
  { http, part, maxBytes, tooLarge, none, checkCsrfField }: FileRules,
  take: (file: ReceivedFile) => Promise<T>,
): Promise<T> {
  const { fields, file } = await receiveForm(http.env.incoming, context, {
    filePart: part,
    maxFileBytes: maxBytes,
    onField: (name, value) => {
      if (name === '_csrf') checkCsrfField(value)
    },
  }).catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'too_large' ? new Problem('too_large', tooLarge) : error
  })
  try {
    if (!fields.has('_csrf')) checkCsrfField(undefined)
    if (!file) throw new Problem('invalid_input', none)
    await file.staged.finish()
    return await take(file)
  } finally {
    if (file) await discardFile(file)
  }
}

/** Passes bytes on while the disk has room: a chunked form announces no length, and others write at the same time. */
function whileRoom(storage: Context['storage']) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    let unchecked = 0
    for await (const chunk of chunks) {
      unchecked += chunk.length
      if (unchecked >= bytesPerCheck) {
        unchecked = 0
        if ((await storage.freeBytes()) < reservedDiskBytes) throw new Problem('disk_full')
      }
      yield chunk
    }
  }
}

const bytesPerCheck = 4 * 1024 * 1024

/** Removes a received file. Idempotent; does nothing once the file was settled. */
export async function discardFile({ staged, hashing }: ReceivedFile): Promise<void> {
  hashing.abandon()
  await staged.discard()
}

function createParser(incoming: IncomingMessage, { maxFileBytes }: FormRules): busboy.Busboy {
  if (!/^multipart\/form-data\b/i.test(incoming.headers['content-type'] ?? '')) {
    throw new Problem('unsupported_media', 'Send the form as multipart/form-data.')
  }
  try {
    return busboy({
      headers: incoming.headers,
      defParamCharset: 'utf8',
      // The parser reports a file of exactly the limit as too long, hence one byte more.
      limits: {
        files: 1,
        fileSize: maxFileBytes + 1,
        fields: 20,
        fieldSize: 64 * 1024,
        parts: 25,
        headerPairs: 100,
      },
    })
  } catch {
    throw new Problem('unsupported_media', 'The form has no boundary. Send it as multipart/form-data.')
  }
}

const badForm = (sentence: string) => new Problem('invalid_input', sentence)
