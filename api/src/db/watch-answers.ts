import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { connectionGate, type ConnectionGate } from './connection-gate.ts'
import { connect, type Database, type Place } from './connection.ts'

/** A probe every two seconds with a timeout of five: waiting queries fail within seven. */
const pauseMs = 2_000
const answerMs = 5_000

/**
 * Asks the database on a connection of its own whether it answers. While it hangs, without having ended, `gate` is shut:
 * requests fail at once instead of waiting without end. Returns the function that stops asking.
 */
export function watchAnswers(
  place: Place,
  gate: ConnectionGate,
  onChange: (answers: boolean) => void,
): () => Promise<void> {
  const ownGate = connectionGate()
  const sql = connect(place, { max: 1, applicationName: 'fellowship-watch', gate: ownGate })
  const stopped = new AbortController()
  const watching = watch()

  async function watch(): Promise<void> {
    let answers = true
    while (!stopped.signal.aborted) {
      const now = await isAnswering(sql)
      if (!now) {
        // The next question goes over a new connection: the old one may lead nowhere.
        ownGate.shut()
        ownGate.release()
      }
      if (stopped.signal.aborted) break
      if (now !== answers) {
        answers = now
        if (now) gate.release()
        else gate.shut()
        onChange(answers)
      }
      await delay(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }

  return async () => {
    stopped.abort()
    await sql.end({ timeout: 0 })
    await watching
  }
}

/** A refusal is an answer too: a database that is down fails requests by itself. */
async function isAnswering(sql: Database): Promise<boolean> {
  let isSettled = false
  const settle = () => void (isSettled = true)
  const asked = sql`select 1`.then(settle, settle)
  const over = new AbortController()
  await Promise.race([asked, delay(answerMs, undefined, { signal: over.signal }).catch(() => undefined)])
  over.abort()
  // After a long task of this process the timer comes first, though the answer is already there.
  for (let turn = 0; turn < 3 && !isSettled; turn++) await nextTurn()
  return isSettled
}
