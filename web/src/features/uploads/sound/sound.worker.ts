import type { SoundFault } from '@fellowship/schema/copies/copies.contract'
import { Problem } from '@fellowship/schema/problem'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { measureSound } from '@fellowship/sound/measure/measure-sound'
import { blobBytes, type ByteWindow } from '@fellowship/sound/read/bytes'
import { decodedSamples, readContainer } from '@fellowship/sound/read/container'
import { oneRate } from '@fellowship/sound/read/pcm'
import { type AudioFacts, readRecording } from '@fellowship/sound/read/probe'
import { formatDuration } from '@fellowship/sound/read/refusals'
import { recordingSamples } from '@fellowship/sound/read/samples'

export type SoundAnswer =
  | { kind: 'share'; share: number }
  /** `notes` are sentences about the file itself. */
  | { kind: 'heard'; faults: readonly SoundFault[]; notes: readonly string[] }
  /** The file is no recording: the server refuses it with this sentence. */
  | { kind: 'refused'; sentence: string }
  /** There is no decoder here. */
  | { kind: 'unknown' }

addEventListener('message', ({ data }: MessageEvent<File>) => {
  void answer(data).then(send, (error: unknown) => send(answerTo(error)))
})

const send = (message: SoundAnswer) => postMessage(message)

const answerTo = (error: unknown): SoundAnswer =>
  error instanceof Problem && error.code === 'unsupported_audio'
    ? { kind: 'refused', sentence: error.message }
    : { kind: 'unknown' }

async function answer(file: File): Promise<SoundAnswer> {
  let sent = 0
  const onShare = (share: number) => {
    if (share - sent < 0.01) return
    sent = share
    send({ kind: 'share', share })
  }
  const window = fileWindow(file)
  const { facts } = await readRecording(window)
  const sound = facts.extension === 'm4a' ? (await readContainer(window))?.sound : undefined
  const samples = sound ? oneRate(decodedSamples(sound, onShare)) : recordingSamples(blobBytes(file), onShare)
  const { faults } = await measureSound(samples)
  return { kind: 'heard', faults, notes: notesOn(facts) }
}

function notesOn({ declaredSeconds, durationSeconds, wholeSeconds }: AudioFacts): string[] {
  const present = formatDuration(durationSeconds)
  const notes: string[] = []
  if (declaredSeconds !== undefined)
    notes.push(uploadTexts.hiddenSound(formatDuration(declaredSeconds), present))
  if (wholeSeconds !== undefined) notes.push(uploadTexts.cutOff(present, formatDuration(wholeSeconds)))
  return notes
}

/** Of workers alone (File API 6.5). */
declare const FileReaderSync: new () => { readAsArrayBuffer(blob: Blob): ArrayBuffer }

/** Reads a file through one buffer, without promises. */
function fileWindow(file: File): ByteWindow {
  const reader = new FileReaderSync()
  let start = 0
  let piece = new Uint8Array(0)
  return {
    size: file.size,
    read(at, length) {
      if (at < start || at + length > start + piece.length) {
        start = at
        piece = new Uint8Array(reader.readAsArrayBuffer(file.slice(at, at + pieceBytes)))
      }
      return piece.subarray(at - start, at - start + length)
    },
    memory: () => ({ bytes: piece, start, end: start + piece.length }),
  }
}

const pieceBytes = 1 << 20
