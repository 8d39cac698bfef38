/** What stands before the samples of a WAV: PCM, one channel of 16 bits at 44,100 Hz; `data` bytes of them follow. */
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
 * A playable WAV of about `bytes` bytes, a chunk at a time: silence, but for `seed`, so that two differ.
 */
export function* longWav(bytes: number, seed = 0): Generator<Buffer> {
  const data = bytes - 44
  yield wavHead(data)
  const piece = Buffer.alloc(64 * 1024, seed)
  for (let left = data; left > 0; left -= piece.length)
    yield left < piece.length ? piece.subarray(0, left) : piece
}
