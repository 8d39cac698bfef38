import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { system } from '@fellowship/schema/system/system.contract'
import { processTree } from '@fellowship/api/testing/process-tree'
import type { ServerProcess } from '@fellowship/api/testing/server-process'
import { residentMegabytes } from './stalled-readers.ts'

/**
 * More megabytes than at rest, by the figures of infra/lab/results/budgets.md: the server 150 for stalled readers and 111 for
 * backups; its children two processes that make copies and their ffmpeg.
 */
const budgets = { server: 150 + 111, children: 2 * (512 + 192) }

/** The memory of a server and its children, and its answers to the health check, looked at each second. */
export async function watched(server: () => ServerProcess) {
  const atRest = await memoryOf(server().pid)
  const most = { ...atRest }
  const health = { answers: 0, slowestMs: 0, faults: [] as string[] }
  let isOver = false
  const watch = {
    /** During a kill the health check may fail. */
    isDown: false,
    figures: () =>
      `at rest ${JSON.stringify(atRest)} MB, at most ${JSON.stringify(most)} MB; ` +
      `${health.answers} health checks, slowest ${health.slowestMs} ms`,
    /** Within the bounds of memory, and each health check was answered. */
    expectWithinBudgets() {
      expect(health.faults).toEqual([])
      expect(health.answers).toBeGreaterThan(0)
      expect(most.server - atRest.server).toBeLessThan(budgets.server)
      expect(most.children - atRest.children).toBeLessThan(budgets.children)
    },
    async end() {
      isOver = true
      await working
    },
  }
  const lookAtMemory = async () => {
    for (; !isOver; await delay(1_000)) {
      const now = await memoryOf(server().pid)
      most.server = Math.max(most.server, now.server)
      most.children = Math.max(most.children, now.children)
    }
  }
  const askForHealth = async () => {
    for (; !isOver; await delay(1_000)) {
      if (watch.isDown) continue
      const [asked, begun] = [server(), performance.now()]
      const fault = await faultOf(asked.url)
      if (watch.isDown || asked !== server()) continue
      health.answers += 1
      health.slowestMs = Math.max(health.slowestMs, Math.round(performance.now() - begun))
      if (fault !== undefined) health.faults.push(fault)
    }
  }
  const working = Promise.all([lookAtMemory(), askForHealth()])
  return watch
}

const faultOf = (url: string): Promise<string | undefined> =>
  fetch(url + system.live.path, { signal: AbortSignal.timeout(60_000) }).then(
    ({ status }) => (status === 200 ? undefined : String(status)),
    String,
  )

async function memoryOf(pid: number): Promise<{ server: number; children: number }> {
  const [server = 0, ...children] = await Promise.all(
    processTree(pid).map((each) => residentMegabytes(each.pid)),
  )
  return { server: Math.round(server), children: Math.round(children.reduce((sum, each) => sum + each, 0)) }
}
