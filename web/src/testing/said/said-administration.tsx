import type { SftpStatus } from '@fellowship/schema/sftp/sftp.contract'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { vi } from 'vitest'
import { renderSite } from '../render-site.tsx'
import { testServer } from '../test-server.ts'
import { fillIn, press, refused, type Scenario } from './scenario.ts'

const admin = { id: 1, name: 'Anna', email: 'anna@example.test', role: 'admin' as const }

const status: SftpStatus = {
  success: true,
  available: true,
  message: 'Scheduled',
  running: false,
  schedule: 'Sundays 11:00 AM to 2:00 PM (Auckland)',
  host: 'localhost',
  port: 2222,
  username: 'desk',
  fingerprint: 'SHA256:x',
  nextWindow: '2026-11-28T22:00:00.000Z',
  closesAt: null,
  sessionType: null,
  manualTimeoutRemaining: null,
  currentUpload: null,
}
const monitor = {
  success: true,
  totalFiles: 0,
  totalSizeFormatted: '0 kB',
  lastUpdated: '2026-11-22T00:00:00.000Z',
  directories: {},
  bans: [],
}
const credentials = {
  success: true,
  username: 'desk',
  password: 'Long enough 1',
  host: 'localhost',
  port: 2222,
  fingerprint: 'SHA256:x',
}

const sftp = async (answers: Parameters<typeof testServer>[0], change: Partial<SftpStatus> = {}) => {
  await testServer({
    'GET /api/sftp/status': () => ({ body: { ...status, ...change } }),
    'GET /api/sftp/monitor': () => ({ body: monitor }),
    'GET /api/sftp/credentials': () => ({ body: credentials }),
    'GET /api/inbox': () => ({ body: [] }),
    ...answers,
  })
  renderSite('/admin?tab=system&part=sftp', admin)
}

const changePassword = async (password: string) => {
  await press('Edit Password')
  await fillIn({ 'New password': password })
  await userEvent.tab()
}

export const saidBySftp: readonly Scenario[] = [
  { says: ['Failed to fetch SFTP status'], bring: () => sftp({ 'GET /api/sftp/status': () => refused() }) },
  {
    says: ['SFTP server not available'],
    bring: () => sftp({}, { available: false, message: 'Port 2222 is in use.' }),
  },
  {
    says: ['Failed to start SFTP server'],
    bring: async () => {
      await sftp({ 'POST /api/sftp/start': () => refused() })
      await press('Start Server')
    },
  },
  {
    says: ['Failed to stop SFTP server'],
    bring: async () => {
      await sftp({ 'POST /api/sftp/stop': () => refused() }, { running: true, sessionType: 'scheduled' })
      await press('Stop Server')
    },
  },
  {
    says: ['Failed to clear upload state'],
    bring: async () => {
      const currentUpload = { filename: 'a.mp3', size: 1, startTime: Date.now() }
      await sftp({ 'POST /api/sftp/clear-upload': () => refused() }, { currentUpload })
      await press('Clear upload record')
    },
  },
  {
    says: ['Failed to fetch current password', 'Network error. Please try again.'],
    bring: async () => {
      await sftp({ 'GET /api/sftp/credentials': () => ({ body: '<html>A proxy.</html>' }) })
      await press('Show Password')
    },
  },
  {
    says: ['Password must be at least 8 characters long'],
    bring: async () => {
      await sftp({})
      await changePassword('short')
    },
  },
  {
    says: ['Failed to change password'],
    bring: async () => {
      await sftp({ 'POST /api/sftp/change-password': () => refused() })
      await changePassword('Other enough 2')
      await press('Save')
    },
  },
]

const processes = async (totalProcesses: number) => {
  const body = { totalProcesses, processLimit: 80, bcfProcesses: 1, processes: [] }
  await testServer({ 'GET /api/admin/processes': () => ({ body }) })
  renderSite('/admin?tab=system&part=processes', admin)
}

export const saidByProcesses: readonly Scenario[] = [
  { says: ['Normal: Process usage healthy'], bring: () => processes(10) },
  { says: ['Warning: High process usage'], bring: () => processes(60) },
  { says: ['Critical: Process limit approaching'], bring: () => processes(78) },
  {
    says: ['Error loading process information'],
    bring: async () => {
      await testServer({ 'GET /api/admin/processes': () => refused() })
      renderSite('/admin?tab=system&part=processes', admin)
    },
  },
]

export const saidByBackup: readonly Scenario[] = [
  {
    says: ['Backup Failed', 'Failed to create backup'],
    bring: async () => {
      await testServer({ 'POST /api/backup/prepare': () => refused() })
      renderSite('/admin?tab=backup', admin)
      await press('Create Manual Backup')
    },
  },
]

const stats = {
  users: 2,
  elders: 3,
  teachings: 41,
  totalFiles: 41,
  referencedFiles: 40,
  orphanedFiles: 1,
  totalSize: 5_000_000,
  orphanedSize: 9,
  orphans: [],
}
const info = {
  environment: 'test',
  version: '1.0.0',
  storage: 'disk',
  nodeVersion: '24.0.0',
  uptime: 60,
  memoryUsage: { rss: 1_000_000, external: 1_000 },
  health: [],
}
const system = async (answers: Parameters<typeof testServer>[0] = {}) => {
  await testServer({
    'GET /api/audio-management/stats': () => ({ body: stats }),
    'GET /api/health/system-info': () => ({ body: info }),
    ...answers,
  })
  renderSite('/admin?tab=system&part=info', admin)
}
/** Answers the first request and rejects later ones. */
const once = (body: object) => {
  let asked = 0
  return () => ((asked += 1) === 1 ? { body } : refused())
}
const refresh = async () => {
  await screen.findByText('Teachings')
  await screen.findByText('1.0.0')
  await press('Refresh Statistics')
}

export const saidByAudio: readonly Scenario[] = [
  {
    says: ['Failed to fetch stats'],
    bring: async () => {
      await system({ 'GET /api/audio-management/stats': once(stats) })
      await refresh()
    },
  },
  {
    says: ['Failed to load statistics'],
    bring: () => system({ 'GET /api/audio-management/stats': () => refused() }),
  },
  {
    says: ['Cleanup Failed'],
    bring: async () => {
      await system({ 'DELETE /api/audio-management/cleanup': () => refused() })
      await cleanUp()
    },
  },
  {
    says: ['Cleanup Complete'],
    bring: async () => {
      await system({
        'DELETE /api/audio-management/cleanup': () => ({ body: { deleted: ['a'], errors: [], kept: 0 } }),
      })
      await cleanUp()
    },
  },
]

async function cleanUp(): Promise<void> {
  await press('Clean up orphaned files')
  await press(/^Delete \d/)
}

export const saidBySystem: readonly Scenario[] = [
  {
    says: ['Failed to fetch system info'],
    bring: async () => {
      await system({ 'GET /api/health/system-info': once(info) })
      await refresh()
    },
  },
  {
    says: ['Failed to load system information'],
    bring: () => system({ 'GET /api/health/system-info': () => refused() }),
  },
  {
    says: ['Cache Clear Failed'],
    bring: async () => {
      vi.stubGlobal('caches', { keys: () => Promise.reject(new Error('The caches cannot be read.')) })
      await system()
      await press('Clear Frontend Cache')
    },
  },
]
