import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { processTree, signalAll, stillRunning } from '../../testing/process-tree.ts'
import { limitedCommand } from './limited-command.ts'

const run = (script: string, limits: Parameters<typeof limitedCommand>[2]) =>
  spawnSync(...limitedCommand(process.execPath, ['-e', script], limits), { encoding: 'utf8' })

const allocate = (megabytes: number) => `Buffer.alloc(${megabytes} * 2 ** 20, 1); console.log('filled')`

test('ends a process that exceeds its memory', () => {
  expect(run(allocate(800), { megabytes: 512 }).stdout).toBe('')
  expect(run(allocate(100), { megabytes: 512 }).stdout).toBe('filled\n')
})

test('ends a process that exceeds its processor time', () => {
  expect(run('for (;;);', { megabytes: 512, cpuSeconds: 1 }).signal).toMatch(/SIGXCPU|SIGKILL/)
})

test('a child inherits the limits of its parent', () => {
  const child = `require('node:child_process').execFileSync(process.execPath, ['-e', \`${allocate(800)}\`])`
  expect(run(child, { megabytes: 512 }).status).not.toBe(0)
})

test('passes arguments unchanged', () => {
  const [program, args] = limitedCommand(process.execPath, ['-p', '"a b$PATH*"'], { megabytes: 512 })
  expect(spawnSync(program, args, { encoding: 'utf8' }).stdout).toBe('a b$PATH*\n')
})

test('ends a silent program with the thread that started it', async () => {
  const command = limitedCommand('sleep', ['4321'], { megabytes: 512, endsWithInput: true })
  const start = `
    const { spawn } = require('node:child_process')
    const { workerData } = require('node:worker_threads')
    spawn(...workerData, { stdio: ['pipe', 'pipe', 'pipe'] })`
  const worker = new Worker(start, { eval: true, workerData: command })
  onTestFinished(() => void worker.terminate())
  await once(worker, 'online')
  const started = () => processTree(process.pid).filter((each) => each.command.includes('4321'))
  // The program and two shells.
  await expect.poll(() => started().length).toBe(3)
  const all = started()
  onTestFinished(() => signalAll(all, 'SIGKILL'))
  await worker.terminate()
  await expect.poll(() => stillRunning(all)).toEqual([])
})

test('a program that ends has its own output and status', async () => {
  const child = spawn(
    ...limitedCommand('sh', ['-c', 'cat; echo out; exit 3'], { megabytes: 512, endsWithInput: true }),
    { stdio: ['pipe', 'pipe', 'pipe'] },
  )
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')])
  expect([output, child.exitCode]).toEqual(['out\n', 3])
})
