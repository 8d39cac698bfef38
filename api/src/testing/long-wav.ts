/** The header of a WAV: PCM, one channel of 16 bits at 44,100 Hz; `data` bytes of them follow. */
export function wavHead(data: number): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + data, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(44_100, 24)
  head.writeUInt32LE(88_200, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(data, 40)
  return head
}

/**
 * A playable WAV of about `bytes` bytes, a chunk at a time. Its samples count up from `seed` in steps of four bytes, below
 * half the full scale, so that two files differ, and any two positions in one.
 */
export function* longWav(bytes: number, seed = 0): Generator<Buffer> {
  const data = bytes - 44
  yield wavHead(data)
  let next = seed * 2 ** 20
  for (let at = 0; at < data; at += pieceBytes) {
    const samples = new Uint32Array(pieceBytes / 4)
    for (let index = 0; index < samples.length; index += 1) {
      // Two samples of 15 bits each.
      const [low, high] = [(next & 0x7fff) - 0x4000, ((next >>> 15) & 0x7fff) - 0x4000]
      samples[index] = (high << 16) | (low & 0xffff)
      next += 1
    }
    yield Buffer.from(samples.buffer).subarray(0, data - at)
  }
}

const pieceBytes = 64 * 1024
