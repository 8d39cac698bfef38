import { randomBytes } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createTransport } from 'nodemailer'
import type SMTPTransport from 'nodemailer/lib/smtp-transport'
import { church } from '@fellowship/schema/church'
import type { Config } from '../config/config.ts'
import type { Log } from './log.ts'

export interface Mail {
  /** Resolves once the mail server has accepted it, or the file is written. */
  send(message: { to: string; subject: string; text: string }): Promise<void>
  /** Connects and signs in at the mail server without a mail, and notes how that went. Rejects never. */
  check(): Promise<void>
  /** Why the mail server took nothing when it was last asked; null if it did, or was not asked yet. */
  failure(): string | null
}

/** Milliseconds for the server's name, for the connection, for its first line, and without a byte. */
const deadlines = {
  dnsTimeout: 10_000,
  connectionTimeout: 15_000,
  greetingTimeout: 15_000,
  socketTimeout: 60_000,
}

/**
 * Sends by SMTP_URL; without it each mail is written to DATA_DIR/outgoing, and logged.
 *
 * @param waits replaces deadlines
 */
export function mailer(
  { mail, dataDir }: Pick<Config, 'mail' | 'dataDir'>,
  log: Log,
  waits: Partial<typeof deadlines> = {},
): Mail {
  const from = () => mail.from ?? `${church().name} <no-reply@localhost>`
  return mail.smtpUrl
    ? byServer({ url: mail.smtpUrl, ...deadlines, ...waits }, from, log)
    : intoFolder(dataDir, from, log)
}

function byServer(server: SMTPTransport.Options, from: () => string, log: Log): Mail {
  const transport = createTransport(server)
  let failure: string | null = null
  const noted = async (asked: Promise<unknown>) => {
    try {
      await asked
      failure = null
    } catch (error) {
      // A refusal of one address does not apply to the others.
      if (!isAboutAddress(error)) failure = reasonOf(error)
      throw error
    }
  }
  return {
    send: (message) => noted(transport.sendMail({ from: from(), ...message })),
    check: () =>
      noted(transport.verify()).catch((error: unknown) =>
        log.warn({ why: reasonOf(error) }, 'the mail server takes no mails: check SMTP_URL'),
      ),
    failure: () => failure,
  }
}

function intoFolder(dataDir: string, from: () => string, log: Log): Mail {
  const transport = createTransport({ streamTransport: true, buffer: true })
  const folder = path.join(dataDir, 'outgoing')
  return {
    async send(message) {
      const { message: bytes } = await transport.sendMail({ from: from(), ...message })
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const name = `${Date.now()}-${randomBytes(4).toString('hex')}.eml`
      const aside = path.join(folder, `.${name}.part`)
      await writeFile(aside, bytes as Buffer, { mode: 0o600 })
      await rename(aside, path.join(folder, name))
      log.info({ file: name }, 'there is no SMTP_URL: a mail was written to the folder "outgoing"')
    },
    check: () => Promise.resolve(),
    failure: () => null,
  }
}

const isAboutAddress = (error: unknown) => (error as { code?: unknown } | null)?.code === 'EENVELOPE'

/** In one line: 'Invalid login: 535 Invalid username or password' */
const reasonOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 200)
