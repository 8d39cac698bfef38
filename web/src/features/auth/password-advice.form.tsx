import { authLimits } from '@fellowship/schema/auth/auth.limits'
import { Check, Minus } from 'lucide-react'
import { classNames } from '../../lib/class-names.ts'

/** Hints for a new password, ticked off as they are met. Only the length is required. */
export function PasswordAdvice({ password }: { password: string }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1">
      {advice.map(({ label, met }) => (
        <Point key={label} label={label} met={met(password)} />
      ))}
    </ul>
  )
}

const advice = [
  {
    label: `At least ${authLimits.passwordMinimum} characters`,
    met: (password: string) => password.length >= authLimits.passwordMinimum,
  },
  { label: 'upper case', met: (password: string) => /\p{Lu}/u.test(password) },
  { label: 'lower case', met: (password: string) => /\p{Ll}/u.test(password) },
  { label: 'a number', met: (password: string) => /\p{Nd}/u.test(password) },
]

function Point({ label, met }: { label: string; met: boolean }) {
  const Icon = met ? Check : Minus
  return (
    <li className={classNames('inline-flex items-center gap-1.5', met && 'text-leaf')}>
      <Icon className="size-4" />
      {label}
      {met && <span className="sr-only">: done</span>}
    </li>
  )
}
