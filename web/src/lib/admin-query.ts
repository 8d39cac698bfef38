import type { AnswerOf, AnyEndpoint } from '@fellowship/schema/endpoint'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { type MutationOptions, useMutation, useQuery } from '@tanstack/react-query'
import { showToast, type ToastMessage } from '../ui/toast.ts'
import { queryClient } from './query-client.ts'
import { isUnauthorized } from './unauthorized.ts'

interface AdminQueryOptions<E extends AnyEndpoint, Data> {
  /** The part of the answer that the screen shows; by default all of it. */
  select?: (answer: AnswerOf<E>) => Data
  /** Off: nothing is requested until `refetch` is called. */
  enabled?: boolean
  /** Milliseconds from one request to the next while the screen is open; `false` ends the polling. */
  pollMs?: number | ((answer: AnswerOf<E> | undefined) => number | false)
}

/**
 * Makes the hook of a screen that shows the answer of one call without input. All screens that use the same endpoint
 * share one answer in the cache; `refresh` and the `invalidates` of a mutation renew it.
 */
export const adminQuery =
  <E extends AnyEndpoint, Data = AnswerOf<E>>(endpoint: E, options: AdminQueryOptions<E, Data> = {}) =>
  () => {
    const { pollMs, ...rest } = options
    return useQuery<AnswerOf<E>, Error, Data>(
      {
        queryKey: queryKeyOf(endpoint),
        queryFn: ({ signal }) => call(endpoint, { signal }),
        refetchInterval: typeof pollMs === 'function' ? ({ state }) => pollMs(state.data) : pollMs,
        ...rest,
      },
      queryClient,
    )
  }

interface AdminMutation<Input, Answer> {
  call: (input: Input) => Promise<Answer>
  /** The toast after a success; without it there is none. */
  success?: (answer: Answer, input: Input) => ToastMessage
  /** The title of the toast after a failure. */
  failure: string | ((input: Input) => string)
  /** The description of that toast; without it, the sentence of the error. */
  describe?: (error: Error) => string
  /** Whose answers are out of date afterwards. A failure may mean that they already were. */
  invalidates?: readonly AnyEndpoint[]
  /** The mutation is pending until those answers have come, so that a button does not offer a finished action again. */
  pendingUntilRefreshed?: boolean
  /** Further work after a success, before the toast. */
  onSuccess?: (answer: Answer, input: Input) => void
}

/** Makes the hook of a change that an administrator makes: the call, its toasts, and the answers to be renewed. */
export const adminMutation =
  <Answer, Input = void>(options: AdminMutation<Input, Answer>) =>
  () =>
    useMutation(optionsOf(options), queryClient)

/** Makes such a change without a screen that waits for it, such as on a press in a toast. */
export function runAdminMutation<Answer, Input>(options: AdminMutation<Input, Answer>, input: Input): void {
  const mutation = queryClient.getMutationCache().build(queryClient, optionsOf(options))
  // The failure was toasted.
  mutation.execute(input).catch(() => undefined)
}

function optionsOf<Answer, Input>({
  call: mutationFn,
  success,
  failure,
  describe,
  invalidates = [],
  pendingUntilRefreshed,
  onSuccess,
}: AdminMutation<Input, Answer>): MutationOptions<Answer, Error, Input> {
  return {
    mutationFn,
    onSuccess: (answer, input) => {
      onSuccess?.(answer, input)
      if (success) showToast(success(answer, input))
    },
    onError: (error, input) =>
      toastError(typeof failure === 'string' ? failure : failure(input), error, describe?.(error)),
    onSettled: () => {
      const refreshed = Promise.all(invalidates.map(invalidate))
      return pendingUntilRefreshed ? refreshed : undefined
    },
  }
}

/** Shows a failure and its reason. If the session has ended, the sign-in toast is shown instead. */
export function toastError(title: string, error: unknown, description = sentenceOfError(error)): void {
  if (!isUnauthorized(error)) showToast({ title, description, kind: 'destructive' })
}

/** Requests an answer again on a click. Toasts a failure, as the previous answer stays on the screen and looks current. */
export async function refresh(endpoint: AnyEndpoint, failure: string): Promise<void> {
  await invalidate(endpoint)
  const { error } = queryClient.getQueryState(queryKeyOf(endpoint)) ?? {}
  if (error) showToast({ title: failure, description: sentenceOfError(error), kind: 'destructive' })
}

export const queryKeyOf = ({ path }: AnyEndpoint) => [path] as const

const invalidate = (endpoint: AnyEndpoint): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: queryKeyOf(endpoint) })
