import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching, TeachingFields } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { administrator, signInByCall, type Person, type TestSession } from './people.ts'
import type { RecordingFile } from './recordings.ts'

/** The library of a running product, through its API. */
export interface LibraryCalls {
  /** A session for API calls outside the browser. */
  session(person?: Person): Promise<TestSession>
  /** Adds a teaching through the API. */
  add(recording: RecordingFile, fields: Partial<TeachingFields>): Promise<Teaching>
  list(): Promise<Teaching[]>
  /** Deletes all teachings. */
  empty(): Promise<void>
}

/** @param sessions of people who are signed in already; others are added */
export function libraryCalls(
  url: () => string,
  sessions = new Map<Person, Promise<TestSession>>(),
): LibraryCalls {
  const session = (person: Person = administrator) => {
    const known = sessions.get(person) ?? signInByCall(url(), person)
    sessions.set(person, known)
    return known
  }
  const list = () => fetch(`${url()}/api/teachings`).then((answer) => answer.json() as Promise<Teaching[]>)
  return {
    session,
    async add({ name, mimeType, buffer }, fields) {
      const file = new File([new Uint8Array(buffer)], name, { type: mimeType })
      const body = { ...fields, overrideData: JSON.stringify(fields) }
      const input = { body, files: { audioFile: file } }
      return (await call(uploads.smartUpload, input, await session())).teaching
    },
    list,
    async empty() {
      const transport = await session()
      for (const { id } of await list()) await call(teachings.remove, { params: { id } }, transport)
    },
  }
}
