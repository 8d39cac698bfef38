import { expect, test } from 'vitest'
import { secretsUnder } from '../machine/secrets.ts'
import type { RunningProcess } from './cluster.sql.ts'
import { checkPurpose, checkText, refusalBeside } from './membership.ts'

const secrets = secretsUnder('s'.repeat(64))
const mine = { nodeId: 'mine', bucket: 'recordings at s3.example.org', secrets }
const other: RunningProcess = {
  owner: '1_2',
  nodeId: 'theirs',
  host: 'one',
  bucket: mine.bucket,
  secretCheck: secrets.seal(checkPurpose, checkText),
  stopping: false,
}

test.each<[string, Partial<typeof mine> | { bucket: null }, Partial<RunningProcess>, RegExp]>([
  ['the same data folder', {}, { nodeId: 'mine' }, /with this DATA_DIR, or .* copied from.* empty DATA_DIR/],
  [
    'recordings on its own disk',
    { bucket: null },
    {},
    /this one keeps recordings on its own disk.*S3_ENDPOINT/,
  ],
  [
    'beside one with recordings on its disk',
    {},
    { bucket: null },
    /that one keeps recordings on its own disk/,
  ],
  [
    'another bucket',
    {},
    { bucket: 'b at s3.example.org' },
    /another place for recordings \(b at s3.example.org, here/,
  ],
  ['another secret', { secrets: secretsUnder('t'.repeat(64)) }, {}, /another APP_SECRET.*app-secret/],
])('refuses %s', (_, own, theirs, sentence) => {
  const refusal = refusalBeside({ ...mine, ...own }, { ...other, ...theirs })
  expect(refusal).toMatch(/^Another process of the product \(on one\) serves this database/)
  expect(refusal).toMatch(sentence)
})

test('accepts own data folders with one bucket and secret', () => {
  expect(refusalBeside(mine, other)).toBeUndefined()
})
