import { expect, test } from 'vitest'
import { embeddedFault } from './embedded-process.ts'

test.each([
  [
    'ENOSPC',
    'FATAL:  could not write to file "pg_wal/xlogtemp.1": No space left on device\nchild process exited',
  ],
  ['EROFS', 'FATAL:  could not create lock file "postmaster.pid": Read-only file system'],
  ['EACCES', 'initdb: error: could not change permissions of directory "/a": Permission denied'],
  [
    'EACCES',
    'FATAL:  data directory "/a" has wrong ownership\nHINT:  The server must be started by its owner.',
  ],
])('a disk fault is the error %s of the folder', (code, printed) => {
  expect(embeddedFault('PostgreSQL did not start', '/a', printed)).toMatchObject({ code, path: '/a' })
})

test('another fault is its reason in one line', () => {
  const printed =
    '2026-11-22 02:06:25 UTC [1] LOG:  starting\n' +
    '2026-11-22 02:06:25 UTC [1] FATAL:  could not create shared memory segment\nDETAIL:  Failed system call'
  expect(embeddedFault('PostgreSQL did not start', '/a', printed)).toEqual(
    new Error('PostgreSQL did not start: could not create shared memory segment'),
  )
  expect(embeddedFault('PostgreSQL did not start', '/a', 'no\nlibrary\n').message).toBe(
    'PostgreSQL did not start: no library',
  )
  expect(embeddedFault('PostgreSQL did not start', '/a', '').message).toMatch(/it said nothing$/)
})
