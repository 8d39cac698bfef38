import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { AnyEndpoint, AnswerOf } from '@fellowship/schema/endpoint'
import { spokenSearch } from '@fellowship/schema/spoken-search/spoken-search.contract'
import { spokenLimits as limits } from '@fellowship/schema/spoken-search/spoken-search.limits'
import type {
  DictionaryState,
  SaidSentences,
  SpokenList,
  SpokenPack,
} from '@fellowship/schema/spoken-search/spoken-search.schema'
import { decodeWords, eachNumber } from '@fellowship/schema/spoken-search/spoken-words'
import { CallError, networkErrorOf, parseAnswer } from '../../call/call-error.ts'
import { addressOf, type CallInput, type Transport } from '../../call/call.ts'
import type { SpokenPiece } from '../database/spoken-database.ts'
import { textOf, withTimeLimit } from '../engine/request.ts'

/** An answer that is not what its address promises: nothing of it is stored. */
class DamagedAnswer extends Error {
  override readonly name = 'DamagedAnswer'
}

/** The parts of the index that the server offers. */
export const fetchList = (transport: Transport): Promise<SpokenList> =>
  fetchJson(transport, spokenSearch.list, {})

/**
 * A pack, whose content has the id that it was asked by.
 *
 * @throws DamagedAnswer otherwise
 */
export async function fetchPack(transport: Transport, id: string): Promise<SpokenPack> {
  return fetchJson(transport, spokenSearch.pack, { params: { id } }, (text) => contentIdOf(text) === id)
}

/**
 * The pieces of a dictionary that this device lacks.
 *
 * @param known the pieces of this device
 * @returns undefined if those are of another dictionary
 * @throws DamagedAnswer if the pieces have not the id that they were asked by
 */
export async function fetchPieces(
  transport: Transport,
  wanted: DictionaryState,
  known: readonly SpokenPiece[],
): Promise<SpokenPiece[] | undefined> {
  if (known.length === wanted.pieces) return (known.at(-1)?.id ?? '') === wanted.id ? [] : undefined
  if (known.length > wanted.pieces) return undefined
  const input = { params: { id: wanted.id }, query: { from: known.length } }
  const answer = await fetchJson(transport, spokenSearch.dictionary, input)
  let id = known.at(-1)?.id ?? ''
  const pieces = answer.pieces.map((words, at) => {
    id = contentIdOf(`${id}\n${words}`)
    return { piece: known.length + at, id, words }
  })
  if (id === wanted.id) return pieces
  // Pieces from the first on have no other cause than damage.
  if (known.length === 0) throw new DamagedAnswer('The dictionary has another content')
  return undefined
}

/** The approved text of a teaching. */
export const fetchSentences = (transport: Transport, uid: string): Promise<SaidSentences> =>
  fetchJson(transport, spokenSearch.sentences, { params: { uid } })

/** @throws DamagedAnswer if a text of the pack cannot be read with a dictionary of so many words */
export function assertReadable({ texts }: SpokenPack, words: number): void {
  try {
    for (const { numbers, own } of texts) {
      decodeWords(own)
      eachNumber(numbers, words, () => undefined)
    }
  } catch (error) {
    throw new DamagedAnswer('A pack cannot be read', { cause: error })
  }
}

/** Answers are public, and asked for without the session: a signed-in user's device stores the same as every other. */
async function fetchJson<E extends AnyEndpoint>(
  transport: Transport,
  endpoint: E,
  input: CallInput<E>,
  isRight: (text: string) => boolean = () => true,
): Promise<AnswerOf<E>> {
  try {
    return await withTimeLimit(async ({ signal, touch }) => {
      const init = {
        headers: { accept: 'application/json' },
        cache: 'no-store',
        credentials: 'omit',
        signal,
      } as const
      const response = await transport.fetch(transport.base + addressOf(endpoint, input), init)
      const text = await textOf(response, touch, limits.answerBytes)
      if (!response.ok) throw new CallError(response.status, text, response)
      if (!isRight(text)) throw new DamagedAnswer(`Other content than its address says: ${endpoint.path}`)
      return parseAnswer(endpoint, text)
    })
  } catch (error) {
    throw error instanceof CallError || error instanceof DamagedAnswer ? error : networkErrorOf(error)
  }
}

/** The name of a content, as the server makes it. */
export function contentIdOf(content: string): string {
  const bytes = sha256(utf8ToBytes(content)).subarray(0, 12)
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}
