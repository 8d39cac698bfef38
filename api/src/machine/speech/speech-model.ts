/*
 * The program of the third kind of machine drafts: hears a WAV with a speech model of this machine, and prints WebVTT. It runs
 * under the limits of a command; the native library ends the process if a model is damaged.
 *
 * Arguments: folder of the model, its SHA-256, WAV, language.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { vttOf } from '@fellowship/schema/transcripts/vtt-file'
import { speechRate } from '@fellowship/sound/write/speech-wav'

interface Heard {
  /** Of CTC models: a word begins with a blank. */
  readonly tokens: readonly string[]
  readonly timestamps: readonly number[]
  readonly text: string
  /** Of Whisper. */
  readonly segment_timestamps?: readonly number[]
  readonly segment_durations?: readonly number[]
  readonly segment_texts?: readonly string[]
}

interface Stream {
  acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void
}

interface Recognizer {
  createStream(): Stream
  decode(stream: Stream): void
  getResult(stream: Stream): Heard
}

/** The package has no types of its own. */
interface Library {
  OfflineRecognizer: new (config: object) => Recognizer
}

interface Cue {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Seconds that Whisper hears at once, with room for its padding, and from where on a pause is looked for. */
const [longest, earliest] = [28, 14]
const pause = Math.round(0.2 * speechRate)

class Refused extends Error {}

try {
  const [folder, sha256, file, language] = process.argv.slice(2) as [string, string, string, string]
  const recognizer = await load(folder, sha256, language.split('-')[0]!)
  const cues = hear(recognizer, await samplesOf(file))
  const sentences = cues.map(({ start, end, text }) => ({
    start: Math.round(start * 1000),
    end: Math.round(Math.max(start + 0.01, end) * 1000),
    about: false,
    voice: '',
    text,
  }))
  process.stdout.write(vttOf(sentences, ''))
} catch (error) {
  if (!(error instanceof Refused)) throw error
  process.stderr.write(error.message)
  process.exitCode = 1
}

async function load(folder: string, sha256: string, language: string): Promise<Recognizer> {
  const names = await readdir(folder).catch(() => [])
  const files: string[] = []
  // Bytewise, as LC_ALL=C sorts.
  for (const name of names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
    if (!name.startsWith('.') && (await stat(path.join(folder, name))).isFile())
      files.push(path.join(folder, name))
  if (files.length === 0) throw new Refused(`SPEECH_FOLDER is ${folder}, which is no folder with files.`)
  const hash = createHash('sha256')
  for (const file of files) await pipeline(createReadStream(file), hash, { end: false })
  const found = hash.digest('hex')
  if (found !== sha256)
    throw new Refused(`The files in ${folder} have the SHA-256 ${found}, and not that of SPEECH_SHA256.`)
  const tokens = files.find((file) => file.endsWith('tokens.txt'))
  const [encoder, decoder] = [modelNamed(files, 'encoder'), modelNamed(files, 'decoder')]
  const model = modelNamed(files, 'model')
  const kind =
    encoder && decoder
      ? { whisper: { encoder, decoder, language, task: 'transcribe', enableSegmentTimestamps: 1 } }
      : model && { nemoCtc: { model } }
  if (!kind || !tokens)
    throw new Refused(
      `${folder} has neither a Whisper model (encoder, decoder, tokens) nor a CTC model of NeMo (model, tokens).`,
    )
  const { OfflineRecognizer } = library()
  const numThreads = Math.min(4, availableParallelism())
  return new OfflineRecognizer({
    featConfig: { sampleRate: speechRate, featureDim: 80 },
    modelConfig: { ...kind, tokens, numThreads, provider: 'cpu', debug: 0 },
  })
}

/** The smaller of two models with the same role, which are quantized to 8 bits. */
function modelNamed(files: readonly string[], role: string): string | undefined {
  const named = files.filter((file) => path.basename(file).includes(role) && file.endsWith('.onnx'))
  return named.find((file) => file.includes('int8')) ?? named[0]
}

function library(): Library {
  try {
    return createRequire(import.meta.url)('sherpa-onnx-node') as Library
  } catch {
    throw new Refused(
      `Speech models do not run on ${process.platform}-${process.arch}. Set SPEECH_URL or SPEECH_COMMAND instead.`,
    )
  }
}

async function samplesOf(file: string): Promise<Float32Array> {
  const bytes = await readFile(file)
  const head = 44
  const samples = new Float32Array((bytes.length - head) >> 1)
  for (const at of samples.keys()) samples[at] = bytes.readInt16LE(head + at * 2) / 32_768
  return samples
}

function hear(recognizer: Recognizer, samples: Float32Array): Cue[] {
  const cues: Cue[] = []
  for (let from = 0; from < samples.length;) {
    const to = endOfPiece(samples, from)
    const stream = recognizer.createStream()
    stream.acceptWaveform({ samples: samples.subarray(from, to), sampleRate: speechRate })
    recognizer.decode(stream)
    const [start, end] = [from / speechRate, to / speechRate]
    for (const cue of cuesOf(recognizer.getResult(stream), end - start))
      if (cue.text.trim() !== '')
        cues.push({ start: start + cue.start, end: Math.min(end, start + cue.end), text: cue.text.trim() })
    from = to
  }
  return cues
}

/** The quietest moment in the second half of a piece. */
function endOfPiece(samples: Float32Array, from: number): number {
  if (samples.length - from <= longest * speechRate) return samples.length
  let [best, quietest] = [0, Infinity]
  for (let at = from + earliest * speechRate; at + pause <= from + longest * speechRate; at += pause / 4) {
    const loudness = samples.subarray(at, at + pause).reduce((sum, sample) => sum + sample * sample, 0)
    if (loudness < quietest) [best, quietest] = [at, loudness]
  }
  return best + pause / 2
}

/** Segments of Whisper, else words, else the whole piece. */
function cuesOf(heard: Heard, seconds: number): Cue[] {
  const { tokens, timestamps, text, segment_texts: texts = [] } = heard
  if (texts.length > 0)
    return texts.map((segment, at) => {
      const start = heard.segment_timestamps![at]!
      return { start, end: start + heard.segment_durations![at]!, text: segment }
    })
  if (tokens.length === 0 || timestamps.length !== tokens.length) return [{ start: 0, end: seconds, text }]
  const words: { start: number; end: number; text: string }[] = []
  for (const [at, token] of tokens.entries()) {
    const end = timestamps[at + 1] ?? seconds
    if (token.startsWith(' ') || words.length === 0) words.push({ start: timestamps[at]!, end, text: token })
    else words[words.length - 1] = { ...words.at(-1)!, end, text: words.at(-1)!.text + token }
  }
  return words
}
