import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { nameServer } from '../testing/name-server.ts'
import { isPublicAddress, PrivateAddress, publicLookup } from './public-lookup.ts'

test.each([
  '127.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  '2002:7f00:1::',
  'fc00::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
])('%s is no public address', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each(['142.250.70.138', '2404:6800:4006:80f::200a'])('%s is one', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

async function lookUp(hostname: string, ...servers: string[]): Promise<unknown> {
  const lookup = promisify(publicLookup({ servers, deadlineMs: 300 }))
  return lookup(hostname, { all: true })
}

test('gives up a name server that stays silent', async () => {
  const { server, asked } = await nameServer()
  await expect(lookUp('push.example.org', server)).rejects.toMatchObject({ syscall: 'queryA' })
  expect(asked()).toBeGreaterThan(0)
})

test('several silent name servers share one deadline', async () => {
  const silent = await Promise.all([1, 2, 3].map(() => nameServer()))
  const found = lookUp('push.example.org', ...silent.map(({ server }) => server))
  await expect(found).rejects.toMatchObject({ code: 'ECANCELLED' })
})

test('returns public addresses only', async () => {
  const open = await nameServer([142, 250, 70, 138])
  expect(await lookUp('push.example.org', open.server)).toEqual([{ address: '142.250.70.138', family: 4 }])
  const inside = await nameServer([10, 0, 0, 1])
  await expect(lookUp('push.example.org', inside.server)).rejects.toThrow(PrivateAddress)
})

test('a name that leads inside later is refused then', async () => {
  const changing = await nameServer([142, 250, 70, 138], [127, 0, 0, 1])
  expect(await lookUp('push.example.org', changing.server)).toHaveLength(1)
  await expect(lookUp('push.example.org', changing.server)).rejects.toThrow(PrivateAddress)
})

test('does not ask for names of this machine', async () => {
  const { server, asked } = await nameServer([142, 250, 70, 138])
  await expect(lookUp('LOCALHOST.', server)).rejects.toThrow(PrivateAddress)
  await expect(lookUp('a.localhost', server)).rejects.toThrow(PrivateAddress)
  expect(asked()).toBe(0)
})
