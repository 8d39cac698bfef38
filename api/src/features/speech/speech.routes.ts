import { speech } from '@fellowship/schema/speech/speech.contract'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { changeSpeech, retrySpeech, speechStatus, spokenWords } from './speech.ts'

export function mountSpeech(app: App, context: Context): void {
  serve(app, context, speech.status, () => speechStatus(context))
  serve(app, context, transcripts.words, () => spokenWords(context))
  serve(app, context, speech.change, ({ body: { paused, words }, actor }) =>
    changeSpeech(
      context,
      { ...(paused !== undefined && { paused }), ...(words !== undefined && { words }) },
      actor,
    ),
  )
  serve(app, context, speech.retry, ({ actor }) => retrySpeech(context, actor))
}
