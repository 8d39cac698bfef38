import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import busboy from 'busboy'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../context.ts'
import type { HashInProgress } from '../machine/storage/file-hash.ts'
import { stagedSink } from '../machine/storage/staged-file.ts'
import { isDiskFull, type StagedFile } from '../machine/storage/storage.ts'

/** A file part, written aside. Whoever receives it ends it with `discardFile` or by settling it. */
export interface ReceivedFile {
  /** As the client named it, without a path. */
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
  /** Called for each field as it arrives; what it throws refuses the form before more of it is read. */
  onField?: (name: string, value: string) => void
}

/** Room for the fields and the part headers of a form. */
const maxOtherBytes = 1024 * 1024
/** Never the last of the disk: the database lives there too. */
const reservedBytes = 64 * 1024 * 1024

/**
 * Reads a multipart form from the raw request in constant memory, its file straight to the disk and to the hashes.
 * Refuses as soon as a limit is passed, by the announced length if there is one. Whatever it throws, nothing stays.
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
  // An edit without a recording has to work even then.
  const isLarge = announced > maxOtherBytes
  if (isLarge && announced + reservedBytes > (await storage.freeBytes())) throw new Problem('disk_full')

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
      // Its error is the parser's, which is heard; unheard here it would end the process.
      stream.on('error', () => undefined)
      // What follows in the same piece as the fault is still parsed.
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
      stagedSink(staged, (bytes) => hashing.advance(bytes)),
    )
  }

  try {
    incoming.pipe(parser)
    await read
    await writing
  } catch (error) {
    incoming.unpipe(parser)
    // Ends the file's stream, so that its writing ends too.
    parser.destroy()
    await writing?.catch(() => undefined)
    if (file) await discardFile(file)
    throw isDiskFull(error) ? new Problem('disk_full') : error
  }
  // An empty file input of a page sends a part without a name and without bytes.
  if (file && file.name === '' && file.staged.bytes === 0) {
    await discardFile(file)
    file = undefined
  }
  return { fields, file }
}

/** Removes a received file. Can be called at any time and again, also after it was settled. */
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
      // The parser calls a file that fills its limit exactly too long already.
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
