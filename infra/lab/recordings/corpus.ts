import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A recording as a phone, a recorder or an editor makes it, or one that was damaged on its way. */
export interface CorpusFile {
  readonly name: string
  /** What becomes of it: its kind in the library, a question, or a refusal. */
  readonly verdict: 'mp3' | 'wav' | 'm4a' | 'asked' | 'refused'
  /** Writes it. `speech` is a WAV of six seconds, 16 bits and one channel at 48 kHz. */
  readonly make: (file: string, speech: string) => Promise<void>
  /** Seconds of the length that a decoder leaves out, because it cannot decode them. */
  readonly undecodable?: number
}

const ffmpeg = (file: string, speech: string, output: readonly string[], input: readonly string[] = []) =>
  run('ffmpeg', ['-v', 'error', '-y', ...input, '-i', speech, ...output, file])
const encoded =
  (output: readonly string[], input: readonly string[] = []): CorpusFile['make'] =>
  async (file, speech) =>
    void (await ffmpeg(file, speech, output, input))
const changed =
  (output: readonly string[], change: (bytes: Buffer) => Buffer): CorpusFile['make'] =>
  async (file, speech) => {
    await ffmpeg(file, speech, output)
    await writeFile(file, change(await readFile(file)))
  }

const rates = [8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
const mp3 = (name: string, ...output: string[]): CorpusFile => ({
  name: `mp3-${name}.mp3`,
  verdict: 'mp3',
  make: encoded(['-c:a', 'libmp3lame', ...output]),
})
const mp3s: CorpusFile[] = [
  ...rates.map((rate) => mp3(`${rate}`, '-ar', String(rate))),
  ...['64k', '96k', '192k', '320k'].map((rate) => mp3(`cbr-${rate}`, '-b:a', rate, '-ac', '2')),
  ...[0, 4, 9].map((quality) => mp3(`vbr-${quality}`, '-q:a', String(quality))),
  ...[0, 4, 9].map((quality) => mp3(`vbr-${quality}-no-xing`, '-q:a', String(quality), '-write_xing', '0')),
  mp3('abr', '-abr', '1', '-b:a', '96k'),
  mp3('joint', '-ac', '2', '-joint_stereo', '1'),
  mp3('id3v23', '-id3v2_version', '3', '-metadata', 'title=Hope'),
  mp3('id3v24', '-id3v2_version', '4', '-metadata', 'title=Hope'),
  mp3('id3v1', '-write_id3v1', '1', '-metadata', 'title=Hope'),
  mp3('no-tag', '-id3v2_version', '0', '-write_xing', '0'),
]

const wav = (name: string, verdict: CorpusFile['verdict'], ...output: string[]): CorpusFile => ({
  name: `wav-${name}.wav`,
  verdict,
  make: encoded(output),
})
/** A WAV whose one channel is in each of so many: ffmpeg has no layout for most numbers. */
function inChannels(wavBytes: Buffer, channels: number): Buffer {
  const sound = wavBytes.subarray(dataAt(wavBytes) + 4)
  const head = Buffer.from(wavBytes.subarray(0, 44))
  head.write('fmt ', 12, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(48_000 * channels * 2, 28)
  head.writeUInt16LE(channels * 2, 32)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(sound.length * channels, 40)
  const wide = Buffer.alloc(sound.length * channels)
  for (let at = 0; at < sound.length * channels; at += 2)
    wide.writeInt16LE(sound.readInt16LE(Math.floor(at / 2 / channels) * 2), at)
  return Buffer.concat([head, wide])
}
const dataAt = (bytes: Buffer) => bytes.indexOf('data', 0, 'latin1') + 4
const samples = [
  'pcm_u8',
  'pcm_s16le',
  'pcm_s24le',
  'pcm_s32le',
  'pcm_f32le',
  'pcm_f64le',
  'pcm_alaw',
  'pcm_mulaw',
]
const wavs: CorpusFile[] = [
  ...samples.map((codec) => wav(codec, 'wav', '-c:a', codec)),
  ...[2, 6, 8, 12, 16, 32].map((channels) => ({
    name: `wav-${channels}-channels.wav`,
    verdict: 'wav' as const,
    make: changed([], (bytes) => inChannels(bytes, channels)),
  })),
  ...rates.map((rate) => wav(`${rate}`, 'wav', '-ar', String(rate))),
  ...[88_200, 96_000, 192_000].map((rate) => wav(`${rate}`, 'wav', '-ar', String(rate))),
  wav('rf64', 'wav', '-rf64', 'always'),
  wav('rf64-24', 'wav', '-rf64', 'always', '-c:a', 'pcm_s24le'),
  wav('bext', 'wav', '-write_bext', '1', '-metadata', 'description=Hope'),
  wav('tags', 'wav', '-metadata', 'title=Hope', '-metadata', 'artist=Ann Lee'),
  wav('mp3-inside', 'mp3', '-c:a', 'libmp3lame'),
  wav('mp3-inside-vbr', 'mp3', '-c:a', 'libmp3lame', '-q:a', '4'),
  wav('adpcm-ms', 'refused', '-c:a', 'adpcm_ms'),
  wav('adpcm-ima', 'refused', '-c:a', 'adpcm_ima_wav'),
]

const brands = ['M4A ', 'M4B ', 'isom', 'mp42', 'qt  ', '3gp4', '3gp5', '3g2a', 'F4A ', 'NDSC', 'XAVC']
/** An MP4 of AAC whose major brand is replaced, as the labels of phones differ. */
const branded = (brand: string, ...more: string[]): CorpusFile => ({
  name: `mp4-brand-${brand.trim()}${more.length > 0 ? '-first' : ''}.m4a`,
  verdict: 'm4a',
  make: changed(['-c:a', 'aac', '-f', 'mp4', ...more], (bytes) => {
    bytes.write(brand, 8, 'latin1')
    return bytes
  }),
})
const picture = ['-f', 'lavfi', '-i', 'color=c=green:s=64x64:r=1:d=6']
const video = ['-f', 'lavfi', '-i', 'testsrc=s=64x64:r=25:d=6']
const contained = (
  name: string,
  verdict: CorpusFile['verdict'],
  output: string[],
  input: string[] = [],
): CorpusFile => ({
  name,
  verdict,
  make: encoded(output, input),
})
const containers: CorpusFile[] = [
  ...brands.map((brand) => branded(brand)),
  ...brands.map((brand) => branded(brand, '-movflags', 'faststart')),
  ...rates
    .slice(1)
    .map((rate) => contained(`adts-${rate}.aac`, 'm4a', ['-c:a', 'aac', '-ar', String(rate), '-f', 'adts'])),
  contained('adts-named.mp3', 'm4a', ['-c:a', 'aac', '-f', 'adts']),
  contained('fragments.m4a', 'm4a', ['-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', '-f', 'mp4']),
  contained('dash.m4a', 'm4a', ['-c:a', 'aac', '-movflags', 'dash', '-f', 'mp4']),
  contained('stereo.m4a', 'm4a', ['-c:a', 'aac', '-ac', '2', '-b:a', '192k']),
  contained('surround.m4a', 'm4a', ['-c:a', 'aac', '-ac', '6']),
  contained('chapter.m4b', 'm4a', ['-c:a', 'aac', '-f', 'ipod']),
  contained('quicktime.mov', 'm4a', ['-c:a', 'aac', '-f', 'mov']),
  contained('3gp.3gp', 'm4a', ['-c:a', 'aac', '-ar', '16000', '-f', '3gp']),
  contained('stream.ts', 'm4a', ['-c:a', 'aac', '-f', 'mpegts']),
  contained('aac.mka', 'm4a', ['-c:a', 'aac', '-f', 'matroska']),
  contained('mp3.mka', 'mp3', ['-c:a', 'libmp3lame', '-f', 'matroska']),
  contained('mp3-vbr.mka', 'mp3', ['-c:a', 'libmp3lame', '-q:a', '4', '-f', 'matroska']),
  contained('pcm.mka', 'wav', ['-c:a', 'pcm_s16le', '-f', 'matroska']),
  contained('mp3.mp4', 'mp3', ['-c:a', 'libmp3lame', '-f', 'mp4']),
  contained('sowt.mov', 'wav', ['-c:a', 'pcm_s16le', '-f', 'mov']),
  contained('twos.mov', 'wav', ['-c:a', 'pcm_s16be', '-f', 'mov']),
  contained('in24.mov', 'wav', ['-c:a', 'pcm_s24be', '-f', 'mov']),
  contained('fl32.mov', 'wav', ['-c:a', 'pcm_f32le', '-f', 'mov']),
  contained('ulaw.mov', 'wav', ['-c:a', 'pcm_mulaw', '-f', 'mov']),
  contained(
    'slides.m4a',
    'm4a',
    ['-map', '1:a', '-map', '0:v', '-c:a', 'aac', '-c:v', 'mjpeg', '-f', 'mp4'],
    picture,
  ),
  contained(
    'video.mp4',
    'refused',
    ['-map', '1:a', '-map', '0:v', '-c:a', 'aac', '-c:v', 'mpeg4', '-f', 'mp4'],
    video,
  ),
  contained(
    'video.mkv',
    'refused',
    ['-map', '1:a', '-map', '0:v', '-c:a', 'aac', '-c:v', 'mpeg4', '-f', 'matroska'],
    video,
  ),
  contained('alac.m4a', 'refused', ['-c:a', 'alac']),
  contained('ac3.mp4', 'refused', ['-c:a', 'ac3', '-f', 'mp4']),
  contained('opus.mp4', 'refused', ['-c:a', 'libopus', '-f', 'mp4']),
  contained('flac.mp4', 'refused', ['-c:a', 'flac', '-strict', '-2', '-f', 'mp4']),
  contained('opus.webm', 'refused', ['-c:a', 'libopus', '-f', 'webm']),
  contained('opus.opus', 'refused', ['-c:a', 'libopus']),
  contained('vorbis.ogg', 'refused', ['-c:a', 'libvorbis']),
  contained('flac.flac', 'refused', ['-c:a', 'flac']),
  contained('aiff.aiff', 'refused', []),
  contained('caf.caf', 'refused', []),
  contained('wma.wma', 'refused', ['-c:a', 'wmav2', '-f', 'asf']),
  contained('mp2.mp2', 'refused', ['-c:a', 'mp2']),
  contained('ac3.ac3', 'refused', ['-c:a', 'ac3']),
  contained('w64.w64', 'refused', ['-f', 'w64']),
  contained('au.au', 'refused', ['-f', 'au']),
]

const withDataSize = (size: number) => (bytes: Buffer) => {
  bytes.writeUInt32LE(size, dataAt(bytes))
  return bytes
}
const share = (part: number) => (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * part))
const aac = ['-c:a', 'aac']
const first = [...aac, '-movflags', 'faststart']
const cbr = ['-c:a', 'libmp3lame', '-b:a', '64k']
const plainCbr = [...cbr, '-write_xing', '0', '-id3v2_version', '0']
const damage = (
  name: string,
  verdict: CorpusFile['verdict'],
  output: string[],
  change: (bytes: Buffer) => Buffer,
) => ({ name: `damaged-${name}`, verdict, make: changed(output, change) }) satisfies CorpusFile
const damages: CorpusFile[] = [
  ...[0.95, 0.5, 0.2].flatMap((part) => [
    damage(`cut-${part}.mp3`, part > 0.9 ? 'mp3' : 'asked', cbr, share(part)),
    damage(`cut-plain-${part}.mp3`, 'mp3', plainCbr, share(part)),
    damage(`cut-${part}.wav`, part > 0.9 ? 'wav' : 'asked', [], share(part)),
    damage(`cut-first-${part}.m4a`, part > 0.9 ? 'm4a' : 'asked', first, share(part)),
    damage(`cut-last-${part}.m4a`, 'refused', aac, share(part)),
    damage(`cut-${part}.aac`, 'm4a', [...aac, '-f', 'adts'], share(part)),
  ]),
  ...[1, 7, 400].map((bytes) =>
    damage(`start-lost-${bytes}.mp3`, 'mp3', plainCbr, (whole) => whole.subarray(bytes)),
  ),
  damage('junk-before.mp3', 'mp3', plainCbr, (bytes) => Buffer.concat([Buffer.alloc(500), bytes])),
  damage('junk-behind.mp3', 'mp3', cbr, (bytes) => Buffer.concat([bytes, Buffer.alloc(3_000, 'junk')])),
  damage('zeros-behind.mp3', 'mp3', cbr, (bytes) => Buffer.concat([bytes, Buffer.alloc(3_000)])),
  damage('zeros-inside.mp3', 'mp3', plainCbr, (bytes) => bytes.fill(0, 20_000, 22_000)),
  damage('zeros-inside.wav', 'wav', [], (bytes) => bytes.fill(0, 100_000, 150_000)),
  {
    ...damage('zeros-inside.m4a', 'm4a', first, (bytes) =>
      bytes.fill(0, bytes.length - 20_000, bytes.length - 15_000),
    ),
    undecodable: 2.4,
  },
  damage('twice.mp3', 'mp3', cbr, (bytes) => Buffer.concat([bytes, bytes])),
  damage('riff-size-8-more.wav', 'wav', [], (bytes) => {
    bytes.writeUInt32LE(bytes.length, 4)
    return bytes
  }),
  damage('riff-size-0.wav', 'wav', [], (bytes) => bytes.fill(0, 4, 8)),
  damage('size-0.wav', 'wav', [], withDataSize(0)),
  damage('size-ffffffff.wav', 'wav', [], withDataSize(0xffff_ffff)),
  damage('size-7ffff000.wav', 'wav', [], withDataSize(0x7fff_f000)),
  damage('size-2-seconds.wav', 'wav', [], withDataSize(192_000)),
  damage('byte-rate-0.wav', 'wav', [], (bytes) => bytes.fill(0, 28, 32)),
  damage('byte-rate-twice.wav', 'wav', [], (bytes) => {
    bytes.writeUInt32LE(192_000, 28)
    return bytes
  }),
  damage('block-align-1.wav', 'wav', [], (bytes) => {
    bytes.writeUInt16LE(1, 32)
    return bytes
  }),
  damage('xing-128-more.mp3', 'mp3', cbr, (bytes) => {
    const at = bytes.indexOf('Info', 0, 'latin1')
    bytes.writeUInt32BE(bytes.readUInt32BE(at + 12) + 128, at + 12)
    return bytes
  }),
  damage('xing-half-frames.mp3', 'mp3', cbr, (bytes) => {
    const at = bytes.indexOf('Info', 0, 'latin1')
    bytes.writeUInt32BE(Math.floor(bytes.readUInt32BE(at + 8) / 2), at + 8)
    return bytes
  }),
]

/** At least 150 recordings: containers, brands, codecs, damages and tags. */
export const corpus: readonly CorpusFile[] = [...mp3s, ...wavs, ...containers, ...damages]

/** Seconds that ffmpeg decodes of a file. */
export async function decodedSeconds(file: string): Promise<number> {
  const { stdout } = await run(
    'ffmpeg',
    ['-v', 'quiet', '-i', file, '-map', '0:a:0', '-f', 's16le', '-ac', '1', '-ar', '8000', 'pipe:1'],
    { encoding: 'buffer', maxBuffer: 1 << 28 },
  )
  return stdout.length / 16_000
}

/** Speech of six seconds, from which the corpus is made. */
export async function makeSpeech(folder: string): Promise<string> {
  const file = path.join(folder, 'speech.wav')
  const words =
    'In the beginning was the Word, and the Word was with God, and the Word was God. The same was there.'
  const input = ['-v', 'error', '-y', '-f', 'lavfi', '-i', `flite=text='${words}':voice=rms`]
  await run('ffmpeg', [...input, '-af', 'apad', '-t', '6', '-ar', '48000', '-c:a', 'pcm_s16le', file])
  return file
}

/** What an engine does otherwise than the product says, with the reason. */
export interface Disagreement {
  /** Every engine, if absent. */
  readonly engine?: 'Chromium' | 'Firefox' | 'WebKitGTK'
  readonly files: RegExp
  /** The length by the metadata, the one at the end of playing, the decoded one. */
  readonly parts: readonly ('element' | 'end' | 'decoded')[]
  readonly reason: string
}

export const disagreements: readonly Disagreement[] = [
  {
    files: /^damaged-cut-0\.95\.mp3$/,
    parts: ['element', 'end'],
    reason: 'its header is less than a second too long, and is left as it is',
  },
  {
    files: /^damaged-zeros-inside\.mp3$/,
    parts: ['element', 'end'],
    reason: 'without a header the length is guessed by the bytes, of which a quarter of a second is no sound',
  },
  {
    engine: 'Firefox',
    files: /^damaged-zeros-inside\.m4a$/,
    parts: ['decoded'],
    reason: 'decodeAudioData gives up at the zeros; the element plays on',
  },
  {
    engine: 'WebKitGTK',
    files: /^mp3-8000\.mp3$/,
    parts: ['element', 'end', 'decoded'],
    reason: 'GStreamer plays the silence that the encoder added',
  },
  {
    engine: 'WebKitGTK',
    files:
      /^(?:mp3-no-tag\.mp3|wav-mp3-inside\.wav|mp3\.(?:mka|mp4)|damaged-(?:cut-plain|zeros-inside).*\.mp3)$/,
    parts: ['element'],
    reason: 'without a header the element says 0 until it plays',
  },
  {
    engine: 'WebKitGTK',
    files: /^wav-8-channels\.wav$/,
    parts: ['decoded'],
    reason: 'decodeAudioData fails; the element plays it',
  },
]
