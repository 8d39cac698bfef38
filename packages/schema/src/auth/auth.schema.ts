import { z } from 'zod'
import { personName } from '../plain-text.ts'
import { authLimits } from './auth.limits.ts'
import { authTexts } from './auth.texts.ts'

export const role = z.enum(['user', 'admin'], { error: authTexts.roleInvalid })
export type Role = z.infer<typeof role>

/** Addresses are compared in lower case, without surrounding spaces. */
export const email = z
  .string({ error: (issue) => (issue.input === undefined ? 'Required' : authTexts.invalidEmail) })
  .trim()
  .toLowerCase()
  .max(authLimits.email, { error: authTexts.invalidEmail })
  .pipe(z.email({ error: authTexts.invalidEmail }))

/** A password being chosen. Only the length is a rule; upper case, lower case and a number are advice. */
export const newPassword = z
  .string()
  .min(authLimits.passwordMinimum, { error: authTexts.passwordTooShort })
  .max(authLimits.passwordMaximum)

/** The signed-in user as the client reads it. */
export const currentUser = z.object({ id: z.int(), email: z.string(), name: z.string(), role })
export type CurrentUser = z.infer<typeof currentUser>

export const login = z.object({
  email,
  password: z.string().min(1, { error: authTexts.passwordRequired }).max(authLimits.passwordMaximum),
})
export type Login = z.infer<typeof login>

export const registration = z.object({
  email,
  password: newPassword,
  name: personName('Name')
    .min(authLimits.nameMinimumAtRegistration, { error: authTexts.nameTooShort })
    .max(authLimits.name),
})
export type Registration = z.infer<typeof registration>

export const forgottenPassword = z.object({ email })

const token = z.string().min(1, { error: authTexts.resetTokenRequired }).max(authLimits.token)

export const passwordReset = z.object({ token, password: newPassword })

export const emailVerification = z.object({ token })
