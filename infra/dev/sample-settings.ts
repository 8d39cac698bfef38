import path from 'node:path'
import { applyEnvFile } from '@fellowship/api/config/env'
import { administrator } from './sample-content.ts'

/** In `.env` these describe the real site, which sample content and sample accounts must not reach. */
const ofTheRealSite = [
  'DATA_DIR',
  'DATABASE_URL',
  'PUBLIC_URL',
  'ADMIN_EMAIL',
  'ADMIN_PASSWORD',
  'REGISTRATION',
  'APP_SECRET',
  'SMTP_URL',
  'BACKUP_DIR',
]

/**
 * The environment of a product with sample content: real variables, then the lines of `.env` about this machine, then a
 * folder of its own. An empty variable counts as absent, and keeps the server from reading it from the file.
 */
export function sampleSettings(root: string, dataDir: string): NodeJS.ProcessEnv {
  const settings = { ...process.env }
  for (const name of ofTheRealSite) settings[name] ??= ''
  for (const sentence of applyEnvFile(root, settings).warnings) console.error(sentence)
  return {
    ...settings,
    DATA_DIR: settings['DATA_DIR'] || path.join(root, dataDir),
    REGISTRATION: settings['REGISTRATION'] || 'open',
    ADMIN_EMAIL: administrator.email,
    ADMIN_PASSWORD: administrator.password,
  }
}
