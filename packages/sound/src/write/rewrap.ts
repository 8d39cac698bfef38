import { EncodedAudioPacketSource, Mp4OutputFormat, Output, StreamTarget } from 'mediabunny'
import { asynchronous, viewOf, windowOf, type ByteWindow, type Part, type Stretch } from '../read/bytes.ts'
import { packetsOf, type ContainedSound, type PcmCodec } from '../read/container.ts'
import { boxesIn } from '../read/mp4-boxes.ts'
import { findTags } from '../read/mp3-tags.ts'
import { isPlayable, type Rewrap } from '../read/probe.ts'
import { audioRefusals } from '../read/refusals.ts'
import type { WavFormat } from '../read/wav.ts'
import { infoFrameOf, isVariable, shapeOf } from './mp3-info-frame.ts'
import { mixedWav, plainWav, wavHead } from './plain-wav.ts'
import { trimmedMp3 } from './trim.ts'

/** The stream of the platform, as far as it is used here: this package has no types of a platform. */
declare const WritableStream: new (sink: {
  write: (chunk: { data: Uint8Array; position: number }) => void
}) => ConstructorParameters<typeof StreamTarget>[0]

/** The file that is written anew. */
export interface NewFile {
  append(part: Part): void
  /** Overwrites bytes, or writes beyond the end. */
  put(bytes: Uint8Array, at: number): void
}

/**
 * Writes the sound of a recording into a container that browsers play, or under a true header, without encoding it again.
 * Equal bytes give equal bytes, so that a recording that is sent twice is found to be the same.
 *
 * @throws Problem `unsupported_audio`
 */
export async function writeRewrapped(file: ByteWindow, rewrap: Rewrap, target: NewFile): Promise<void> {
  switch (rewrap.kind) {
    case 'mp3 header':
      return appendAll(target, await withTrueHeader(file, rewrap.inside))
    case 'part':
      return target.append(rewrap.part)
    case 'wav': {
      const { format, start, end } = rewrap.sound
      if (isPlayable(rewrap.sound)) return appendAll(target, plainWav(format, { from: start, to: end }))
      for await (const piece of mixedWav(asynchronous(file), rewrap.sound))
        target.append(new Uint8Array(piece))
      return
    }
    case 'contained':
      return writeContained(rewrap.sound, file.size, target)
  }
}

/** An MP3 under a new header, with the tags at both ends. */
async function withTrueHeader(
  file: ByteWindow,
  inside: Stretch = { from: 0, to: file.size },
): Promise<Part[]> {
  const mp3 = windowOf(file, inside)
  const { trailing } = await findTags(asynchronous(mp3))
  const parts = [...trimmedMp3(mp3, { start: 0, end: 0 }), ...trailing.toReversed()]
  return parts.map((part) =>
    'from' in part ? { from: inside.from + part.from, to: inside.from + part.to } : part,
  )
}

function appendAll(target: NewFile, parts: readonly Part[]): void {
  for (const part of parts) target.append(part)
}

async function writeContained(sound: ContainedSound, fileBytes: number, target: NewFile): Promise<void> {
  if (sound.codec === 'aac') return writeM4a(sound, fileBytes, target)
  if (sound.codec === 'mp3') return writeMp3(sound, target)
  if (typeof sound.codec === 'string') await writeSamples(sound, sound.codec, target)
}

/** The frames of an MP3, behind a table of places if their bitrate varies. */
async function writeMp3(sound: ContainedSound, target: NewFile): Promise<void> {
  const starts: number[] = []
  let end = 0
  let first: Uint8Array | undefined
  for await (const { data } of packetsOf(sound)) {
    first ??= data.slice(0, 4)
    starts.push(end)
    end += data.byteLength
  }
  if (!first) throw audioRefusals.noSound()
  const sizes = starts.map((at, index) => (starts[index + 1] ?? end) - at)
  if (isVariable(sizes)) target.append(infoFrameOf(shapeOf(first), { starts, end }))
  for await (const { data } of packetsOf(sound)) target.append(new Uint8Array(data))
}

