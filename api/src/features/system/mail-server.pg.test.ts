import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { system } from '@fellowship/schema/system/system.contract'
import { call } from '@fellowship/sync/call/call'
import { mailer } from '../../machine/mail.ts'
import { smtpServer } from '../../testing/smtp.ts'
import { testApp } from '../../testing/test-app.ts'

const { url, letters, refuse, changePassword } = await smtpServer()
changePassword('first')
const app = await testApp({
  SMTP_URL: url.replace('smtp://', 'smtp://mailer:first@'),
  MAIL_FROM: 'Fellowship <no-reply@example.org>',
  PUBLIC_URL: 'http://teaching.example.org',
})
const admin = await app.signedIn('admin')
const { mail } = app.context

const line = async () => (await call(system.info, {}, admin)).health.find(({ id }) => id === 'mail')!
const forget = () => call(auth.forgotPassword, { body: { email: admin.email } }, app.client())

test('System Info shows a wrong mail password', async () => {
  changePassword('second')
  await forget()
  await expect.poll(async () => (await line()).state, { timeout: 15_000 }).toBe('bad')
  const { sentence, advice } = await line()
  expect(sentence).toBe('The mail server takes no mails: Invalid login: 535 Invalid username or password')
  expect(advice).toContain('SMTP_URL')
  expect(letters).toEqual([])

  changePassword('first')
  await mail.check()
  expect(await line()).toMatchObject({ state: 'good', sentence: 'Mails are sent by a mail server.' })
  changePassword('second')
  await mail.check()
  expect((await line()).state).toBe('bad')
})

test('a sent mail clears the mail server’s fault', async () => {
  changePassword('first')
  await forget()
  await expect.poll(() => letters.length, { timeout: 15_000 }).toBe(1)
  await expect.poll(async () => (await line()).state).toBe('good')
})

test('one refused address is no mail server fault', async () => {
  refuse(true)
  await expect(mail.send({ to: 'gone@example.org', subject: 's', text: 't' })).rejects.toThrow('Try again')
  expect((await line()).state).toBe('good')
  refuse(false)
})

test('System Info shows a missing mail server', async () => {
  const without = await testApp({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@example.org' })
  await without.context.mail.check()
  expect(without.context.mail.failure()).toContain('ECONNREFUSED')
})

test('gives up a mail server that stays silent', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as AddressInfo
  const settings = { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'a@example.org' }
  const { config, log } = app.context
  const quick = mailer({ ...config, mail: settings }, log, { greetingTimeout: 200 })
  await expect(quick.send({ to: 'b@example.org', subject: 's', text: 't' })).rejects.toThrow('Greeting')
  expect(quick.failure()).toContain('Greeting')
})
