import { closeSync, openSync } from 'node:fs'
import { fileTypeFromTokenizer } from 'file-type'
import { parseFromTokenizer, type IFormat } from 'music-metadata'
import { audioMime, type AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import { checkMp4, measureWav } from './audio-containers.ts'
import { audioRefusals } from './audio-refusals.ts'
import { fileWindow, type FileWindow } from './file-window.ts'
import { walkMp3 } from './mp3-frames.ts'
import { WindowTokenizer } from './window-tokenizer.ts'

/** Format and duration of a recording, from its bytes. */
export interface AudioFacts {
  extension: AudioExtension
  mime: string
  durationSeconds: number
}

/**
 * Determines from a file's bytes its format and duration, and whether it is complete. Its name and the client's MIME type
 * are ignored. For worker threads only: hostile bytes can keep it busy.
 *
 * @throws Problem `unsupported_audio` with the reason and how to fix it
 */
export async function readAudio(path: string): Promise<AudioFacts> {
  const fd = openSync(path, 'r')
  try {
    const file = fileWindow(fd)
    if (file.size === 0) throw audioRefusals.empty()
    const extension = await kindOf(file)
    return { extension, mime: audioMime[extension], durationSeconds: await measure[extension](file) }
  } finally {
    closeSync(fd)
  }
}

async function kindOf(file: FileWindow): Promise<AudioExtension> {
  // The detector throws for some damaged files: they count as unrecognized.
  const type = await fileTypeFromTokenizer(new WindowTokenizer(file)).catch(() => undefined)
  switch (type?.ext) {
    case 'mp3':
      return 'mp3'
    case 'wav':
      return 'wav'
    case 'm4a':
    case 'm4b':
    case 'mp4':
      return 'm4a'
    case '3gp':
    case '3g2':
      throw audioRefusals.unplayable('3GP')
    case 'mov':
    case 'm4v':
    case 'avi':
    case 'mkv':
    case 'webm':
      throw audioRefusals.video()
    case undefined:
      break
    default:
      throw type?.mime.startsWith('audio/')
        ? audioRefusals.unplayable(type.ext.toUpperCase())
        : audioRefusals.notAudio()
  }
  // Some recorders put bytes before the first frame, and any file may contain bytes that look like one frame.
  const { audioBytes } = walkMp3(file)
  if (audioBytes < file.size * 0.9) throw audioRefusals.notAudio()
  return 'mp3'
}

const measure: Record<AudioExtension, (file: FileWindow) => number | Promise<number>> = {
  mp3: (file) => {
    const { frames, durationSeconds, declaredSeconds, audioBytes, junkBytes, gaveUp } = walkMp3(file)
    if (gaveUp || frames < 3 || audioBytes < junkBytes) throw audioRefusals.damaged()
    if (declaredSeconds !== undefined && declaredSeconds - durationSeconds > 1) {
      throw audioRefusals.cutOff(durationSeconds, declaredSeconds)
    }
    return durationSeconds
  },
  wav: (file) => measureWav(file),
  m4a: (file) => {
    checkMp4(file)
    return measureM4a(file)
  },
}

async function measureM4a(file: FileWindow): Promise<number> {
  // Given explicitly; otherwise the parser goes by the file's extension.
  const format = await readFormat(new WindowTokenizer(file, { mimeType: audioMime.m4a }))
  if (format.hasVideo) throw audioRefusals.video()
  const codec = format.codec ?? ''
  if (!codec.includes('AAC')) throw codec === '' ? audioRefusals.noSound() : audioRefusals.unplayable(codec)
  if (!format.duration || !Number.isFinite(format.duration)) throw audioRefusals.noSound()
  return format.duration
}

async function readFormat(tokenizer: WindowTokenizer): Promise<IFormat> {
  try {
    return (await parseFromTokenizer(tokenizer, { skipCovers: true, duration: false })).format
  } catch {
    throw audioRefusals.damaged()
  } finally {
    await tokenizer.close()
  }
}
