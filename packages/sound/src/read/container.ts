import {
  ADTS,
  AudioSampleSink,
  CustomSource,
  EncodedPacketSink,
  Input,
  Logging,
  LogLevel,
  MATROSKA,
  MP4,
  MPEG_TS,
  QTFF,
  WAVE,
  WEBM,
  type EncodedPacket,
  type InputAudioTrack,
  type InputTrack,
  type InputVideoTrack,
} from 'mediabunny'
import type { ByteWindow, RecordingBytes } from './bytes.ts'
import { soundStart } from './mp3-tags.ts'
import { UnreadableSound, type PcmChunk } from './pcm.ts'

/** The sound of a container: MP4, QuickTime, 3GP, raw AAC, Matroska, MPEG transport stream. */
export interface ContainedSound {
  /** Its codec in words, such as 'AAC', if it is none of those that browsers play. */
  readonly codec: 'aac' | 'mp3' | PcmCodec | { readonly unplayable: string }
  readonly channels: number
  readonly sampleRate: number
  /** By the times of its packets. */
  readonly seconds: number
  /** Seconds until the first packet that is missing, if the file ends before its sound does. */
  readonly presentSeconds: number | undefined
  readonly track: InputAudioTrack
}

/** Samples in a container: their size in bits, and their order of bytes. */
export type PcmCodec = `pcm-${string}` | 'ulaw' | 'alaw'

/** A container, as far as it concerns its sound. */
export interface Container {
  /** 'MP4', 'QuickTime File Format', 'ADTS' and so on. */
  readonly format: string
  readonly sound: ContainedSound | undefined
  /** Whether a track shows moving pictures. Covers, chapter pictures and slides do not count. */
  readonly hasVideo: boolean
}

// Its warnings about unknown codecs would be in the log of the server for every such file.
Logging.level = LogLevel.Silent

const formats = [MP4, QTFF, ADTS, MATROSKA, WEBM, MPEG_TS]

/**
 * Reads the tracks of a container, whatever its brand or name says. Its packets are counted, not read.
 *
 * @returns undefined if it is no such container, or damaged
 */
export async function readContainer(file: ByteWindow): Promise<Container | undefined> {
  try {
    const input = new Input({ formats, source: sourceOf(file) })
    const format = await input.getFormat()
    const tracks = await input.getTracks()
    const hasVideo = (await Promise.all(tracks.map(isMoving))).includes(true)
    return {
      format: format.name,
      sound: await soundIn(tracks, format === ADTS ? adtsSeconds(file) : undefined),
      hasVideo,
    }
  } catch {
    // The library throws errors of several kinds for damaged bytes.
    return undefined
  }
}

/** Title, artist and date of an MP4, a WAV or another container, as written; empty if there are none. */
export async function readContainerTags(
  file: RecordingBytes,
): Promise<{ title?: string; artist?: string; date?: string }> {
  try {
    const input = new Input({ formats: [...formats, WAVE], source: sourceOf(file) })
    const { title, artist, raw = {} } = await input.getMetadataTags()
    const date = dateFields.map((name) => raw[name]).find((value) => typeof value === 'string')
    return { ...(title && { title }), ...(artist && { artist }), ...(date && { date }) }
  } catch {
    return {}
  }
}

/** Of MP4, of a WAV's INFO chunk, of ID3 and of Matroska. A parsed date would not say whether it was only a year. */
const dateFields = ['©day', 'ICRD', 'TDRC', 'TDRL', 'DATE_RECORDED', 'DATE_RELEASED']

/** The packets of a sound, until the end or the first that is missing. */
export async function* packetsOf({ track }: ContainedSound): AsyncGenerator<EncodedPacket> {
  const packets = new EncodedPacketSink(track).packets()
  for (;;) {
    const next = await packets.next().catch(() => undefined)
    if (!next || next.done || next.value.data.byteLength < next.value.byteLength) return
    yield next.value
  }
}

/**
 * Decodes the sound with the decoder of the browser, piece by piece.
 *
 * @param onShare called after each piece with the share that was decoded, from 0 to 1
 * @throws UnreadableSound if there is no decoder
 */
export async function* decodedSamples(
  { track, seconds }: ContainedSound,
  onShare: (share: number) => void,
): AsyncGenerator<PcmChunk> {
  if (!(await track.canDecode())) throw new UnreadableSound('There is no decoder for it here.')
  for await (const sample of new AudioSampleSink(track).samples()) {
    const { sampleRate, numberOfChannels, numberOfFrames, timestamp } = sample
    const channels = Array.from({ length: Math.min(2, numberOfChannels) }, (_, planeIndex) => {
      const samples = new Float32Array(numberOfFrames)
      sample.copyTo(samples, { planeIndex, format: 'f32-planar' })
      return samples
    })
    sample.close()
    yield { sampleRate, channels }
    onShare(Math.min(1, Math.max(0, timestamp / seconds)))
  }
}

function sourceOf(file: ByteWindow | RecordingBytes): CustomSource {
  return new CustomSource({
    getSize: () => file.size,
    maxCacheSize: 4 * 1024 * 1024,
    async read(start, end) {
      const bytes = new Uint8Array(end - start)
      for (let at = start; at < end;) {
        const found = file.read(at, Math.min(pieceBytes, end - at))
        // The bytes of a window are valid until the next call, which may come while this one waits.
        const part = found instanceof Uint8Array ? found : await found
        if (part.length === 0) break
        bytes.set(part, at - start)
        at += part.length
      }
      return bytes
    },
  })
}

