import { Eye, EyeOff } from 'lucide-react'
import { useState, type ComponentProps } from 'react'
import { Input } from './field.tsx'
import { IconButton } from './icon-button.tsx'

export function PasswordInput(props: Omit<ComponentProps<'input'>, 'type' | 'className'>) {
  const [shown, setShown] = useState(false)
  const Icon = shown ? EyeOff : Eye
  return (
    <span className="relative block">
      <Input {...props} type={shown ? 'text' : 'password'} className="pr-13" spellCheck={false} />
      <IconButton
        label="Show the characters"
        icon={Icon}
        aria-pressed={shown}
        className="absolute top-0 right-0.5"
        onClick={() => setShown(!shown)}
      />
    </span>
  )
}
