import type { SmallerAnswer, SmallerRequest } from './smaller.worker.ts'

/** The cost of converting a WAV to MP3 on this device: bytes and seconds of work; undefined if it is impossible. */
export async function measureSmaller(
  file: File,
  signal: AbortSignal,
): Promise<{ bytes: number; seconds: number } | undefined> {
  const answer = await ask({ kind: 'measure', file }, signal)
  return answer.kind === 'measured' ? answer : undefined
}

/**
 * Converts a WAV to MP3 in a worker. The file itself stays unchanged.
 *
 * @param onShare called with the share that is done, from 0 to 1
 * @returns undefined if the conversion failed, or `signal` was aborted
 */
export async function makeSmaller(
  file: File,
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<File | undefined> {
  const answer = await ask({ kind: 'make', file }, signal, onShare)
  if (answer.kind !== 'made' || signal.aborted) return undefined
  const name = `${file.name.replace(/\.[^.]*$/, '')}.mp3`
  return new File([answer.blob], name, { type: 'audio/mpeg', lastModified: file.lastModified })
}

function ask(
  request: SmallerRequest,
  signal: AbortSignal,
  onShare: (share: number) => void = () => {},
): Promise<SmallerAnswer> {
  const worker = new Worker(new URL('./smaller.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<SmallerAnswer>((resolve) => {
    const fail = () => resolve({ kind: 'failed' })
    worker.addEventListener('message', ({ data }: MessageEvent<SmallerAnswer>) =>
      data.kind === 'share' ? onShare(data.share) : resolve(data),
    )
    worker.addEventListener('error', fail)
    signal.addEventListener('abort', fail)
    worker.postMessage(request)
  }).finally(() => worker.terminate())
}
