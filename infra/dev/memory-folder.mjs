// Plain JavaScript without packages, as `npm test` begins with it.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem } from 'node:os'
import path from 'node:path'

const prefix = 'fellowship-tests-'
/** Several times the bytes of all tests at once, browsers included. */
const enoughBytes = 8e9

/**
 * A temporary folder in memory for the tests, which start databases and servers by the hundred: on a disk they wait for
 * every sync. Undefined if there is no such place, if room or memory is too little, or if it lacks a feature that some tests
 * need. Folders of runs that were killed are removed.
 */
export function memoryFolder({
  base = '/dev/shm',
  roomBytes = enoughBytes,
  python = '/usr/bin/python3',
} = {}) {
  try {
    removeAbandoned(base)
    const { bavail, bsize } = statfsSync(base)
    if (Math.min(bavail * bsize, freemem()) < roomBytes) return undefined
    const folder = path.join(base, prefix + process.pid)
    mkdirSync(folder, { recursive: true })
    // As of the system's own: the database may belong to another user.
    chmodSync(folder, 0o1777)
    if (mayRunPrograms(folder) && keepsAttributes(folder, python)) return folder
    removeMemoryFolder(folder)
  } catch {
    // The tests also run on a disk.
  }
  return undefined
}

/** Removes it with everything in it. */
export function removeMemoryFolder(folder) {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function removeAbandoned(base) {
  for (const name of readdirSync(base)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : 0
    if (pid > 0 && !isRunning(pid)) removeMemoryFolder(path.join(base, name))
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Containers often forbid it in their shared memory; some tests put programs of their own into the path. */
function mayRunPrograms(folder) {
  const program = path.join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\nexit 7\n', { mode: 0o755 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 7
}

/** As Swift stores them, which tests run if Python is installed; Linux supports them in memory from version 6.6 on. */
function keepsAttributes(folder, python) {
  const code = 'import os, sys; os.setxattr(sys.argv[1], "user.test", b"1")'
  const { status, error } = spawnSync(python, ['-c', code, folder], { stdio: 'ignore' })
  return error !== undefined || status === 0
}
