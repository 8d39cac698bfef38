import { church } from '@fellowship/schema/church'
import { Share2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { asDialog, lazyPart } from '../../ui/lazy-part.tsx'

const ShareSheet = lazyPart(async () => (await import('./share-sheet.tsx')).ShareSheet, asDialog)

interface ShareCollectionProps {
  /** The path of its page, not percent-encoded. */
  path: string
  name: string
  /** A sentence for the message. */
  about: string
}

/** Shares the page of a collection by the system's share sheet, a link, a QR code, or a printed slip. */
export function ShareCollection({ path, name, about }: ShareCollectionProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button kind="secondary" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Share2 aria-hidden="true" className="size-5" />
        Share
      </Button>
      {open && (
        <ShareSheet
          heading="Share this page"
          description={`${name}, ${church.name}`}
          title={name}
          message={about}
          slip={[about]}
          link={window.location.origin + encodeURI(path)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
