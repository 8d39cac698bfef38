import { isMissingPart } from '../lib/missing-part.ts'

/** Milliseconds between two attempts where no event says that the connection is back. */
const attemptMs = 10_000

/**
 * Loads code of the site, and tries again until it has arrived: the page in front of the reader stays as it is meanwhile.
 *
 * @throws what is no failure to load, such as an error in the code itself
 */
export async function loadWithRetry<Code>(load: () => Promise<Code>): Promise<Code> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (!isMissingPart(error)) throw error
      await connectionMayBeBack()
    }
  }
}

const connectionMayBeBack = () =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(done, attemptMs)
    addEventListener('online', done)
    function done() {
      clearTimeout(timer)
      removeEventListener('online', done)
      resolve()
    }
  })
