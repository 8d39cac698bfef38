import { church } from '@fellowship/schema/church'
import { formatDate } from '@fellowship/schema/dates'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { createPortal } from 'react-dom'
import { ShareCode } from './share-code.tsx'
import './share-slip.css'

/** Printed instead of the page while the share dialog is open: a slip for a notice board. Hidden on screen. */
export function ShareSlip({ teaching, link }: { teaching: Teaching; link: string }) {
  const { speaker, date, scriptureReference } = teaching
  return createPortal(
    <section className="share-slip">
      <p className="share-slip-church">{church.name}</p>
      <h1>{shownTitle(teaching)}</h1>
      <p>
        {speaker}, {formatDate(date)}
      </p>
      {scriptureReference && <p>{scriptureReference}</p>}
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
