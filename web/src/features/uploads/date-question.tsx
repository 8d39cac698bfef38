import { churchDate } from '@fellowship/schema/dates'
import { isFarAhead } from '@fellowship/schema/uploads/doubts'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { useState } from 'react'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'

/**
 * Asks before anything is published or saved under a date that is more than a day ahead. Other dates go on at once.
 *
 * @returns `ask` with the dates and what to do then, and the `question` to be rendered
 */
export function useDateQuestion() {
  const [asked, setAsked] = useState<{ dates: string[]; goOn: () => void }>()
  const ask = (dates: readonly string[], goOn: () => void) => {
    const today = churchDate(new Date())
    const ahead = [...new Set(dates.map((date) => date.trim()))].filter((date) => isFarAhead(date, today))
    if (ahead.length > 0) setAsked({ dates: ahead, goOn })
    else goOn()
  }
  const question = asked && (
    <ConfirmDialog
      title={uploadTexts.dateAhead.title}
      question={uploadTexts.dateAhead.question(asked.dates)}
      confirmLabel="Publish"
      cancelLabel="Correct the date"
      onConfirm={() => {
        setAsked(undefined)
        asked.goOn()
      }}
      onCancel={() => setAsked(undefined)}
    />
  )
  return { ask, question }
}
