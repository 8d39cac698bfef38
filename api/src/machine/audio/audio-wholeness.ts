import { closeSync, openSync } from 'node:fs'
import { fileWindow, type FileWindow } from './file-window.ts'
import { walkMp3 } from './mp3-frames.ts'

/** How complete a recording is, according to its own headers. */
export interface Wholeness {
  /** Bytes of the complete file, where its header gives them. */
  wholeBytes: number | undefined
  /** Whether the file ends in the middle of the sound. */
  endsInside: boolean
}

/**
 * Reads the expected length from a recording's headers: the chunks of a WAV, the boxes of an MP4, the Xing header of an MP3,
 * and whether the last frame of an MP3 is complete. Needed because an SFTP client that aborts closes its file regularly.
 */
export function readWholeness(path: string): Wholeness {
  const fd = openSync(path, 'r')
  try {
    const file = fileWindow(fd)
    const head = file.read(0, 16)
    const kind = head.toString('latin1', 0, 4)
    if (kind === 'RIFF' && head.length >= 8) return { wholeBytes: riffBytes(head), endsInside: false }
    if (head.toString('latin1', 4, 8) === 'ftyp') {
      return { wholeBytes: mp4Bytes(file), endsInside: false }
    }
    if (kind.startsWith('ID3') || head[0] === 0xff) {
      const { endsInside, declaredBytes } = walkMp3(file)
      return { wholeBytes: declaredBytes, endsInside }
    }
    return { wholeBytes: undefined, endsInside: false }
  } finally {
    closeSync(fd)
  }
}

/** Recorders that stream leave the length at its maximum, or at 0. */
function riffBytes(head: Buffer): number | undefined {
  const size = head.readUInt32LE(4)
  return size > 0 && size < 0xffff_f000 ? size + 8 : undefined
}

/** End of the furthest box. Without an index the remaining boxes are unknown. */
function mp4Bytes(file: FileWindow): number | undefined {
  let at = 0
  while (at + 8 <= file.size) {
    const head = file.read(at, 16)
    const size = head.readUInt32BE(0)
    const bytes = size === 1 && head.length === 16 ? Number(head.readBigUInt64BE(8)) : size
    if (bytes < 8) return undefined
    at += bytes
  }
  return at
}
