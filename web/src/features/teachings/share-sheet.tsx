import { addressLine, church } from '@fellowship/schema/church'
import { Check, Copy, MessageCircle, Printer, Share } from 'lucide-react'
import { Fragment, type ReactNode, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { encode } from 'uqr'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import './share-slip.css'

interface ShareSheetProps {
  heading: string
  /** The sentence that describes the shared page. */
  description: string
  /** For the system's share sheet. */
  title: string
  message: string
  /** Lines of the printed slip, below the title. */
  slip: readonly string[]
  link: string
  onClose: () => void
  /** Choices that change the link. */
  children?: ReactNode
}

/** Shares an address of this site by the system's share sheet, a link, a QR code, or a printed slip. */
export function ShareSheet({
  heading,
  description,
  title,
  message,
  slip,
  link,
  onClose,
  children,
}: ShareSheetProps) {
  return (
    <Dialog title={heading} description={description} onClose={onClose}>
      <div className="mt-6 grid grid-cols-1 gap-6 sm:grid-cols-[minmax(0,1fr)_auto]">
        <div className="flex min-w-0 flex-col gap-4">
          <Link link={link} />
          {children}
          <div className="flex flex-wrap gap-3">
            <SystemShare title={title} text={message} link={link} />
            <WhatsApp message={`${message}\n${link}`} />
            <Button icon={Printer} kind="secondary" onClick={() => window.print()}>
              Print QR code
            </Button>
          </div>
        </div>
        <figure className="justify-self-center text-center">
          <ShareCode text={link} className="mx-auto size-44 rounded-card" />
          <figcaption className="mt-2 text-small text-soft">Scan with your phone</figcaption>
        </figure>
      </div>
      <ShareSlip title={title} lines={slip} link={link} />
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
        {result?.copied ? <Check className="size-5" /> : <Copy className="size-5" />}
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

/** A WhatsApp link with the message: title, speaker, and the address in a line of its own. */
function WhatsApp({ message }: { message: string }) {
  return (
    <a
      href={`https://wa.me/?text=${encodeURIComponent(message)}`}
      target="_blank"
      rel="noopener noreferrer"
      className={buttonClass('secondary')}
    >
      <MessageCircle className="size-5" />
      WhatsApp
    </a>
  )
}

/** The system's share sheet; renders nothing if the browser has none. */
function SystemShare({ title, text, link }: { title: string; text: string; link: string }) {
  if (typeof navigator.share !== 'function') return null
  return (
    <Button
      icon={Share}
      kind="secondary"
      // Cancelling rejects too; it is no error.
      onClick={() => void navigator.share({ title, text, url: link }).catch(() => undefined)}
    >
      Share…
    </Button>
  )
}

/** Printed instead of the page while the share dialog is open: a slip for a notice board. Hidden on screen. */
function ShareSlip({ title, lines, link }: { title: string; lines: readonly string[]; link: string }) {
  return createPortal(
    <section className="share-slip">
      <p className="share-slip-church">{church().name}</p>
      <h1>{title}</h1>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <ShareCode text={link} />
      <p className="share-slip-link">{link}</p>
      <p>
        {church().services.map(({ weekday, words }) => (
          <Fragment key={words}>
            {weekday} Service: {words}
            <br />
          </Fragment>
        ))}
        {addressLine(church().address)}
      </p>
    </section>,
    document.body,
  )
}

/** A QR code, black on white also in dark mode, as scanners need; error correction level M, with a quiet zone. */
function ShareCode({ text, className }: { text: string; className?: string }) {
  const { size, path } = useMemo(() => {
    const { size, data } = encode(text, { ecc: 'M', border: 4 })
    const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])))
    return { size, path: dark.join('') }
  }, [text])
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code of the link"
      shapeRendering="crispEdges"
      className={className}
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  )
}
