import { auth } from '@fellowship/schema/auth/auth.contract'
import { currentUserFreshMs, currentUserKeptMs } from '@fellowship/schema/auth/auth.limits'
import type { CurrentUser } from '@fellowship/schema/auth/auth.schema'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import { browserTransport, call } from '@fellowship/sync/call/call'
import { CallError, sentenceOfError } from '@fellowship/sync/call/call-error'
import { forgetCsrfToken } from '@fellowship/sync/call/csrf'
import { QueryObserver, useMutation } from '@tanstack/react-query'
import { queryClient } from '../../lib/query-client.ts'
import { showToast } from '../../ui/toast.ts'
import type { WatchCurrentUser } from './auth-state.ts'
import { rememberedPerson, rememberPerson } from './remembered-person.ts'

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
 * SPEC §4: asked at the start, fresh for a minute, kept for five, not asked again on focus; but when another tab of this
 * browser signs in or out, and when the line comes back after a start without one.
 */
export const watchCurrentUser: WatchCurrentUser = (onChange) => {
  const lineIsBack = () => isFromMemory && askAnew()
  const otherTab = () => {
    forgetCsrfToken(browserTransport)
    askAnew()
  }
  const unwatch = new QueryObserver(queryClient, currentUserQuery).subscribe(({ data, isPending }) =>
    onChange({
      status: isPending ? 'loading' : 'known',
      user: data?.user ?? null,
      registrationOpen: data?.registration === 'open',
    }),
  )
  addEventListener('online', lineIsBack)
  tabs?.addEventListener('message', otherTab)
  return () => {
    unwatch()
    removeEventListener('online', lineIsBack)
    tabs?.removeEventListener('message', otherTab)
  }
}

const askAnew = () => void queryClient.invalidateQueries({ queryKey: currentUserQuery.queryKey })

/** An account was changed: where it is the one of this browser, its name and its rights are shown in every tab at once. */
export function accountChanged({ id }: { id: number }): void {
  const known = queryClient.getQueryData<CurrentUserAnswer>(currentUserQuery.queryKey)
  if (known?.user?.id !== id) return
  // A new password brings a new session, and the token belongs to the session that was.
  forgetCsrfToken(browserTransport)
  askAnew()
  tabs?.postMessage('changed')
}

/** The last answer is what this device remembers: nobody was there to be asked. */
let isFromMemory = false
const tabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('signed-in')

/** Signs in; the toasts of SPEC §8 included. */
export const useLogin = () =>
  useMutation(
    {
      mutationFn: (body: { email: string; password: string }) => call(auth.login, { body }),
      onSuccess: ({ user }) => becomes(user, authTexts.loginSuccess),
      onError: (error) => failed(authTexts.loginFailed, error),
    },
    queryClient,
  )

/** Creates an account and signs in. */
export const useRegister = () =>
  useMutation(
    {
      mutationFn: (body: { email: string; password: string; name: string }) => call(auth.register, { body }),
      onSuccess: ({ user }) => becomes(user, authTexts.registrationSuccess),
      onError: (error) => failed(authTexts.registrationFailed, error),
    },
    queryClient,
  )

/** Signs out; going to / afterwards is the caller's part. */
export const useLogout = () =>
  useMutation(
    {
      mutationFn: () => call(auth.logout),
      onSuccess: () => becomes(null, authTexts.logoutSuccess),
      onError: (error) => failed(authTexts.logoutFailed, error),
    },
    queryClient,
  )

async function fetchCurrentUser({ signal }: { signal: AbortSignal }): Promise<CurrentUserAnswer> {
  isFromMemory = false
  try {
    const answer = await call(auth.currentUser, { signal })
    rememberPerson(answer.user)
    return answer
  } catch (error) {
    if (error instanceof CallError && error.status === 401) {
      rememberPerson(null)
      return { user: null, registration: 'closed' }
    }
    if (signal.aborted) throw error
    // No line, a server that is being restarted, a portal: none of them says that nobody is signed in.
    const user = rememberedPerson()
    if (!user) throw error
    isFromMemory = true
    return { user, registration: 'closed' }
  }
}

async function becomes(
  user: CurrentUser | null,
  toast: { title: string; description: string },
): Promise<void> {
  // The token belongs to the session that was.
  forgetCsrfToken(browserTransport)
  rememberPerson(user)
  // An answer still on its way is about who was signed in before.
  await queryClient.cancelQueries({ queryKey: currentUserQuery.queryKey })
  tabs?.postMessage('changed')
  queryClient.setQueryData<CurrentUserAnswer>(currentUserQuery.queryKey, (known) => ({
    registration: known?.registration ?? 'closed',
    user,
  }))
  showToast(toast)
}

function failed(title: string, error: unknown): void {
  showToast({ title, description: sentenceOfError(error), kind: 'destructive' })
}
