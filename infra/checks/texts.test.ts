import { describe, expect, test } from 'vitest'
import { isTest, readSourceTree, textsOf } from './source-tree.ts'

/**
 * Every quoted message of the specification, by section, and the file of packages/schema/src that alone says it. A value
 * in a sentence is '…'. Titles that features share ('Upload Failed') stand once in each.
 */
const messages: Record<string, readonly (readonly [section: string, text: string])[]> = {
  'auth/auth.texts.ts': [
    ['§5', 'Invalid email address'],
    ['§5', 'Password is required'],
    ['§5', 'Password must be at least 8 characters'],
    ['§5', 'Name must be at least 2 characters'],
    ['§5', 'Reset token is required'],
    ['§5', 'Name is required'],
    ['§5', "Role must be either 'admin' or 'user'"],
    ['§8', 'Login failed'],
    ['§8', 'Registration failed'],
    ['§8', 'Logout failed'],
    ['§8', 'Login successful'],
    ['§8', 'Welcome back!'],
    ['§8', 'Registration successful'],
    ['§8', 'Logout successful'],
    ['§8', 'You have been logged out.'],
    ['§8', 'Unauthorized'],
    ['§8', 'You are logged out. Logging in again...'],
    ['§8', 'Authentication Required'],
  ],
  'teachings/teachings.texts.ts': [
    ['§2', 'Audio file coming soon'],
    ['§2', 'No teaching found matching your search.'],
    ['§2', 'No teaching available.'],
    ['§5', 'Speaker name is required'],
    ['§5', 'Either a title or scripture reference is required'],
    ['§5', 'A valid date is required'],
    ['§5', 'Are you sure you want to delete this teaching? This action cannot be undone.'],
    ['§8', 'Error'],
    ['§8', 'Failed to update sermon'],
    ['§8', 'Failed to delete teaching'],
    ['§8', 'Teaching updated successfully'],
    ['§8', 'Teaching Deleted'],
    ['§8', 'Failed to fetch teaching: …'],
    ['§8', 'Search failed'],
    ['§8', 'Cache Synchronized'],
    ['§8', 'Sync Failed'],
  ],
  'uploads/uploads.texts.ts': [
    ['§2', 'File upload successful'],
    ['§2', 'Filename Parsed Successfully'],
    ['§2', 'Parsing Issues Found'],
    ['§5', 'No File Selected'],
    ['§5', 'Please select an audio file to upload'],
    ['§5', 'No Data Available'],
    ['§5', 'Missing Speaker'],
    ['§5', 'Missing Title or Scripture'],
    ['§5', 'Missing Date'],
    ['§5', 'Invalid File Type'],
    ['§5', 'Please select an audio file'],
    ['§8', 'Duplicate Teaching'],
    ['§8', 'This teaching file has already been uploaded. Please check the teaching list.'],
    ['§8', 'Upload Failed'],
    ['§8', 'Upload Completed'],
    ['§8', 'Upload Timeout'],
    [
      '§8',
      'The upload is taking longer than expected. Please check the teaching list to see if it was added.',
    ],
    ['§8', 'Duplicate Teaching Detected'],
    ['§8', 'Parsing Issues Detected'],
    ['§8', 'Please review and correct the fields below before uploading'],
    ['§8', 'Duplicate Check Failed'],
    ['§8', 'Please review the fields below and upload manually'],
    ['§8', 'Parsing Failed'],
    ['§8', 'Please enter the sermon details manually'],
    ['§8', 'Failed to parse filename'],
  ],
  'elders/elders.texts.ts': [
    ['§5', 'Please select a JPEG, PNG, or WebP image.'],
    ['§5', 'Please select an image smaller than 5MB.'],
    ['§5', 'Are you sure you want to delete …? This action cannot be undone.'],
    ['§8', 'Creation Failed'],
    ['§8', 'Update Failed'],
    ['§8', 'Deletion Failed'],
    ['§8', 'Upload Failed'],
    ['§8', 'Invalid File Type'],
    ['§8', 'File Too Large'],
    ['§8', 'Failed to fetch elders'],
    ['§8', 'Elder Created'],
    ['§8', 'Elder Updated'],
    ['§8', 'Elder Deleted'],
    ['§8', 'Photo Uploaded'],
  ],
  'sftp/sftp.texts.ts': [
    ['§5', 'Password must be at least 8 characters long'],
    ['§8', 'Failed to fetch SFTP status'],
    ['§8', 'Failed to clear upload state'],
    // The specification writes these two as one: 'Failed to start/stop SFTP server'.
    ['§8', 'Failed to start SFTP server'],
    ['§8', 'Failed to stop SFTP server'],
    ['§8', 'Failed to fetch current password'],
    ['§8', 'Network error. Please try again.'],
    ['§8', 'Failed to change password'],
    ['§8', 'SFTP server not available'],
  ],
  'users/users.texts.ts': [
    ['§2', 'No users found'],
    ['§5', 'Are you sure you want to delete …?'],
    ['§8', 'Creation failed'],
    ['§8', 'Update failed'],
    ['§8', 'Deletion failed'],
    ['§8', 'Failed to load users: …'],
  ],
  'audio/audio.texts.ts': [
    ['§8', 'Failed to fetch stats'],
    ['§8', 'Failed to load statistics'],
    ['§8', 'Cleanup Failed'],
    ['§8', 'Cleanup Complete'],
  ],
  'system/system.texts.ts': [
    ['§8', 'Failed to fetch system info'],
    ['§8', 'Failed to load system information'],
    ['§8', 'Cache Clear Failed'],
  ],
  'backup/backup.texts.ts': [
    ['§8', 'Backup Failed'],
    ['§8', 'Failed to create backup'],
  ],
  'processes/processes.texts.ts': [
    ['§4', 'Normal: Process usage healthy'],
    ['§4', 'Warning: High process usage'],
    ['§4', 'Critical: Process limit approaching'],
    ['§8', 'Error loading process information'],
  ],
  'map/map.texts.ts': [
    ['§2', 'Tap or click on map to get directions'],
    ['§8', 'Interactive map unavailable'],
  ],
  'problem.ts': [['§8', 'Duplicate sermon detected']],
  'validation-messages.ts': [
    ['§5', 'Required'],
    ['§5', 'Expected …, received …'],
    ['§5', 'Invalid input'],
    ['§5', 'String must contain … … character(s)'],
  ],
}

