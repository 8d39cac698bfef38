import { z } from 'zod'

// In a page zod tests whether it may use `eval` for faster checks; the Content-Security-Policy forbids it, and the
// browser reports the test as a violation.
if ('document' in globalThis) z.config({ jitless: true })

/** The role that a call requires. The server enforces it in `serve`; a check compares it with the table of roles. */
export type Access = 'everyone' | 'user' | 'admin'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** How a request carries its body. `multipart` calls with a file are read as a stream by their own route. */
export type Encoding = 'none' | 'json' | 'multipart'

/**
 * One call of the API as plain data: the server mounts it, the client makes it, OpenAPI lists it, the outbox can name
 * and replay it. `path` uses `:name` for parameters, which `params` parses from strings.
 */
interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  readonly method: Method
  readonly path: string
  readonly access: Access
  /**
   * Whether it changes anything, or shows a secret, whatever its method: such a call is answered to this site's own pages and
   * to addresses that people typed, and counts as a write of its caller.
   */
  readonly changes: boolean
  readonly summary: string
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly encoding: Encoding
  /** Names of multipart parts that carry a file. */
  readonly files: readonly string[]
  readonly answer: Answer
  /** Content type of a response that is not JSON. */
  readonly mediaType?: string
}

const nothing = z.object({})
type Nothing = typeof nothing

/** Declares a call; absent schemas are empty. The encoding defaults to `json` if there is a body. */
export function endpoint<
  Params extends z.ZodType = Nothing,
  Query extends z.ZodType = Nothing,
  Body extends z.ZodType = Nothing,
  Answer extends z.ZodType = z.ZodUnknown,
>(declared: {
  method: Method
  path: string
  access: Access
  changes: boolean
  summary: string
  params?: Params
  query?: Query
  body?: Body
  encoding?: Encoding
  files?: readonly string[]
  answer: Answer
  mediaType?: string
}): Endpoint<Params, Query, Body, Answer> {
  return {
    params: nothing as unknown as Params,
    query: nothing as unknown as Query,
    body: nothing as unknown as Body,
    encoding: declared.body ? 'json' : 'none',
    files: [],
    ...declared,
  }
}

export type AnyEndpoint = Endpoint
export type ParamsOf<E extends AnyEndpoint> = z.infer<E['params']>
export type QueryOf<E extends AnyEndpoint> = z.infer<E['query']>
export type BodyOf<E extends AnyEndpoint> = z.infer<E['body']>
export type AnswerOf<E extends AnyEndpoint> = z.infer<E['answer']>

/**
 * Queued requests of a device name their owner: if the session is another user's, the server answers 401, so that no
 * request is sent in another person's name.
 */
export const actingUserHeader = 'x-acting-user'

/** The revision that the person saw who deletes a row; without it the row is deleted whatever it is. */
export const baseRevQuery = z.object({ baseRev: z.coerce.number().int().min(0).optional() })

/** A numeric id in a path. */
export const idParam = z.object({ id: z.coerce.number().int().min(1).max(2_147_483_647) })
