import { quotedMessages } from '@fellowship/schema/testing/quoted-messages'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { deviceQueues } from '@fellowship/sync/client/device-queues'
import { screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { pageQueues } from './features/sync/page-queues.ts'
import { send } from './features/uploads/use-upload-flow.ts'
import { queryClient } from './lib/query-client.ts'
import {
  saidByAudio,
  saidByBackup,
  saidByProcesses,
  saidBySftp,
  saidBySystem,
} from './testing/said/said-administration.tsx'
import { saidByAuth } from './testing/said/said-auth.tsx'
import { saidByElders } from './testing/said/said-elders.tsx'
import { saidByMap } from './testing/said/said-map.tsx'
import { saidByTeachings } from './testing/said/said-teachings.tsx'
import { saidByUploads } from './testing/said/said-uploads.tsx'
import { saidByUsers } from './testing/said/said-users.tsx'
import type { Scenario } from './testing/said/scenario.ts'
import { toastStore } from './ui/toast.ts'

/** Scenarios that show each message that the specification quotes, by the file that defines it. */
const scenarios: Readonly<Record<string, readonly Scenario[]>> = {
  'auth/auth.texts.ts': saidByAuth,
  'teachings/teachings.texts.ts': saidByTeachings,
  'uploads/uploads.texts.ts': saidByUploads,
  'elders/elders.texts.ts': saidByElders,
  'sftp/sftp.texts.ts': saidBySftp,
  'users/users.texts.ts': saidByUsers,
  'audio/audio.texts.ts': saidByAudio,
  'system/system.texts.ts': saidBySystem,
  'backup/backup.texts.ts': saidByBackup,
  'processes/processes.texts.ts': saidByProcesses,
  'map/map.texts.ts': saidByMap,
}

/** Messages that no screen shows, with the reason. */
const notOnScreen: Readonly<Record<string, string>> = {
  "Role must be either 'admin' or 'user'": 'the form offers only these two roles',
  'Reset token is required': 'without a token the page asks for the link instead',
  'Upload Completed': 'an incomplete answer is asked for again until it is whole',
  Required: 'forms have a value, possibly empty, for every field',
  'Expected …, received …': 'fields give the type that is expected',
  'Invalid input': 'every field of a form has a sentence of its own',
  'String must contain … … character(s)':
    'covered by the forms’ own sentences, or by the length of the field',
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})

afterEach(async () => {
  vi.restoreAllMocks()
  // It also stores the request count: the requests of one scenario would delay the next.
  localStorage.clear()
  vi.unstubAllGlobals()
  deviceQueues().setUser(undefined)
  pageQueues().setUser(undefined)
  send({ type: 'cleared' })
  queryClient.clear()
  toastStore.set(null)
  const { teachings, elders, outbox, meta } = appDatabase()
  await Promise.all([teachings, elders, outbox, meta].map((table) => table.clear()))
  await Promise.all([uploadDatabase().jobs.clear(), uploadDatabase().chunks.clear()])
})

const all = Object.values(scenarios).flat()
test.each(all.map(({ says, bring }) => [says.join(' · '), says, bring] as const))(
  'a screen shows: %s',
  async (_, says, bring) => {
    await bring()
    // A toast may be replaced by the next one, so all are searched for at the same time.
    const seen = await Promise.all(says.map((sentence) => screen.findAllByText(patternOf(sentence))))
    for (const [first] of seen) expect(first!.closest('[hidden], .hidden')).toBeNull()
  },
)

describe('the table', () => {
  const said = new Set(all.flatMap(({ says }) => says))

  test('the table has every message of the specification', () => {
    const quoted = [...new Set(Object.values(quotedMessages).flatMap((rows) => rows.map(([, text]) => text)))]
    expect(quoted.filter((text) => !said.has(text) && !(text in notOnScreen))).toEqual([])
    expect(Object.keys(notOnScreen).filter((text) => said.has(text) || !quoted.includes(text))).toEqual([])
    expect([...said].filter((text) => !quoted.includes(text))).toEqual([])
  })

  test('each feature has a scenario for a shared title', () => {
    const missing = Object.entries(scenarios).flatMap(([file, ours]) =>
      quotedMessages[file]!.map(([, text]) => text)
        .filter((text) => !(text in notOnScreen) && isShared(text))
        .filter((text) => !ours.some(({ says }) => says.includes(text)))
        .map((text) => `${file}: ${text}`),
    )
    expect(missing).toEqual([])
  })
})

const isShared = (text: string) =>
  Object.values(quotedMessages).filter((rows) => rows.some(([, other]) => other === text)).length > 1

/** Matches the sentence, any text for '…', and an appended sentence of the server. */
function patternOf(sentence: string): RegExp {
  const escaped = sentence.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.+')
  return new RegExp(`^${escaped}(?:: .+)?$`)
}
