import { copyTexts } from '@fellowship/schema/copy.texts'
import { Copy } from 'lucide-react'
import { IconButton } from './icon-button.tsx'
import { showToast } from './toast.ts'

export function CopyButton({ what, text }: { what: string; text: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      showToast({ title: copyTexts.copied(what) })
    } catch {
      showToast({ title: copyTexts.notCopied, kind: 'destructive' })
    }
  }
  return <IconButton label={`Copy ${what.toLowerCase()}`} icon={Copy} onClick={() => void copy()} />
}
