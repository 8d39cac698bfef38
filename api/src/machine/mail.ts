import { randomBytes } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createTransport } from 'nodemailer'
import { church } from '@fellowship/schema/church'
import type { Config } from '../config/config.ts'
import type { Log } from './log.ts'

export interface Mail {
  /** Resolves once the mail server has accepted it, or the file is written. */
  send(message: { to: string; subject: string; text: string }): Promise<void>
}

/** Sends by SMTP_URL; without it each mail is written to DATA_DIR/outgoing, and logged. */
export function mailer({ mail, dataDir }: Pick<Config, 'mail' | 'dataDir'>, log: Log): Mail {
  const from = mail.from ?? `${church.name} <no-reply@localhost>`
  if (mail.smtpUrl) {
    const transport = createTransport(mail.smtpUrl, { from })
    return { send: async (message) => void (await transport.sendMail(message)) }
  }
  const transport = createTransport({ streamTransport: true, buffer: true }, { from })
  const folder = path.join(dataDir, 'outgoing')
  return {
    async send(message) {
      const { message: bytes } = await transport.sendMail(message)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const name = `${Date.now()}-${randomBytes(4).toString('hex')}.eml`
      const aside = path.join(folder, `.${name}.part`)
      await writeFile(aside, bytes as Buffer, { mode: 0o600 })
      await rename(aside, path.join(folder, name))
      log.info({ file: name }, 'there is no SMTP_URL: a mail was written to the folder "outgoing"')
    },
  }
}
