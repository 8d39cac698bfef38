import { addAbortSignal } from 'node:stream'
import type { Handout } from '@fellowship/schema/handouts/handout-file'
import { handoutLimits } from '@fellowship/schema/handouts/handouts.limits'
import { handoutTexts } from '@fellowship/schema/handouts/handouts.texts'
import { importTexts as texts } from '@fellowship/schema/imports/imports.texts'
import type { IncomingTeaching } from '@fellowship/schema/imports/incoming-teaching'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { judgedHandout, whileStored } from '../handouts/handouts.ts'
import { SourceRefused } from './incoming.ts'
import { openFileIn } from './source-folder.ts'

/** How long one may take to be read and judged. */
const handoutMs = 60_000

/** Handouts whose files are stored, and a sentence for each that was refused. */
export interface TakenHandouts {
  readonly stored: readonly Handout[]
  readonly faults: readonly string[]
}

interface Source {
  readonly handouts: IncomingTeaching['handouts']
  /** The folder or archive of the source, if it is one. */
  readonly folder: string | undefined
  /** Aborted when the import stops. */
  readonly signal: AbortSignal
}

/**
 * Stores the handouts of an item, judged as those that a person uploads, and runs `work`, which writes their teaching: a
 * refused one stops nothing.
 */
export async function withHandouts<T>(
  context: Context,
  { handouts: [first, ...others], ...source }: Source,
  work: (taken: TakenHandouts) => Promise<T>,
  taken: TakenHandouts = { stored: [], faults: [] },
): Promise<T> {
  if (!first) return work(taken)
  const next = (now: TakenHandouts) => withHandouts(context, { ...source, handouts: others }, work, now)
  const read = await readHandout(context, first, source, taken.stored)
  if ('fault' in read)
    return next({ ...taken, faults: [...taken.faults, texts.withoutHandout(first.name, read.fault)] })
  // The lock of a handout cannot be taken twice.
  if (taken.stored.some(({ hash }) => hash === read.handout.hash)) return next(taken)
  return whileStored(context, read, () => next({ ...taken, stored: [...taken.stored, read.handout] }))
}

async function readHandout(
  context: Context,
  { path, name }: IncomingTeaching['handouts'][number],
  { folder, signal }: Omit<Source, 'handouts'>,
  before: readonly Handout[],
): Promise<Awaited<ReturnType<typeof judgedHandout>> | { fault: string }> {
  const late = AbortSignal.timeout(handoutMs)
  const gone = AbortSignal.any([signal, late])
  const staged = await context.storage.stage()
  try {
    if (before.length >= handoutLimits.most) throw new Problem('invalid_input', handoutTexts.full)
    if (folder === undefined) throw new SourceRefused(texts.noFile(path))
    for await (const chunk of bytesOf(folder, path, gone)) {
      await staged.write([chunk])
      if (staged.bytes > handoutLimits.bytes) throw new Problem('too_large', handoutTexts.tooLarge)
    }
    await staged.finish()
    return await judgedHandout({ path: staged.path, name, gone })
  } catch (error) {
    if (late.aborted && !signal.aborted) return { fault: texts.notInTime }
    const isRefusal =
      error instanceof SourceRefused || (error instanceof Problem && error.code !== 'disk_full')
    if (!isRefusal) throw error
    return { fault: error.message }
  } finally {
    await staged.discard()
  }
}

/** @throws SourceRefused if the file is missing or cannot be read */
async function* bytesOf(folder: string, path: string, gone: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of addAbortSignal(gone, await openFileIn(folder, path))) yield chunk as Buffer
  } catch (error) {
    throw gone.aborted || error instanceof SourceRefused ? error : new SourceRefused(texts.unreadableFile)
  }
}
