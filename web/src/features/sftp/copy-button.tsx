import { sftpTexts } from '@fellowship/schema/sftp/sftp.texts'
import { Copy } from 'lucide-react'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/toast.ts'

/** Copies a text and says so. */
export function CopyButton({ what, text }: { what: string; text: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      showToast({ title: sftpTexts.copied(what) })
    } catch {
      showToast({ title: sftpTexts.notCopied, kind: 'destructive' })
    }
  }
  return (
    <IconButton label={`Copy ${what.toLowerCase()}`} onClick={() => void copy()}>
      <Copy aria-hidden="true" className="size-5" />
    </IconButton>
  )
}
