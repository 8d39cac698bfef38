import { auth } from '@fellowship/schema/auth/auth.contract'
import { currentUserFreshMs, currentUserKeptMs } from '@fellowship/schema/auth/auth.limits'
import { type CurrentUser, currentUser } from '@fellowship/schema/auth/auth.schema'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import { browserTransport, call } from '@fellowship/sync/call/call'
import { CallError, sentenceOfError } from '@fellowship/sync/call/call-error'
import { forgetCsrfToken } from '@fellowship/sync/call/csrf'
import { openTabChannel } from '@fellowship/sync/client/engine/tab-channel'
import { QueryObserver, useMutation } from '@tanstack/react-query'
import { queryClient } from '../../lib/query-client.ts'
import { readStored, store } from '../../lib/site-storage.ts'
import { showToast } from '../../ui/toast.ts'
import { type WatchCurrentUser, userKey } from './auth-state.ts'

type CurrentUserAnswer = AnswerOf<typeof auth.currentUser>

const currentUserQuery = {
  queryKey: [auth.currentUser.path] as const,
  queryFn: fetchCurrentUser,
  staleTime: currentUserFreshMs,
  gcTime: currentUserKeptMs,
  refetchOnWindowFocus: false,
  retry: false,
}

/**
 * Watches the signed-in user: requested at the start, fresh for a minute, cached for five, not refetched on focus, but when
 * another tab signs in or out, and when the browser comes online after a start offline.
 */
export const watchCurrentUser: WatchCurrentUser = (onChange) => {
  const onOnline = () => isRemembered && refetch()
  const onOtherTab = () => {
    forgetCsrfToken(browserTransport)
    refetch()
  }
  const unwatch = new QueryObserver(queryClient, currentUserQuery).subscribe(({ data, isPending }) => {
    // If the page was rendered for a visitor, its Sign In button stays until the answer, so that no press is lost.
    if (isPending) return
    onChange({ status: 'known', user: data?.user ?? null, registrationOpen: data?.registration === 'open' })
  })
  addEventListener('online', onOnline)
  tabs?.addEventListener('message', onOtherTab)
  return () => {
    unwatch()
    removeEventListener('online', onOnline)
    tabs?.removeEventListener('message', onOtherTab)
  }
}

const refetch = () => void queryClient.invalidateQueries({ queryKey: currentUserQuery.queryKey })

/** After a change of an account: if it belongs to the signed-in user, every tab shows the new name and role at once. */
export function refreshOwnAccount({ id }: { id: number }): void {
  const known = queryClient.getQueryData<CurrentUserAnswer>(currentUserQuery.queryKey)
  if (known?.user?.id !== id) return
  // A new password starts a new session, and the CSRF token belongs to the old one.
  forgetCsrfToken(browserTransport)
  refetch()
  tabs?.postMessage('changed')
}

/** Whether the last answer is the remembered user, because the server could not be reached. */
let isRemembered = false
const tabs = openTabChannel('signed-in')

export const useLogin = () =>
  useMutation(
    {
      mutationFn: (body: { email: string; password: string }) => call(auth.login, { body }),
      onSuccess: ({ user }) => setUser(user, authTexts.loginSuccess),
      onError: (error) => toastError(authTexts.loginFailed, error),
    },
    queryClient,
  )

export const useRegister = () =>
  useMutation(
    {
      mutationFn: (body: { email: string; password: string; name: string }) => call(auth.register, { body }),
      onSuccess: ({ user }) => setUser(user, authTexts.registrationSuccess()),
      onError: (error) => toastError(authTexts.registrationFailed, error),
    },
    queryClient,
  )

/** Signs out, with toasts; the caller navigates. `mutate` takes the work to do before the session ends. */
export const useLogout = () =>
  useMutation(
    {
      mutationFn: async (first: () => Promise<void>) => {
        await first()
        return call(auth.logout)
      },
      onSuccess: () => setUser(null, authTexts.logoutSuccess),
      onError: (error) => toastError(authTexts.logoutFailed, error),
    },
    queryClient,
  )

async function fetchCurrentUser({ signal }: { signal: AbortSignal }): Promise<CurrentUserAnswer> {
  isRemembered = false
  try {
    const answer = await call(auth.currentUser, { signal })
    rememberUser(answer.user)
    return answer
  } catch (error) {
    if (error instanceof CallError && error.status === 401) {
      rememberUser(null)
      return { user: null, registration: 'closed' }
    }
    if (signal.aborted) throw error
    // Offline, a restarting server or a captive portal: none of them ends the session.
    const user = currentUser.safeParse(readStored(userKey)).data
    if (!user) throw error
    isRemembered = true
    return { user, registration: 'closed' }
  }
}

async function setUser(
  user: CurrentUser | null,
  toast: { title: string; description: string },
): Promise<void> {
  // The token belongs to the previous session.
  forgetCsrfToken(browserTransport)
  rememberUser(user)
  // A request in flight would answer for the previous session.
  await queryClient.cancelQueries({ queryKey: currentUserQuery.queryKey })
  tabs?.postMessage('changed')
  queryClient.setQueryData<CurrentUserAnswer>(currentUserQuery.queryKey, (known) => ({
    registration: known?.registration ?? 'closed',
    user,
  }))
  showToast(toast)
}

function toastError(title: string, error: unknown): void {
  showToast({ title, description: sentenceOfError(error), kind: 'destructive' })
}

/**
 * Stores the last signed-in user, so that a start offline finds that user's outbox. It grants nothing, as the server checks
 * every request.
 */
export const rememberUser = (user: CurrentUser | null): void => store(userKey, user ?? undefined)
