import 'fake-indexeddb/auto'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, onTestFinished, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { mixedLoad, tallyLines } from '@fellowship/api/testing/once-and-whole'
import { beforeLoad, expectOnceAndWhole } from './once-and-whole.ts'
import { severalServers } from '@fellowship/api/testing/several-servers'
import { exampleNginx, isNginxMissing, stockNginx } from '@fellowship/api/testing/stock-nginx'
import { isSwiftMissing } from '@fellowship/api/testing/swift'
import { testClient } from '@fellowship/api/testing/test-client'

const isMissing = isSwiftMissing() || isNginxMissing()
/** `SEVERAL_KILLS=6 npx vitest run several-processes-killed` is a minute of load for each; the soak sets it. */
const kills = Number(process.env['SEVERAL_KILLS'] ?? 1)
/** Between two kills; the process is down for at least a fifth of it. */
const everyMs = kills === 1 ? 4_000 : 10_000
/** Between two uploads of a person: a minute without pauses uses up the writes that an account has in ten minutes. */
const pauseMs = kills === 1 ? 0 : 2_000

describe.skipIf(isMissing)('processes on one database and one bucket, behind nginx,', async () => {
  if (isMissing) return
  const { servers, sql, start } = await severalServers(2)

  // An upload that moved may wait for a minute: three alone in every run.
  test.each(kills === 1 ? [3] : [2, 3])(
    `%i processes lose nothing in ${kills} kills under load`,
    { timeout: 120_000 + kills * 30_000 },
    async (count) => {
      if (servers.length < count) await start(count - 1)
      const urls = servers.map((server) => server.url)
      const sticky = await exampleNginx(urls)
      const inTurns = await stockNginx(urls)
      const body = { email: `admin-${count}@example.org`, password: 'a-long-sentence-only-you-know' }
      await sql`insert into users (email, password, name, role)
        select ${body.email}, password, name, role from users where email = 'admin@example.org'`
      const signIn = (client: ReturnType<typeof testClient>) => call(auth.login, { body }, client)
      const people = [inTurns, sticky, sticky].map((base) => testClient(base))
      for (const person of people) await signIn(person)
      const before = await beforeLoad(sql, sticky)
      const load = mixedLoad({ sticky, inTurns, people, signIn, seed: count, pauseMs })
      onTestFinished(() => load.close())
      try {
        for (let kill = 0; kill < kills; kill += 1) {
          await delay(everyMs * 0.8)
          await servers[kill % count]!.kill()
          await delay(everyMs * 0.2)
          await start(kill % count)
        }
        await delay(everyMs * 0.2)
      } finally {
        await load.end()
      }
      console.log(
        `${count} processes, ${kills} killed: ${load.published.size} uploads and edits, ${load.ended.length} sign-ins\n${tallyLines(load.tallies)}`,
      )

      await expectOnceAndWhole(load, { before, sql, base: sticky, urls, people })
    },
  )
})
