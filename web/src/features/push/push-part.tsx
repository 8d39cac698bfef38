import type { PushEvery } from '@fellowship/schema/push/push.contract'
import { pushTexts } from '@fellowship/schema/push/push.texts'
import { useId, useState } from 'react'
import { appleBrowser, isAppleBrowserTab } from '../../lib/home-screen.ts'
import { useDeviceQuery } from '../sync/use-device-query.ts'
import { readChoice, turnOff, turnOn } from './push.device.ts'

type Choice = PushEvery | 'off'

const choices = [
  { choice: 'off', name: 'Never' },
  { choice: 'teaching', name: 'Every teaching' },
  { choice: 'week', name: 'Once a week, on Monday evening' },
] as const

/** The notification setting of this device, or the reason why it is unavailable. */
export function PushPart() {
  const id = useId()
  const [hindrance] = useState(hindranceHere)
  return (
    <fieldset aria-describedby={`${id}-hint`}>
      <legend className="font-medium">{pushTexts.question}</legend>
      <p id={`${id}-hint`} className="text-small text-soft">
        {hindrance ?? pushTexts.hint}
      </p>
      {hindrance === undefined && <Choices />}
    </fieldset>
  )
}

function Choices() {
  const id = useId()
  const chosen: Choice = useDeviceQuery(() => readChoice(), [], undefined) ?? 'off'
  /** The choice until the permission is answered. */
  const [asked, setAsked] = useState<Choice>()
  const [failure, setFailure] = useState<string>()
  const choose = async (choice: Choice) => {
    if (asked !== undefined) return
    setAsked(choice)
    setFailure(undefined)
    setFailure(await (choice === 'off' ? turnOff().then(() => undefined) : turnOn(choice)))
    setAsked(undefined)
  }
  return (
    <>
      {choices.map(({ choice, name }) => (
        <label key={choice} className="flex min-h-11 cursor-pointer items-center gap-3">
          <input
            type="radio"
            name={id}
            className="size-6 shrink-0 accent-pine"
            checked={(asked ?? chosen) === choice}
            onChange={() => void choose(choice)}
          />
          {name}
        </label>
      ))}
      <output className="text-small text-soft">{asked !== undefined && pushTexts.asking}</output>
      <p role="alert" className="text-small text-wheat-text">
        {failure}
      </p>
    </>
  )
}

/** The reason why this browser cannot show notifications of this site now; undefined if it can. */
function hindranceHere(): string | undefined {
  const isAble = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
  if (isAble) return Notification.permission === 'denied' ? pushTexts.blocked : undefined
  if (!isAppleBrowserTab()) return pushTexts.unable
  return appleBrowser() ? pushTexts.homeScreenFirst : pushTexts.openInSafari
}