/** Smaller than the buffer of a window. */
const pieceBytes = 1 << 16

/** More pictures a second than slides, chapter marks or a cover ever have. */
const fewestPerSecond = 2

async function isMoving(track: InputTrack): Promise<boolean> {
  if (!track.isVideoTrack()) return false
  const { packetCount, averagePacketRate } = await (track as InputVideoTrack)
    .computePacketStats(100)
    .catch(() => ({ packetCount: 0, averagePacketRate: 0 }))
  return packetCount > fewestPerSecond && averagePacketRate > fewestPerSecond
}

async function soundIn(
  tracks: readonly InputTrack[],
  counted: number | undefined,
): Promise<ContainedSound | undefined> {
  const sounds: ContainedSound[] = []
  for (const track of tracks.slice(0, mostTracks)) {
    if (track.isAudioTrack()) sounds.push(await soundOf(track as InputAudioTrack, counted))
  }
  return sounds.find(({ codec }) => typeof codec === 'string') ?? sounds[0]
}

const mostTracks = 64

async function soundOf(track: InputAudioTrack, counted: number | undefined): Promise<ContainedSound> {
  const codec = await codecOf(track)
  const shape = { codec, channels: track.numberOfChannels, sampleRate: track.sampleRate, track }
  if (typeof codec === 'object') return { ...shape, seconds: 0, presentSeconds: undefined }
  if (counted !== undefined) return { ...shape, seconds: counted, presentSeconds: undefined }
  const start = await track.getFirstTimestamp()
  const seconds = (await track.computeDuration()) - Math.max(0, start)
  return { ...shape, seconds, presentSeconds: await presentSeconds(track, seconds) }
}

/** As in the index of the sample rate in a header (ISO/IEC 14496-3 table 1.18). */
const adtsRates = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
]

/**
 * The length of raw AAC, by its frames (ISO/IEC 14496-3 1.A.2.2). The library needs 16 s for what this counts of 100 MB in less
 * than one.
 *
 * @returns undefined unless the frames reach the end of the file, a tag behind them apart
 * @throws Error if a frame has no length
 */
function adtsSeconds(file: ByteWindow): number | undefined {
  let at = soundStart(file) ?? 0
  let seconds = 0
  while (at + 7 <= file.size) {
    const head = file.read(at, 7)
    const rate = adtsRates[(head[2]! >> 2) & 15]
    const bytes = ((head[3]! & 3) << 11) | (head[4]! << 3) | (head[5]! >> 5)
    if (head[0] !== 0xff || (head[1]! & 0xf6) !== 0xf0 || !rate) break
    // The library would read this frame until its memory is full.
    if (bytes === 0) throw new Error('a frame without length')
    if (bytes < 7) break
    if (at + bytes > file.size) return seconds
    seconds += (((head[6]! & 3) + 1) * 1024) / rate
    at += bytes
  }
  return file.size - at <= 128 ? seconds : undefined
}

async function codecOf(track: InputAudioTrack): Promise<ContainedSound['codec']> {
  const { codec } = track
  if (codec === 'mp3' || codec === 'ulaw' || codec === 'alaw' || codec?.startsWith('pcm-'))
    return codec as PcmCodec
  if (codec === 'aac') {
    const profile = /^mp4a\.40\.(\d+)$/.exec((await track.getCodecParameterString()) ?? '')?.[1]
    return profile === undefined || playedProfiles.includes(profile)
      ? 'aac'
      : { unplayable: profile === '42' ? 'xHE-AAC' : `AAC profile ${profile}` }
  }
  const inside = codec ?? (await track.getInternalCodecId())
  return {
    unplayable:
      typeof inside === 'string' ? (names[inside.trim()] ?? inside.trim().toUpperCase()) : 'unknown',
  }
}

/** Low complexity, and with the extensions SBR and PS (ISO/IEC 14496-3 table 1.17). */
const playedProfiles = ['2', '5', '29']

const names: Readonly<Record<string, string>> = {
  alac: 'ALAC',
  samr: 'AMR',
  sawb: 'AMR-WB',
  opus: 'Opus',
  vorbis: 'Vorbis',
  flac: 'FLAC',
  ac3: 'AC-3',
  'ac-3': 'AC-3',
  eac3: 'E-AC-3',
  drms: 'copy protection',
  enca: 'copy protection',
}

/** Undefined if the last packet is there; else the time of the last one that is, found by halving. */
async function presentSeconds(track: InputAudioTrack, seconds: number): Promise<number | undefined> {
  const sink = new EncodedPacketSink(track)
  const endOf = async (at: number) => {
    const packet = await sink.getPacket(at).catch(() => null)
    return packet && packet.data.byteLength === packet.byteLength
      ? packet.timestamp + packet.duration
      : undefined
  }
  if ((await endOf(Infinity)) !== undefined) return undefined
  let [present, missing] = [0, seconds]
  while (missing - present > 0.05) {
    const middle = (present + missing) / 2
    const end = await endOf(middle)
    if (end === undefined) missing = middle
    else present = Math.max(middle, Math.min(end, missing))
  }
  return present
}
