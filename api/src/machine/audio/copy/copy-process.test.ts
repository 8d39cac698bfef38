import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { longWav } from '../../../testing/long-wav.ts'
import { processTree } from '../../../testing/process-tree.ts'
import { copyProcess } from './copy-process.ts'

/** The niceness of the copy processes of this process, which stay for a while after their last job. */
const nicenessOfCopying = () =>
  processTree(process.pid)
    .filter(({ command }) => command.includes('copy-child'))
    .map(({ pid }) => getPriority(pid))

test.each([
  ['at the lowest priority', {}, 19],
  ['at a given priority', { niceness: 4 }, 4],
])('works %s', async (_, given, expected) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'copies-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'short.wav')
  const target = path.join(folder, 'copy.mp3')
  await writeFile(file, [...longWav(50_000)])
  await writeFile(target, '')
  const copying = copyProcess(given)
  onTestFinished(() => copying.close())
  await copying.run({ path: file, extension: 'wav', bytes: (await stat(file)).size, target })
  // The process of the previous test may still be ending.
  await expect.poll(nicenessOfCopying).toEqual([expected])
})
