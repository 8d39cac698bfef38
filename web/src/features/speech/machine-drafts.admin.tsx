import type { BodyOf } from '@fellowship/schema/endpoint'
import { speech, type SpeechStatus } from '@fellowship/schema/speech/speech.contract'
import { speechLimits } from '@fellowship/schema/speech/speech.limits'
import { speechTexts as texts } from '@fellowship/schema/speech/speech.texts'
import { nameOfTeaching } from '@fellowship/schema/teachings/shown-title'
import { call } from '@fellowship/sync/call/call'
import { useState } from 'react'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { Field, Textarea } from '../../ui/field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'

/** Milliseconds between two polls while a recording is heard. */
const pollMs = 15_000

const useSpeech = adminQuery(speech.status, {
  pollMs: (answer) => (answer && (answer.working !== null || answer.waiting > 0) ? pollMs : false),
})

const change = {
  call: (body: BodyOf<typeof speech.change>) => call(speech.change, { body }),
  failure: texts.changeFailed,
  invalidates: [speech.status],
  pendingUntilRefreshed: true,
} as const
const useChange = adminMutation(change)
const useSaveWords = adminMutation({ ...change, success: () => ({ title: texts.saved }) })

const useRetry = adminMutation({
  call: () => call(speech.retry),
  failure: texts.changeFailed,
  invalidates: [speech.status],
  pendingUntilRefreshed: true,
})

/** Machine drafts of transcripts: progress, cost, the list of words, and failures. */
export function MachineDrafts() {
  const query = useSpeech()
  const { mutate, isPending } = useChange()
  const status = query.data
  return (
    <Section
      title="Machine drafts"
      description={texts.neverPublished}
      actions={
        status &&
        status.by !== 'off' && (
          <Button kind="secondary" pending={isPending} onClick={() => mutate({ paused: !status.paused })}>
            {status.paused ? 'Continue drafts' : 'Pause drafts'}
          </Button>
        )
      }
    >
      <Loaded query={query} failure={texts.loadFailed} height="h-24">
        {(loaded) =>
          loaded.by === 'off' ? (
            <Card className="admin-box">
              <p>{texts.off}</p>
              <Words key={loaded.words} saved={loaded.words} />
            </Card>
          ) : (
            <Drafts {...loaded} />
          )
        }
      </Loaded>
    </Section>
  )
}

function Drafts(status: SpeechStatus) {
  const { working, minutesEach, failed, words } = status
  const retry = useRetry()
  return (
    <Card className="admin-box">
      <p>{texts.progress(status)}</p>
      <p className="text-small text-soft">{texts.cost(minutesEach)}</p>
      {working && <p className="mt-3 wrap-anywhere">Listening to {nameOfTeaching(working)}.</p>}
      {/* A list that was saved elsewhere replaces what is shown, as its saved value is the key. */}
      <Words key={words} saved={words} />
      {failed.length > 0 && (
        <>
          <h3 className="mt-5 text-lg">No draft could be made of</h3>
          <ul className="mt-2 divide-y divide-line">
            {failed.map((row) => (
              <li key={row.id} className="py-2 wrap-anywhere">
                {nameOfTeaching(row)}
                <span className="block text-small text-soft">{row.why}</span>
              </li>
            ))}
          </ul>
          <Button kind="secondary" className="mt-3" pending={retry.isPending} onClick={() => retry.mutate()}>
            Try these again
          </Button>
        </>
      )}
    </Card>
  )
}

function Words({ saved }: { saved: string }) {
  const [words, setWords] = useState(saved)
  const { mutate, isPending } = useSaveWords()
  return (
    <form
      className="mt-5 flex flex-col items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        mutate({ words })
      }}
    >
      <div className="w-full">
        <Field label={texts.words} hint={texts.wordsHint}>
          {(control) => (
            <Textarea
              rows={6}
              maxLength={speechLimits.words}
              value={words}
              onChange={({ target }) => setWords(target.value)}
              {...control}
            />
          )}
        </Field>
      </div>
      <Button type="submit" pending={isPending} disabled={words === saved}>
        Save
      </Button>
    </form>
  )
}