const tree = readSourceTree()
const rows = Object.entries(messages).flatMap(([file, said]) =>
  said.map(([section, text]) => [section, text, file] as const),
)
const schemaTexts = new Map(
  [...tree]
    .filter(([file]) => file.startsWith('packages/schema/src/') && !isTest(file))
    .map(([file, source]) => [file.replace('packages/schema/src/', ''), textsOf(file, source)]),
)

describe('every message is said in exactly one place', () => {
  test.each(rows)('%s %j', (_section, text, file) => {
    expect(schemaTexts.get(file)?.filter((said) => said === text)).toEqual([text])
    const elsewhere = [...schemaTexts]
      .filter(([other, said]) => other.endsWith('.texts.ts') && said.includes(text))
      .map(([other]) => other)
    expect(elsewhere.filter((other) => !rows.some(([, t, f]) => t === text && f === other))).toEqual([])
  })
})

test('no screen and no handler writes one of them itself', () => {
  // Of one or two words, a message is also a label or a name: 'Error', 'Required'.
  const sentences = new Set(rows.map(([, text]) => text).filter((text) => text.split(' ').length > 2))
  const inline = [...tree]
    .filter(([file]) => /^(?:sync|api|web)\//.test(file) && !isTest(file))
    .flatMap(([file, source]) => textsOf(file, source).map((text) => [file, text] as const))
    .filter(([, text]) => sentences.has(text))
    .map(([file, text]) => `${file}: ${text}`)
  expect(inline).toEqual([])
})

describe('what counts as a text', () => {
  test('literals, templates and what JSX shows, but no import', () => {
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
