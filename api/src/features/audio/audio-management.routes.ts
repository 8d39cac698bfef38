import { audio } from '@fellowship/schema/audio/audio.contract'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { audioStatistics, cleanUpAudio } from './storage-care.ts'

export function mountAudioManagement(app: App, context: Context): void {
  serve(app, context, audio.stats, () => audioStatistics(context))
  serve(app, context, audio.cleanup, ({ actor }) => cleanUpAudio(context, actor))
}
