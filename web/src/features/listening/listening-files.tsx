import { listeningTexts } from '@fellowship/schema/listening/listening.texts'
import { readListeningStatus } from '@fellowship/sync/client/listening/listening-accounts'
import { Download, FileText, Trash2, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast.ts'
import { useAuth } from '../auth/auth-context.tsx'
import { useDeviceQuery } from '../sync/use-device-query.ts'
import { deleteAll, exportFile, importFile } from './files.device.ts'

/** Export and import of this device's listening as a file, and its deletion. */
export function ListeningFiles({ onDelete }: { onDelete: () => void }) {
  const { user } = useAuth()
  const keeping = useDeviceQuery(() => readListeningStatus(user?.id), [user?.id], undefined)
  const isKept = keeping?.account?.on === true
  const input = useRef<HTMLInputElement>(null)
  const [outcome, setOutcome] = useState<{ words: string; failed?: boolean }>()
  const [asks, setAsks] = useState(false)
  const run = async (work: () => Promise<string | undefined>) => {
    setOutcome(undefined)
    try {
      const words = await work()
      if (words) setOutcome({ words })
    } catch (error) {
      setOutcome({ words: error instanceof Error ? error.message : String(error), failed: true })
    }
  }
  const remove = async () => {
    setAsks(false)
    onDelete()
    await run(async () => {
      await deleteAll()
      showToast({ title: listeningTexts.deleted })
      return undefined
    })
  }
  return (
    <>
      <div className="mt-2 flex flex-wrap gap-3">
        <Button kind="secondary" onClick={() => void run(() => exportFile('json'))}>
          <Download aria-hidden="true" className="size-5" />
          Export
        </Button>
        <Button kind="secondary" onClick={() => void run(() => exportFile('text'))}>
          <FileText aria-hidden="true" className="size-5" />
          Export as text
        </Button>
        <Button kind="secondary" onClick={() => input.current?.click()}>
          <Upload aria-hidden="true" className="size-5" />
          Import
        </Button>
        {!isKept && (
          <Button kind="quiet" className="text-brick!" onClick={() => setAsks(true)}>
            <Trash2 aria-hidden="true" className="size-5" />
            Delete all of it from this device
          </Button>
        )}
      </div>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label="File to import"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const file = target.files?.[0]
          target.value = ''
          if (file) void run(() => importFile(file))
        }}
      />
      {isKept && <p className="mt-2 text-small text-soft">{listeningTexts.deleteFirst}</p>}
      <p role={outcome?.failed ? 'alert' : 'status'} className="mt-2 text-small text-soft">
        <span className={outcome?.failed ? 'text-brick' : undefined}>{outcome?.words}</span>
      </p>
      {asks && (
        <ConfirmDialog
          title={listeningTexts.deleteTitle}
          question={listeningTexts.deleteQuestion}
          confirmLabel="Delete all of it"
          onConfirm={() => void remove()}
          onCancel={() => setAsks(false)}
        />
      )}
    </>
  )
}
