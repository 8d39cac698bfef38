import { describe, expect, test } from 'vitest'
import { isTest, readSourceTree, textsOf } from './source-tree.ts'

/**
 * Every message that the specification quotes, by where it quotes it, and the one file of packages/schema/src that defines
 * it. A placeholder is '…'. Titles that features share ('Upload Failed') are defined once in each.
 */
const messages: Record<string, readonly (readonly [kind: string, text: string])[]> = {
  'auth/auth.texts.ts': [
    ['validation', 'Invalid email address'],
    ['validation', 'Password is required'],
    ['validation', 'Password must be at least 8 characters'],
    ['validation', 'Name must be at least 2 characters'],
    ['validation', 'Reset token is required'],
    ['validation', 'Name is required'],
    ['validation', "Role must be either 'admin' or 'user'"],
    ['notification', 'Login failed'],
    ['notification', 'Registration failed'],
    ['notification', 'Logout failed'],
    ['notification', 'Login successful'],
    ['notification', 'Welcome back!'],
    ['notification', 'Registration successful'],
    ['notification', 'Logout successful'],
    ['notification', 'You have been logged out.'],
    ['notification', 'Unauthorized'],
    ['notification', 'You are logged out. Logging in again...'],
    ['notification', 'Authentication Required'],
  ],
  'teachings/teachings.texts.ts': [
    ['screen', 'Audio file coming soon'],
    ['screen', 'No teaching found matching your search.'],
    ['screen', 'No teaching available.'],
    ['validation', 'Speaker name is required'],
    ['validation', 'Either a title or scripture reference is required'],
    ['validation', 'A valid date is required'],
    ['validation', 'Are you sure you want to delete this teaching? This action cannot be undone.'],
    ['notification', 'Error'],
    ['notification', 'Failed to update sermon'],
    ['notification', 'Failed to delete teaching'],
    ['notification', 'Teaching updated successfully'],
    ['notification', 'Teaching Deleted'],
    ['notification', 'Failed to fetch teaching: …'],
    ['notification', 'Search failed'],
    ['notification', 'Cache Synchronized'],
    ['notification', 'Sync Failed'],
  ],
  'uploads/uploads.texts.ts': [
    ['screen', 'File upload successful'],
    ['screen', 'Filename Parsed Successfully'],
    ['screen', 'Parsing Issues Found'],
    ['validation', 'No File Selected'],
    ['validation', 'Please select an audio file to upload'],
    ['validation', 'No Data Available'],
    ['validation', 'Missing Speaker'],
    ['validation', 'Missing Title or Scripture'],
    ['validation', 'Missing Date'],
    ['validation', 'Invalid File Type'],
    ['validation', 'Please select an audio file'],
    ['notification', 'Duplicate Teaching'],
    ['notification', 'This teaching file has already been uploaded. Please check the teaching list.'],
    ['notification', 'Upload Failed'],
    ['notification', 'Upload Completed'],
    ['notification', 'Upload Timeout'],
    [
      'notification',
      'The upload is taking longer than expected. Please check the teaching list to see if it was added.',
    ],
    ['notification', 'Duplicate Teaching Detected'],
    ['notification', 'Parsing Issues Detected'],
    ['notification', 'Please review and correct the fields below before uploading'],
    ['notification', 'Duplicate Check Failed'],
    ['notification', 'Please review the fields below and upload manually'],
    ['notification', 'Parsing Failed'],
    ['notification', 'Please enter the sermon details manually'],
    ['notification', 'Failed to parse filename'],
  ],
  'elders/elders.texts.ts': [
    ['validation', 'Please select a JPEG, PNG, or WebP image.'],
    ['validation', 'Please select an image smaller than 5MB.'],
    ['validation', 'Are you sure you want to delete …? This action cannot be undone.'],
    ['notification', 'Creation Failed'],
    ['notification', 'Update Failed'],
    ['notification', 'Deletion Failed'],
    ['notification', 'Upload Failed'],
    ['notification', 'Invalid File Type'],
    ['notification', 'File Too Large'],
    ['notification', 'Failed to fetch elders'],
    ['notification', 'Elder Created'],
    ['notification', 'Elder Updated'],
    ['notification', 'Elder Deleted'],
    ['notification', 'Photo Uploaded'],
  ],
  'sftp/sftp.texts.ts': [
    ['validation', 'Password must be at least 8 characters long'],
    ['notification', 'Failed to fetch SFTP status'],
    ['notification', 'Failed to clear upload state'],
    // The specification writes these two as one: 'Failed to start/stop SFTP server'.
    ['notification', 'Failed to start SFTP server'],
    ['notification', 'Failed to stop SFTP server'],
    ['notification', 'Failed to fetch current password'],
    ['notification', 'Network error. Please try again.'],
    ['notification', 'Failed to change password'],
    ['notification', 'SFTP server not available'],
  ],
  'users/users.texts.ts': [
    ['screen', 'No users found'],
    ['validation', 'Are you sure you want to delete …?'],
    ['notification', 'Creation failed'],
    ['notification', 'Update failed'],
    ['notification', 'Deletion failed'],
    ['notification', 'Failed to load users: …'],
  ],
  'audio/audio.texts.ts': [
    ['notification', 'Failed to fetch stats'],
    ['notification', 'Failed to load statistics'],
    ['notification', 'Cleanup Failed'],
    ['notification', 'Cleanup Complete'],
  ],
  'system/system.texts.ts': [
    ['notification', 'Failed to fetch system info'],
    ['notification', 'Failed to load system information'],
    ['notification', 'Cache Clear Failed'],
  ],
  'backup/backup.texts.ts': [
    ['notification', 'Backup Failed'],
    ['notification', 'Failed to create backup'],
  ],
  'processes/processes.texts.ts': [
    ['processes', 'Normal: Process usage healthy'],
    ['processes', 'Warning: High process usage'],
    ['processes', 'Critical: Process limit approaching'],
    ['notification', 'Error loading process information'],
  ],
  'map/map.texts.ts': [
    ['screen', 'Tap or click on map to get directions'],
    ['notification', 'Interactive map unavailable'],
  ],
  'problem.ts': [['notification', 'Duplicate sermon detected']],
  'validation-messages.ts': [
    ['validation', 'Required'],
    ['validation', 'Expected …, received …'],
    ['validation', 'Invalid input'],
    ['validation', 'String must contain … … character(s)'],
  ],
}

