import { aheadBudgetBytes } from '@fellowship/schema/audio/audio.limits'
import { counted } from '@fellowship/schema/counted'
import { Moon, Sun, SunMoon } from 'lucide-react'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import { useSavedShelf } from '../features/audio/saved/saved.ts'
import { StorageMeter } from '../features/audio/saved/storage-meter.tsx'
import { useKeepsIndex } from '../features/spoken-search/keeps-index.ts'
import { SpokenHint } from '../features/spoken-search/spoken-choice.tsx'
import { PushPart } from '../features/push/push-part.tsx'
import { classNames } from '../lib/class-names.ts'
import { chooseComfort, useComfort, useReducedData, type Comfort } from '../lib/comfort.ts'
import { canFetchAhead, usePrefersSmall } from '../features/audio/data-choices.ts'
import { fileSize } from '../lib/file-size.ts'
import { skippedSeconds } from '../lib/skipped-silence.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

const sizes = [
  { text: undefined, sign: 'A', name: 'Normal text', look: 'text-base' },
  { text: 'large', sign: 'A+', name: 'Large text', look: 'text-xl' },
  { text: 'larger', sign: 'A++', name: 'Largest text', look: 'text-2xl' },
] as const

/** Display, data, notifications and storage on this device. Every change applies at once. */
export function ComfortDialog({ onClose }: { onClose: () => void }) {
  const comfort = useComfort()
  const reduced = useReducedData()
  const small = usePrefersSmall()
  const keepsIndex = useKeepsIndex()
  const contrast = comfort.contrast ?? (matchMedia('(prefers-contrast: more)').matches ? 'more' : 'normal')
  return (
    <Dialog
      title="Settings"
      description="These settings apply to this device."
      width="narrow"
      onClose={onClose}
    >
      <Group title="Display">
        <TextSize comfort={comfort} />
        <Scheme comfort={comfort} />
        <Choice
          name="High contrast"
          hint="Stronger colours and lines, in daylight and for tired eyes."
          checked={contrast === 'more'}
          onChange={(on) => chooseComfort({ contrast: on ? 'more' : 'normal' })}
        />
      </Group>
      <Group title="Data and playing">
        <Choice
          name="Reduced data"
          hint="The size of a recording is shown before you play or download it, the map waits until you ask for it, and nothing is fetched ahead."
          checked={reduced}
          onChange={(on) => chooseComfort({ data: on ? 'reduced' : 'full' })}
        />
        <Choice
          name="Small recordings"
          hint="Plays and saves a copy of about 15 MB an hour where there is one, as loud as every other. What is saved already stays as it is."
          checked={small}
          onChange={(on) => chooseComfort({ recordings: on ? 'small' : 'original' })}
        />
        <Choice
          name="Find what was said"
          hint={<SpokenHint />}
          checked={keepsIndex}
          onChange={(on) => chooseComfort({ spoken: on ? 'stored' : 'none' })}
        />
        {canFetchAhead() && (
          <Choice
            name="Fetch ahead while playing"
            hint={`Fetches the rest of a teaching, and the next one, so that they go on without signal. Takes up to ${fileSize(aheadBudgetBytes)}; what you heard longest ago goes first.`}
            checked={comfort.ahead !== 'off' && !reduced}
            disabled={reduced}
            onChange={(on) => chooseComfort({ ahead: on ? undefined : 'off' })}
          />
        )}
        <Choice
          name="Skip silence"
          hint={`Leaves out silences of more than a second and a half.${skippedSoFar()}`}
          checked={comfort.silence === 'skipped'}
          onChange={(on) => chooseComfort({ silence: on ? 'skipped' : 'played' })}
        />
      </Group>
      <Group title="Notifications">
        <PushPart />
      </Group>
      <Group title="Storage on this device">
        <Storage onFollow={onClose} />
      </Group>
      <div className="mt-8 flex justify-end">
        <Button onClick={onClose}>Done</Button>
      </div>
    </Dialog>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-6 border-t border-line pt-5">
      <h3 className="font-sans text-small font-semibold tracking-normal text-wheat-text">{title}</h3>
      <div className="mt-3 flex flex-col gap-4">{children}</div>
    </section>
  )
}

/** The room that saved recordings take, and the way to them. */
function Storage({ onFollow }: { onFollow: () => void }) {
  const shelf = useSavedShelf()
  return (
    <div>
      <StorageMeter recordings={[...shelf.byKey.values()]} />
      <Link
        to="/listening"
        hash="saved"
        onClick={onFollow}
        className="inline-flex min-h-11 items-center text-pine underline underline-offset-4"
      >
        Saved teaching
      </Link>
    </div>
  )
}

/** The skipped time, if it is a minute or more. */
function skippedSoFar(): string {
  const minutes = Math.floor(skippedSeconds() / 60)
  return minutes === 0 ? '' : ` ${counted(minutes, 'minute')} saved on this device so far.`
}

const schemes = [
  { scheme: undefined, name: 'Auto', Icon: SunMoon },
  { scheme: 'light', name: 'Light', Icon: Sun },
  { scheme: 'dark', name: 'Dark', Icon: Moon },
] as const

function Scheme({ comfort }: { comfort: Comfort }) {
  const id = useId()
  return (
    <fieldset>
      <legend className="font-medium">Colours</legend>
      <div className="mt-2 flex flex-wrap gap-2">
        {schemes.map(({ scheme, name, Icon }) => (
          <label key={name} className={choiceClass(comfort.scheme === scheme)}>
            <input
              type="radio"
              name={id}
              className="sr-only"
              checked={comfort.scheme === scheme}
              onChange={() => chooseComfort({ scheme })}
            />
            <Icon className="size-5 shrink-0" />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

const choiceClass = (isChosen: boolean, look?: string) =>
  classNames(
    // As wide as their words: with the largest text they take several lines.
    'flex min-h-14 grow basis-20 cursor-pointer items-center px-2 justify-center gap-2 rounded-card border has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-pine',
    look,
    isChosen
      ? 'border-pine bg-pine text-on-pine'
      : 'border-line-strong bg-raised hover:border-pine hover:bg-pine-tint',
  )

function TextSize({ comfort }: { comfort: Comfort }) {
  const id = useId()
  return (
    <fieldset>
      <legend className="font-medium">Text size</legend>
      <div className="mt-2 flex flex-wrap gap-2">
        {sizes.map(({ text, sign, name, look }) => (
          <label key={sign} className={choiceClass(comfort.text === text, classNames('font-serif', look))}>
            <input
              type="radio"
              name={id}
              className="sr-only"
              checked={comfort.text === text}
              onChange={() => chooseComfort({ text })}
            />
            <span aria-hidden="true">{sign}</span>
            <span className="sr-only">{name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

interface ChoiceProps {
  name: string
  hint: ReactNode
  checked: boolean
  /** Another choice rules it out. */
  disabled?: boolean
  onChange: (on: boolean) => void
}

function Choice({ name, hint, checked, disabled = false, onChange }: ChoiceProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-3">
      <input
        id={id}
        type="checkbox"
        aria-describedby={`${id}-hint`}
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-1 size-6 shrink-0 accent-pine"
      />
      <div>
        <label htmlFor={id} className="cursor-pointer font-medium">
          {name}
        </label>
        <p id={`${id}-hint`} className="text-small text-soft">
          {hint}
        </p>
      </div>
    </div>
  )
}
