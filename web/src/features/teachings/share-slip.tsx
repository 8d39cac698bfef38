import { church } from '@fellowship/schema/church'
import { createPortal } from 'react-dom'
import { ShareCode } from './share-code.tsx'
import './share-slip.css'

interface ShareSlipProps {
  title: string
  /** The lines below the title. */
  lines: readonly string[]
  link: string
}

/** Printed instead of the page while the share dialog is open: a slip for a notice board. Hidden on screen. */
export function ShareSlip({ title, lines, link }: ShareSlipProps) {
  return createPortal(
    <section className="share-slip">
      <p className="share-slip-church">{church.name}</p>
      <h1>{title}</h1>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <ShareCode text={link} />
      <p className="share-slip-link">{link}</p>
      <p>
        {church.service.weekday} Service: {church.service.sentence}
        <br />
        {church.address.line}
      </p>
    </section>,
    document.body,
  )
}
