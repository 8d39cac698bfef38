import { leastSeconds } from '@fellowship/schema/listening/listening-position'
import { sharePath, shareText } from '@fellowship/schema/teachings/share-link'
import { nameOfTeaching, shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Check, Copy, MessageCircle, Printer, Share } from 'lucide-react'
import { useRef, useState } from 'react'
import { clockTime } from '../../lib/clock-time.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { ShareCode } from './share-code.tsx'
import { ShareSlip } from './share-slip.tsx'

interface ShareDialogProps {
  teaching: Teaching
  /** The listening position in seconds; 0 if not started. */
  moment: number
  onClose: () => void
}

/** Shares a teaching by the system's share sheet, a link, a QR code, or a printed slip. */
export function ShareDialog({ teaching, moment, onClose }: ShareDialogProps) {
  const [fromMoment, setFromMoment] = useState(false)
  const path = sharePath(teaching, fromMoment ? moment : 0)
  const link = window.location.origin + path
  const name = nameOfTeaching(teaching)
  return (
    <Dialog title="Share this teaching" description={name} onClose={onClose}>
      <div className="mt-6 grid grid-cols-1 gap-6 sm:grid-cols-[minmax(0,1fr)_auto]">
        <div className="flex min-w-0 flex-col gap-4">
          <Link link={link} />
          {moment >= leastSeconds && (
            <label className="flex min-h-11 cursor-pointer items-center gap-3">
              <input
                type="checkbox"
                checked={fromMoment}
                onChange={(event) => setFromMoment(event.target.checked)}
                className="size-5 shrink-0 accent-pine"
              />
              Start at {clockTime(moment)}
            </label>
          )}
          <div className="flex flex-wrap gap-3">
            <SystemShare title={shownTitle(teaching)} text={shareText(teaching)} link={link} />
            <WhatsApp message={`${shareText(teaching)}\n${link}`} />
            <Button kind="secondary" onClick={() => window.print()}>
              <Printer aria-hidden="true" className="size-5" />
              Print a slip
            </Button>
          </div>
        </div>
        <figure className="justify-self-center text-center">
          <ShareCode text={link} className="mx-auto size-44 rounded-card" />
          <figcaption className="mt-2 text-small text-soft">Point a phone’s camera here</figcaption>
        </figure>
      </div>
      <ShareSlip teaching={teaching} link={link} />
    </Dialog>
  )
}

function Link({ link }: { link: string }) {
  const field = useRef<HTMLDivElement>(null)
  const [outcome, setOutcome] = useState<{ link: string; copied: boolean }>()
  const result = outcome?.link === link ? outcome : undefined
  const copy = () => {
    field.current?.querySelector('input')?.select()
    // Undefined outside secure contexts.
    const copied = navigator.clipboard?.writeText(link) ?? Promise.reject(new Error('no clipboard'))
    copied.then(
      () => setOutcome({ link, copied: true }),
      () => setOutcome({ link, copied: false }),
    )
  }
  return (
    <div ref={field}>
      <Field label="Link">
        {(control) => (
          <Input {...control} readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
        )}
      </Field>
      <Button className="mt-3" onClick={copy} data-autofocus>
        {result?.copied ? (
          <Check aria-hidden="true" className="size-5" />
        ) : (
          <Copy aria-hidden="true" className="size-5" />
        )}
        {result?.copied ? 'Link copied' : 'Copy link'}
      </Button>
      <output className="block text-small text-soft">
        {result?.copied === true && <span className="sr-only">Link copied</span>}
        {result?.copied === false &&
          'This browser does not let pages copy. The link is selected: copy it yourself.'}
      </output>
    </div>
  )
}

/** The message to a person or a group: what it is, from whom, and the link in a line of its own. */
function WhatsApp({ message }: { message: string }) {
  return (
    <a
      href={`https://wa.me/?text=${encodeURIComponent(message)}`}
      target="_blank"
      rel="noopener noreferrer"
      className={buttonClass('secondary')}
    >
      <MessageCircle aria-hidden="true" className="size-5" />
      WhatsApp
    </a>
  )
}

/** The system's share sheet; nothing where the browser has none. */
function SystemShare({ title, text, link }: { title: string; text: string; link: string }) {
  if (typeof navigator.share !== 'function') return null
  return (
    <Button
      kind="secondary"
      // Cancelling rejects too, and is no error.
      onClick={() => void navigator.share({ title, text, url: link }).catch(() => undefined)}
    >
      <Share aria-hidden="true" className="size-5" />
      Share…
    </Button>
  )
}
