import { z } from 'zod'
import { handoutLimits } from '../handouts/handouts.limits.ts'
import { plainLine, plainLines } from '../plain-text.ts'
import { seriesLimits } from '../series/series.limits.ts'
import { teachingLimits } from '../teachings/teachings.limits.ts'
import { importLimits as limits } from './imports.limits.ts'

const address = z.string().max(limits.address)

/** A teaching as a source describes it. Texts are plain and short enough for the library; empty if there is none. */
export const incomingTeaching = z.object({
  /** The identity by which subscribers of the source know it. */
  guid: z.string().max(limits.guid),
  title: plainLine('Title').max(teachingLimits.title),
  speaker: plainLine('Speaker').max(teachingLimits.speaker),
  /** YYYY-MM-DD by the church's calendar; empty if it cannot be read. */
  date: z.string().max(10),
  /** Sorts teachings of one day, in the order of the source. */
  moment: z.number(),
  scripture: plainLine('Scripture').max(teachingLimits.scriptureReference),
  description: plainLines('Description').max(teachingLimits.description),
  series: plainLine('Series').max(seriesLimits.title),
  /** Address of the recording, or its path in the folder or archive. */
  audio: address,
  /** As the source declares; null if it does not, or declares nonsense. */
  bytes: z.number().nullable(),
  picture: address,
  /** Addresses of its page at the old site. */
  pages: z.array(address),
  transcript: address,
  chapters: address,
  /** Its chapters themselves, as text. */
  chapterText: z.string().max(teachingLimits.chapters).default(''),
  /** Paths of its handouts in the folder or archive, and their names; one more than a teaching may have is refused in its turn. */
  handouts: z
    .array(z.object({ path: address, name: address }))
    .max(handoutLimits.most + 1)
    .default([]),
})
export type IncomingTeaching = Readonly<z.infer<typeof incomingTeaching>>

/** A series as an export of this product describes it, with more than its teachings say of it. */
export const incomingSeries = z.object({
  title: plainLine('Series').min(1).max(seriesLimits.title),
  description: plainLines('Description').max(seriesLimits.description),
  /** The path of its picture in the folder or archive; empty if it has none. */
  picture: address,
  /** Guids of its teachings, in order. */
  guids: z.array(z.string().max(limits.guid)).max(seriesLimits.teachings),
})
export type IncomingSeries = Readonly<z.infer<typeof incomingSeries>>

/** Whence an import is read: an address, the text of a file, a folder or ZIP on the server's machine, or an uploaded ZIP. */
export type SourceKind = 'address' | 'file' | 'folder' | 'archive'
