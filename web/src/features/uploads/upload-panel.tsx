import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { DropZone } from './drop-zone.tsx'
import { ParseStatus } from './parse-status.tsx'
import { busy, type UploadFlow } from './upload-flow.ts'
import { useUploadFlow } from './use-upload-flow.ts'

/** SPEC §2 'Upload Teaching': a recording, what its name says, and what a person corrects. */
export function UploadPanel({ onAdded }: { onAdded: (teaching: Teaching | null) => void }) {
  const { flow, send } = useUploadFlow(onAdded)
  const locked = busy(flow)
  return (
    <section aria-labelledby="upload-title" className="lg:self-start">
      <Card className="p-6">
        <h2 id="upload-title" className="text-2xl">
          Upload Teaching
        </h2>
        <form
          noValidate
          className="mt-5 flex flex-col gap-5"
          onSubmit={(event) => {
            event.preventDefault()
            send({ type: 'submitted' })
          }}
        >
          <DropZone file={flow.file} disabled={locked} onFile={(file) => send({ type: 'chosen', file })} />
          {flow.step === 'parsing' && (
            <output className="flex items-center gap-3 text-small text-soft">
              <Spinner size="small" />
              Reading the file name…
            </output>
          )}
          {flow.parse && <ParseStatus {...flow.parse} />}
          {flow.fields && (
            <Fields
              fields={flow.fields}
              disabled={locked}
              onEdit={(field, value) => send({ type: 'edited', field, value })}
            />
          )}
          {flow.step === 'uploading' && <Progress share={flow.progress} />}
          <Button type="submit" pending={locked}>
            {submitLabels[flow.step]}
          </Button>
          {flow.file && !locked && (
            <Button kind="quiet" onClick={() => send({ type: 'cleared' })}>
              Clear
            </Button>
          )}
        </form>
        {!flow.file && <NamingHelp />}
      </Card>
    </section>
  )
}

const submitLabels: Record<UploadFlow['step'], string> = {
  empty: 'Upload Teaching',
  parsing: 'Upload Teaching',
  editing: 'Upload Teaching',
  checking: 'Checking for duplicates...',
  uploading: 'Uploading...',
}

interface FieldsProps {
  fields: EnteredFields
  disabled: boolean
  onEdit: (field: keyof EnteredFields, value: string) => void
}

function Fields({ fields, disabled, onEdit }: FieldsProps) {
  return editable.map(({ name, label, type }) => (
    <Field key={name} label={label}>
      {(control) => (
        <Input
          {...control}
          type={type}
          value={fields[name]}
          disabled={disabled}
          onChange={(event) => onEdit(name, event.target.value)}
        />
      )}
    </Field>
  ))
}

const editable = [
  { name: 'title', label: 'Title', type: 'text' },
  { name: 'speaker', label: 'Speaker', type: 'text' },
  { name: 'date', label: 'Date', type: 'date' },
  { name: 'scriptureReference', label: 'Scripture Reference', type: 'text' },
] as const

function Progress({ share }: { share: number }) {
  const percent = Math.floor(share * 100)
  return (
    <div className="flex items-center gap-3">
      <progress aria-label="Upload" value={percent} max={100} className="h-2 grow accent-pine" />
      <span className="min-w-12 text-right text-small text-soft tabular-nums">{percent} %</span>
    </div>
  )
}

function NamingHelp() {
  return (
    <details className="mt-5 text-small text-soft">
      <summary className="min-h-6 font-medium text-pine">How to name the file</summary>
      <p className="mt-2">
        Named like this, the fields fill in by themselves. Title or scripture may be left out, not both.
      </p>
      <code className="mt-2 block rounded-card bg-sunk px-3 py-2 break-all">
        2026-11-22_John-Smith&quot;Hope in Christ&quot;_Romans_8_28-39.mp3
      </code>
    </details>
  )
}
