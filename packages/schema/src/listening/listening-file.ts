import { z } from 'zod'
import { listeningNote } from './listening-note.ts'
import { listeningTexts } from './listening.texts.ts'

const format = 'fellowship-listening'
const version = 1
/** Rows of one list, at most: a year of listening has some hundreds. */
const rows = 20_000
/** How large a file may be that is read, in bytes. */
const fileBytes = 20_000_000

const seconds = z.number().nonnegative().max(86_400)
/** Epoch milliseconds, up to the year 2100. */
const moment = z.number().nonnegative().max(4_102_444_800_000)
const choice = z.object({ on: z.boolean(), at: moment })
/** For readers of the file; an import ignores them. */
const readable = { title: z.string().optional(), speaker: z.string().optional(), date: z.string().optional() }

/** The positions, marks and notes of a person, as a file. */
const listeningFile = z.object({
  format: z.literal(format),
  version: z.literal(version),
  exportedAt: z.string(),
  positions: z
    .array(
      z.object({
        ...readable,
        uid: z.uuid(),
        seconds,
        duration: seconds.positive(),
        listenedAt: moment,
        earlier: z.array(z.object({ seconds, listenedAt: moment })).max(5),
      }),
    )
    .max(rows),
  marks: z
    .array(z.object({ ...readable, uid: z.uuid(), favourite: choice.optional(), heard: choice.optional() }))
    .max(rows),
  notes: z
    .array(
      listeningNote.omit({ removed: true }).extend({ ...readable, createdAt: moment, changedAt: moment }),
    )
    .max(rows),
  /** First to last. */
  upNext: z.array(z.object({ ...readable, uid: z.uuid() })).max(rows),
})
export type ListeningFile = z.infer<typeof listeningFile>

/** The beginning of every file. */
export const listeningFileHead = { format, version } as const

/**
 * Reads an exported file.
 *
 * @param bytes of the file
 * @throws Error with a sentence if it is another file, of a newer version, or damaged
 */
export function parseListeningFile(text: string, bytes: number): ListeningFile {
  if (bytes > fileBytes) throw new Error(listeningTexts.fileTooLarge)
  const head = z.object({ format: z.literal(format), version: z.number() }).safeParse(parsed(text))
  if (!head.success) throw new Error(listeningTexts.otherFile)
  if (head.data.version > version) throw new Error(listeningTexts.newerFile)
  const file = listeningFile.safeParse(parsed(text))
  if (!file.success) throw new Error(listeningTexts.damagedFile)
  return file.data
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
