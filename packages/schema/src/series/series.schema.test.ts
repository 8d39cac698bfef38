import { beforeAll, expect, test } from 'vitest'
import { seededRandom } from '../testing/random.ts'
import { installValidationMessages } from '../validation-messages.ts'
import { newSeries, seriesEdit } from './series.schema.ts'
import { seriesTexts } from './series.texts.ts'

beforeAll(installValidationMessages)

const { uuid } = seededRandom(1)
const one = uuid()

test.each([
  [{ title: ' ' }, 'A series needs a title.'],
  [{ title: 'x'.repeat(201) }, 'String must contain at most 200 character(s)'],
  [{ title: 'a\u0000b' }, 'Title must not hold control characters. Type it again.'],
  [{ title: 'cut \ud83d' }, 'Title must not hold control characters. Type it again.'],
  [{ description: 'x'.repeat(2_001) }, 'String must contain at most 2000 character(s)'],
  [{ teachings: ['12'] }, 'Invalid uuid'],
  [{ teachings: [one, one] }, seriesTexts.twice],
  [{ teachings: Array.from({ length: 501 }, uuid) }, seriesTexts.tooLong],
])('refuses case %#, new or edited, with its rule', (wrong, sentence) => {
  for (const parsed of [newSeries.safeParse({ title: 'Hope', ...wrong }), seriesEdit.safeParse(wrong)])
    expect(parsed.error?.issues.map(({ message }) => message)).toEqual([sentence])
})
