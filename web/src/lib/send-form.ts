import type { AnyEndpoint, AnswerOf } from '@fellowship/schema/endpoint'
import { uploadTimeoutMs } from '@fellowship/schema/uploads/uploads.limits'
import { addressOf, browserTransport, type CallInput } from '@fellowship/sync/call/call'
import { CallError, NetworkError } from '@fellowship/sync/call/call-error'
import { csrfToken, forgetCsrfToken } from '@fellowship/sync/call/csrf'
import { formDataOf } from '@fellowship/sync/call/form-data'

/** Nothing moved for five minutes (SPEC §9); whether the server has all of it is not known. */
export class UploadTimeout extends Error {
  override readonly name = 'UploadTimeout'
}

/** The server took it, but its answer broke off or makes no sense. */
export class IncompleteAnswer extends Error {
  override readonly name = 'IncompleteAnswer'
}

interface SendOptions {
  /** The share of the bytes that has left, 0 to 1. */
  onProgress?: ((share: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/**
 * Makes a multipart call that tells how far it is, which `fetch` cannot.
 *
 * A token that the server calls stale is fetched anew once, as `call` does.
 *
 * @throws CallError when the server refused, NetworkError when no answer came, IncompleteAnswer when it was no JSON,
 * UploadTimeout after five minutes without progress, and the signal's reason when it was aborted
 */
export async function sendForm<E extends AnyEndpoint>(
  endpoint: E,
  input: FormInput<E>,
  options: SendOptions = {},
): Promise<AnswerOf<E>> {
  try {
    return await send(endpoint, input, options)
  } catch (error) {
    if (!(error instanceof CallError && error.code === 'csrf')) throw error
    forgetCsrfToken(browserTransport)
    return send(endpoint, input, options)
  }
}

type FormInput<E extends AnyEndpoint> = Pick<CallInput<E>, 'params' | 'body' | 'files'>

async function send<E extends AnyEndpoint>(
  endpoint: E,
  input: FormInput<E>,
  options: SendOptions,
): Promise<AnswerOf<E>> {
  const token = await csrfToken(browserTransport)
  const request = new XMLHttpRequest()
  request.open(endpoint.method, addressOf(endpoint, input as CallInput<E>))
  request.setRequestHeader('accept', 'application/json')
  request.setRequestHeader('x-csrf-token', token)
  const text = await answerOf(
    request,
    formDataOf({ body: { _csrf: token, ...input.body }, files: input.files }),
    options,
  )
  if (request.status < 200 || request.status > 299) {
    throw new CallError(request.status, text || request.statusText)
  }
  try {
    return JSON.parse(text) as AnswerOf<E>
  } catch (cause) {
    throw new IncompleteAnswer('The answer is not JSON', { cause })
  }
}

function answerOf(
  request: XMLHttpRequest,
  form: FormData,
  { onProgress, signal }: SendOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let stalled: ReturnType<typeof setTimeout> | undefined
    const giveUp = (reason: unknown) => {
      reject(reason as Error)
      request.abort()
    }
    const stillMoving = () => {
      clearTimeout(stalled)
      stalled = setTimeout(() => giveUp(new UploadTimeout()), uploadTimeoutMs)
    }
    const aborted = () => giveUp(signal?.reason)
    request.upload.onprogress = ({ loaded, total }) => {
      stillMoving()
      onProgress?.(total > 0 ? loaded / total : 0)
    }
    request.onload = () => resolve(request.responseText)
    request.onerror = () => reject(new NetworkError('error event'))
    request.onloadend = () => {
      clearTimeout(stalled)
      signal?.removeEventListener('abort', aborted)
    }
    if (signal?.aborted) return aborted()
    signal?.addEventListener('abort', aborted)
    stillMoving()
    request.send(form)
  })
}