/** The packets in an M4A whose index is in front, so that it plays from the first bytes on. */
async function writeM4a(sound: ContainedSound, fileBytes: number, target: NewFile): Promise<void> {
  let index: { bytes: Uint8Array; at: number } | undefined
  const output = new Output({
    format: new Mp4OutputFormat({
      fastStart: 'reserve',
      // Behind the index, the bytes have the head of the box that fills the reserved room.
      onMoov: (bytes, at) => (index = { bytes: bytes.slice(0, viewOf(bytes).getUint32(0)), at }),
    }),
    target: new StreamTarget(
      new WritableStream({ write: ({ data, position }) => target.put(data, position) }),
      { chunked: true, chunkSize: 1 << 20 },
    ),
  })
  const source = new EncodedAudioPacketSource('aac')
  // A packet has 1024 samples, or 960.
  const expected = Math.ceil((sound.seconds * sound.sampleRate) / 960) + 100
  // Counting reads the file once more, so only if its duration cannot be true: room is reserved for each packet.
  const maximumPacketCount = expected * leastPacketBytes > fileBytes ? await countPackets(sound) : expected
  output.addAudioTrack(source, { maximumPacketCount })
  await output.start()
  const decoderConfig = (await sound.track.getDecoderConfig()) ?? undefined
  let first: number | undefined
  for await (const packet of packetsOf(sound)) {
    first ??= packet.timestamp
    // A negative start is the silence of the encoder, which players skip by an edit list.
    const timestamp = packet.timestamp - Math.max(0, first)
    await source.add(packet.clone({ timestamp }), { decoderConfig })
  }
  if (first === undefined) throw audioRefusals.noSound()
  await output.finalize()
  if (!index) throw audioRefusals.damaged()
  removeTimes(index.bytes)
  target.put(index.bytes, index.at)
}

/** Shorter than any packet of a recording, but for silence. */
const leastPacketBytes = 16

async function countPackets(sound: ContainedSound): Promise<number> {
  let count = 0
  for await (const _ of packetsOf(sound)) count += 1
  return count
}

/** Boxes that begin with the times of their creation and change (ISO/IEC 14496-12 8.2.2, 8.3.2, 8.4.2). */
const timed = ['mvhd', 'tkhd', 'mdhd']

/** Sets the times to 0 in an index, which otherwise would differ each time it is written. */
function removeTimes(bytes: Uint8Array, from = 0, to = bytes.length): void {
  for (const { name, from: content, to: end } of boxesIn(bytes, from, to) ?? []) {
    if (timed.includes(name)) bytes.fill(0, content + 4, content + 4 + (bytes[content] === 1 ? 16 : 8))
    else if (['moov', 'trak', 'mdia'].includes(name)) removeTimes(bytes, content, end)
  }
}

/** Samples as a WAV: most significant byte last, and mixed if browsers do not play them as they are. */
async function writeSamples(sound: ContainedSound, codec: PcmCodec, target: NewFile): Promise<void> {
  const format = formatOf(sound, codec)
  const isBigEndian = codec.endsWith('be')
  const isSigned = codec === 'pcm-s8'
  target.append(wavHead(format, 0))
  let bytes = 0
  for await (const { data } of packetsOf(sound)) {
    const samples = new Uint8Array(data)
    if (isBigEndian) swapBytes(samples, format.bytesPerSample)
    if (isSigned) for (let at = 0; at < samples.length; at++) samples[at]! ^= 0x80
    target.append(samples)
    bytes += samples.length
  }
  if (bytes === 0) throw audioRefusals.noSound()
  target.append(new Uint8Array(bytes % 2))
  target.put(wavHead(format, bytes), 0)
}

function formatOf({ channels, sampleRate }: ContainedSound, codec: PcmCodec): WavFormat {
  const bits = Number(/\d+/.exec(codec)?.[0] ?? 8)
  const kind =
    codec === 'ulaw' ? 'mulaw' : codec === 'alaw' ? 'alaw' : codec.startsWith('pcm-f') ? 'float' : 'pcm'
  const bytesPerSample = bits / 8
  const format = { kind, channels, sampleRate, bytesPerSample, isMisleading: false } as const
  if (!isPlayable({ format: { ...format, bytesPerSecond: 0 } }))
    throw audioRefusals.unplayable(`${bits} bits, ${channels} channels`)
  return { ...format, bytesPerSecond: channels * bytesPerSample * sampleRate }
}

function swapBytes(samples: Uint8Array, size: number): void {
  for (let at = 0; at + size <= samples.length; at += size) samples.subarray(at, at + size).reverse()
}
