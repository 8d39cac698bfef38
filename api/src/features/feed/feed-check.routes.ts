import { feed } from '@fellowship/schema/feed/feed.contract'
import type { Context } from '../../context.ts'
import { ownSite } from '../../http/own-site.ts'
import { serve, type App } from '../../http/serve.ts'
import { checkFeed } from './feed-check.ts'
import { siteOrigin } from '../../http/origins.ts'

/** `GET /api/admin/feed-check`. */
export function mountFeedCheck(app: App, context: Context): void {
  const { config } = context
  serve(app, context, feed.check, ({ http: { env } }) =>
    checkFeed({
      ask: ownSite(env.incoming),
      origin: siteOrigin(config, env.incoming),
      publicUrl: config.publicUrl,
    }),
  )
}