const tree = readSourceTree()
const rows = Object.entries(messages).flatMap(([file, said]) =>
  said.map(([kind, text]) => [kind, text, file] as const),
)
const schemaTexts = new Map(
  [...tree]
    .filter(([file]) => file.startsWith('packages/schema/src/') && !isTest(file))
    .map(([file, source]) => [file.replace('packages/schema/src/', ''), textsOf(file, source)]),
)

describe('every message is defined in exactly one place', () => {
  test.each(rows)('%s %j', (_kind, text, file) => {
    expect(schemaTexts.get(file)?.filter((said) => said === text)).toEqual([text])
    const elsewhere = [...schemaTexts]
      .filter(([other, said]) => other.endsWith('.texts.ts') && said.includes(text))
      .map(([other]) => other)
    expect(elsewhere.filter((other) => !rows.some(([, t, f]) => t === text && f === other))).toEqual([])
  })
})

test('no screen or handler repeats one as a literal', () => {
  // A message of one or two words can also be a label: 'Error', 'Required'.
  const sentences = new Set(rows.map(([, text]) => text).filter((text) => text.split(' ').length > 2))
  const inline = [...tree]
    .filter(([file]) => /^(?:sync|api|web)\//.test(file) && !isTest(file))
    .flatMap(([file, source]) => textsOf(file, source).map((text) => [file, text] as const))
    .filter(([, text]) => sentences.has(text))
    .map(([file, text]) => `${file}: ${text}`)
  expect(inline).toEqual([])
})

describe('what counts as a text', () => {
  test('literals, templates and JSX text count, import specifiers do not', () => {
    const source = `
      import './not-a-text.ts'
      export const a = 'one', b = "two's"
      const c = (n: number) => \`three \${n} four\`
      const d = <p title="five">  six
        seven </p>
      // 'eight'
    `
    expect(textsOf('x.tsx', source).filter((text) => text !== '')).toEqual([
      'one',
      "two's",
      'three … four',
      'five',
      'six seven',
    ])
  })
})
