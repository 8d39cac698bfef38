import { writeRate } from './auth.limits.ts'
import { church } from '../church.ts'
import { counted } from '../counted.ts'

/** Messages of sign-in, registration and passwords. */
export const authTexts = {
  invalidEmail: 'Invalid email address',
  passwordRequired: 'Password is required',
  passwordTooShort: 'Password must be at least 8 characters',
  passwordAdvice: 'At least 8 characters, with upper case, lower case and a number',
  nameTooShort: 'Name must be at least 2 characters',
  nameRequired: 'Name is required',
  resetTokenRequired: 'Reset token is required',
  roleInvalid: "Role must be either 'admin' or 'user'",
  loginFailed: 'Login failed',
  registrationFailed: 'Registration failed',
  logoutFailed: 'Logout failed',
  loginSuccess: { title: 'Login successful', description: 'Welcome back!' },
  registrationSuccess: () => ({
    title: 'Registration successful',
    description: `Welcome to ${[church().name, church().description].filter(Boolean).join(', ')}.`,
  }),
  logoutSuccess: { title: 'Logout successful', description: 'You have been logged out.' },
  unauthorized: { title: 'Unauthorized', description: 'You are logged out. Logging in again...' },
  /** If the page has unfinished work, and so does not go to the sign-in by itself. */
  signedOutHere: { title: 'You are signed out', description: 'Sign in, then try again.' },
  authenticationRequired: 'Authentication Required',
  resetAsked: {
    title: 'Check your email',
    description:
      'If there is an account with this address, a link for a new password is on its way. The link lasts one hour.',
  },
  resetDone: { title: 'Password changed', description: 'You can now sign in with the new password.' },
  emailVerified: 'Your email address is confirmed',
  linkSpent: 'This link was used already, or is older than an hour. Request a new one.',
  /** Equal for a wrong password and an unknown account, so that it does not reveal which accounts exist. */
  locked: (minutes: number) => `Too many wrong passwords. Try again in ${counted(minutes, 'minute')}.`,
  slowDown: (minutes: number) =>
    `Too many attempts from this address. Try again in ${counted(minutes, 'minute')}.`,
  tooManyChanges: (minutes: number) =>
    `This account made ${writeRate.attempts.toLocaleString('en-NZ')} changes within ${counted(writeRate.perMinutes, 'minute')}. It can make more in ${counted(minutes, 'minute')}.`,
} as const
