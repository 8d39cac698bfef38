import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll } from 'vitest'

interface Letter {
  to: string[]
  /** Head and body, decoded from quoted-printable. */
  text: string
}

/**
 * A real SMTP server on loopback. Closed after the file's tests.
 *
 * @returns its address for SMTP_URL, the mails it received, a switch that makes it refuse the address of each, and another
 * that changes the password which clients with a name have to give
 */
export async function smtpServer() {
  const letters: Letter[] = []
  let isRefusing = false
  let password = ''
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password: given }, _session, callback) {
      if (given === password) callback(null, { user: username! })
      else callback(new Error('Invalid username or password'))
    },
    onRcptTo(_address, _session, callback) {
      callback(isRefusing ? new Error('Try again later') : undefined)
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        const text = Buffer.concat(chunks).toString().replaceAll('=\r\n', '').replaceAll('=3D', '=')
        letters.push({ to, text })
        callback()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    letters,
    refuse: (refusing: boolean) => void (isRefusing = refusing),
    changePassword: (next: string) => void (password = next),
  }
}
