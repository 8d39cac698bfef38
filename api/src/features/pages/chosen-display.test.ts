import { expect, test } from 'vitest'
import { chosenDisplay } from './pages.ts'

test.each([
  [undefined, ''],
  ['', ''],
  ['sid=1', ''],
  ['comfort=.', ''],
  ['comfort=huge.more', ''],
  ['comfort="><script>.more', ''],
  ['othercomfort=large.more', ''],
  ['comfort=..blue', ''],
  ['comfort=..dark', ' data-scheme="dark"'],
  ['comfort=large.more.light', ' data-text="large" data-contrast="more" data-scheme="light"'],
  ['comfort=large.', ' data-text="large"'],
  ['comfort=.normal', ' data-contrast="normal"'],
  ['sid=1; comfort=larger.more; a=b', ' data-text="larger" data-contrast="more"'],
])('cookie %j gives attributes %j', (cookies, attributes) => expect(chosenDisplay(cookies)).toBe(attributes))
