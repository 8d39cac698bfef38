import { AppDatabase } from '@fellowship/sync/client/database/app-database'
import { AudioDatabase } from '@fellowship/sync/client/database/audio-database'
import { SpokenDatabase } from '@fellowship/sync/client/database/spoken-database'
import { browserTransport } from '@fellowship/sync/call/call'
import { spokenDevice } from '@fellowship/sync/client/spoken-search/spoken-device'
import type { IndexAnswer, IndexCall, IndexCalls, IndexRequest } from './index-requests.ts'

const device = spokenDevice({
  db: new SpokenDatabase(),
  app: new AppDatabase(),
  audio: new AudioDatabase(),
  transport: browserTransport,
  now: () => Date.now(),
  random: () => Math.random(),
})

const calls: {
  [Name in IndexCall]: (input: IndexCalls[Name]['input']) => Promise<IndexCalls[Name]['answer']>
} = {
  async update({ keep, prepare }) {
    const again = await oneTabAtATime(() => device.update(keep))
    if (keep && prepare) await device.prepare()
    return again
  },
  prepare: () => device.prepare(),
  state: () => device.state(),
  search: (query) => device.search(query),
  sentences: ({ uids, parts }) => Promise.all(uids.map((uid) => device.sentences(uid, parts))),
}

addEventListener('message', ({ data: { id, name, input } }: MessageEvent<IndexRequest>) => {
  const answer = (calls[name] as (given: unknown) => Promise<IndexCalls[IndexCall]['answer']>)(input)
  answer.then(
    (done) => send({ id, done: { answer: done } }),
    () => send({ id }),
  )
})

const send = (answer: IndexAnswer) => postMessage(answer)

/** So that two tabs do not fetch the same at the same time; what the other one has fetched is found here then. */
const oneTabAtATime = <Result>(work: () => Promise<Result>): Promise<Result> =>
  typeof navigator.locks === 'undefined' ? work() : navigator.locks.request('spoken', work)
