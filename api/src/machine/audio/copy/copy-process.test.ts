import { fork } from 'node:child_process'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { longWav } from '../../../testing/long-wav.ts'
import { fixture } from '../../../testing/multipart.ts'
import { processTree, stillRunning } from '../../../testing/process-tree.ts'
import { helperProgram } from '../../process/helper-worker.ts'
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
  // Not until its end: beside other work, such a process gets next to no time.
  const work = copying.run({ path: file, extension: 'wav', bytes: (await stat(file)).size, target })
  work.catch(() => undefined)
  // The process of the previous test may still be ending.
  await expect.poll(nicenessOfCopying).toEqual([expected])
})

/** A job whose decoder runs on without a word, as for an index of frames that are all broken. */
async function endlessJob() {
  const folder = await mkdtemp(path.join(tmpdir(), 'copies-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const ffmpeg = path.join(folder, 'endless-decoder')
  const [file, target] = [path.join(folder, 'a.m4a'), path.join(folder, 'copy.mp3')]
  await writeFile(ffmpeg, '#!/bin/sh\nwhile :; do sleep 1; done\n', { mode: 0o755 })
  await writeFile(file, await fixture('faststart.m4a'))
  await writeFile(target, '')
  const decoders = () => processTree(process.pid).filter(({ command }) => command.includes(ffmpeg))
  const begun = async () => {
    // The program and two shells.
    await expect.poll(() => decoders().length).toBe(3)
    return decoders()
  }
  const job = { path: file, extension: 'm4a', bytes: (await stat(file)).size, target, ffmpeg } as const
  return { job, begun }
}

test('a job that is ended ends its decoder', async () => {
  const { job, begun } = await endlessJob()
  const copying = copyProcess({ niceness: 0 })
  onTestFinished(() => copying.close())
  const gone = new AbortController()
  const work = copying.run(job, gone.signal)
  work.catch(() => undefined)
  const decoder = await begun()
  gone.abort()
  await expect(work).rejects.toThrow('not needed')
  await expect.poll(() => stillRunning(decoder)).toEqual([])
})

test('a decoder ends with the server', async () => {
  const { job, begun } = await endlessJob()
  const { file, execArgv } = helperProgram(import.meta.dirname, 'copy-child')
  const child = fork(file, ['0'], { execArgv: [...execArgv], serialization: 'advanced' })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.send(job)
  const decoder = await begun()
  child.disconnect()
  await expect.poll(() => stillRunning(decoder)).toEqual([])
})
