import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import { inboxTexts } from '@fellowship/schema/inbox/inbox.texts'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { listInbox, publishInbox, removeInbox } from './inbox.ts'

export function mountInbox(app: App, context: Context): void {
  serve(app, context, inbox.list, async () => ({ success: true as const, items: await listInbox(context) }))

  serve(app, context, inbox.publish, async ({ params, body, actor }) => ({
    success: true as const,
    message: inboxTexts.published,
    teaching: await publishInbox(context, params.id.toLowerCase(), body, actor),
  }))

  serve(app, context, inbox.remove, async ({ params, actor }) => {
    await removeInbox(context, params.id.toLowerCase(), actor)
    return { success: true as const, message: inboxTexts.deleted }
  })
}
