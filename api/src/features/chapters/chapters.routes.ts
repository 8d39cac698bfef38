import { chaptersOf } from '@fellowship/schema/chapters/chapters'
import { jsonOf } from '@fellowship/schema/chapters/chapters-json'
import { chapters } from '@fellowship/schema/chapters/chapters.contract'
import { chapterTexts } from '@fellowship/schema/chapters/chapters.texts'
import { Problem } from '@fellowship/schema/problem'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { findTeachingByUid } from '../teachings/teachings.ts'

export function mountChapters(app: App, context: Context): void {
  serve(app, context, chapters.read, async ({ params, http }) => {
    const teaching = await findTeachingByUid(context.sql, params.uid)
    if (!teaching?.chapters) throw new Problem('not_found', chapterTexts.gone)
    // Players on other sites read them too.
    return http.body(JSON.stringify(jsonOf(chaptersOf(teaching.chapters))), 200, {
      'content-type': 'application/json+chapters',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    })
  })
}
