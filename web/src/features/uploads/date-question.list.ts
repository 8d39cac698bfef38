import { churchDate, isFarAhead } from '@fellowship/schema/dates'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { useState } from 'react'

/**
 * Asks before anything is published or saved under a date that is more than a day ahead. Other dates go on at once.
 *
 * @returns `ask` with the dates and what to do then, and the properties of the `ConfirmDialog` while it asks
 */
export function useDateQuestion() {
  const [asked, setAsked] = useState<{ dates: string[]; goOn: () => void }>()
  const ask = (dates: readonly string[], goOn: () => void) => {
    const today = churchDate(new Date())
    const ahead = [...new Set(dates.map((date) => date.trim()))].filter((date) => isFarAhead(date, today))
    if (ahead.length > 0) setAsked({ dates: ahead, goOn })
    else goOn()
  }
  const question = asked && {
    title: uploadTexts.dateAhead.title,
    question: uploadTexts.dateAhead.question(asked.dates),
    confirmLabel: 'Publish',
    cancelLabel: 'Correct the date',
    onConfirm() {
      setAsked(undefined)
      asked.goOn()
    },
    onCancel: () => setAsked(undefined),
  }
  return { ask, question }
}
