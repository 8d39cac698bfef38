import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import {
  currentUser,
  emailVerification,
  forgottenPassword,
  login,
  passwordReset,
  registration,
} from './auth.schema.ts'

const userAnswer = z.object({ user: currentUser })

export const auth = {
  currentUser: endpoint({
    method: 'GET',
    path: '/api/auth/user',
    access: 'everyone',
    changes: false,
    summary: 'The signed-in person, or null.',
    answer: z.object({
      user: currentUser.nullable(),
      /** Whether the sign-in panel may offer registration. */
      registration: z.enum(['open', 'closed']),
    }),
  }),
  login: endpoint({
    method: 'POST',
    path: '/api/auth/login',
    access: 'everyone',
    changes: true,
    summary: 'Signs in and sets the session cookie.',
    body: login,
    answer: userAnswer,
  }),
  register: endpoint({
    method: 'POST',
    path: '/api/auth/register',
    access: 'everyone',
    changes: true,
    summary: 'Creates an account where registration is open, and signs in.',
    body: registration,
    answer: userAnswer,
  }),
  logout: endpoint({
    method: 'POST',
    path: '/api/auth/logout',
    access: 'everyone',
    changes: true,
    summary: 'Ends this session. Succeeds without one.',
    answer: z.object({ success: z.literal(true) }),
  }),
  forgotPassword: endpoint({
    method: 'POST',
    path: '/api/auth/forgot-password',
    access: 'everyone',
    changes: true,
    summary: 'Sends a link for a new password if the account exists; the response does not reveal it.',
    body: forgottenPassword,
    answer: z.object({ success: z.literal(true) }),
  }),
  resetPassword: endpoint({
    method: 'POST',
    path: '/api/auth/reset-password',
    access: 'everyone',
    changes: true,
    summary: 'Sets a new password by the token of an email, once, and ends all sessions.',
    body: passwordReset,
    answer: z.object({ success: z.literal(true) }),
  }),
  verifyEmail: endpoint({
    method: 'POST',
    path: '/api/auth/verify-email',
    access: 'everyone',
    changes: true,
    summary: 'Confirms an email address by the token of an email, once.',
    body: emailVerification,
    answer: z.object({ success: z.literal(true) }),
  }),
  csrfToken: endpoint({
    method: 'GET',
    path: '/api/csrf-token',
    access: 'everyone',
    changes: false,
    summary: 'The token that state-changing calls of this session carry.',
    answer: z.object({ csrfToken: z.string() }),
  }),
}
