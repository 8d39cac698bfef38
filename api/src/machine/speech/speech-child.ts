/*
 * The process that prepares recordings for speech recognition, apart from the server, as the one of small copies. It ends when
 * the channel to the server closes.
 */
import { open, type FileHandle } from 'node:fs/promises'
import { lengthOf } from '@fellowship/schema/speech/heard-text'
import { wavHead } from '@fellowship/sound/write/plain-wav'
import { pcm16, speechRate, speechSamples } from '@fellowship/sound/write/speech-wav'
import { lowerPriority } from '../lower-priority.ts'
import { pcmStream } from '../audio/copy/pcm-stream.ts'
import type { SpeechJob, SpeechMessage } from './speech-process.ts'

const progressMs = 5_000

lowerPriority(19)
process.on('disconnect', () => process.exit(0))
process.on('message', (job: SpeechJob) => {
  void write(job).then(
    () => send({ kind: 'done' }),
    (error: unknown) => send({ kind: 'failed', why: error instanceof Error ? error.message : String(error) }),
  )
})

/** Writes a WAV for each part in one pass over the recording. */
async function write({ path, extension, parts, targets, ffmpeg }: SpeechJob): Promise<void> {
  let last = Date.now()
  const onRead = () => {
    if (Date.now() - last < progressMs) return
    last = Date.now()
    send({ kind: 'progress' })
  }
  const stretches = parts.flatMap((part, index) =>
    part.map(({ from, to }) => ({ index, from: sampleAt(from), to: sampleAt(to) })),
  )
  const mostSeconds = Math.ceil(parts.at(-1)?.at(-1)?.to ?? 0) + 60
  const files = await Promise.all(targets.map((target) => open(target, 'w')))
  try {
    for (const [index, file] of files.entries())
      await writeHead(file, Math.round(lengthOf(parts[index]!) * speechRate))
    const written = files.map(() => 0)
    let at = 0
    for await (const samples of speechSamples(pcmStream(path, extension, { ffmpeg, onRead, mostSeconds }))) {
      for (const { index, from, to } of stretches) {
        const piece = samples.subarray(Math.max(0, from - at), Math.max(0, to - at))
        if (piece.length === 0) continue
        await files[index]!.write(pcm16(piece))
        written[index]! += piece.length
      }
      at += samples.length
    }
    // The true length, if the recording was shorter than it says.
    for (const [index, file] of files.entries()) await writeHead(file, written[index]!)
  } finally {
    await Promise.all(files.map((file) => file.close()))
  }
}

const sampleAt = (seconds: number): number => Math.round(seconds * speechRate)

async function writeHead(file: FileHandle, samples: number): Promise<void> {
  const head = wavHead({ kind: 'pcm', channels: 1, sampleRate: speechRate, bytesPerSample: 2 }, samples * 2)
  const { size } = await file.stat()
  // Without a place a write continues behind the previous one.
  await (size === 0 ? file.write(head) : file.write(head, 0, head.length, 0))
}

function send(message: SpeechMessage): void {
  if (process.connected) process.send!(message)
}
