import type { ServerResponse } from 'node:http'
import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import { inboxTexts } from '@fellowship/schema/inbox/inbox.texts'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from '../../context.ts'
import { addressOfCaller } from '../../http/caller.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { sendFile } from '../../http/send-file.ts'
import { serve, type App } from '../../http/serve.ts'
import { listInbox, openRecording, publishInbox, removeInbox } from './inbox.ts'

export function mountInbox(app: App, context: Context): void {
  serve(app, context, inbox.list, async () => ({ success: true as const, items: await listInbox(context) }))

  serve(app, context, inbox.recording, async ({ params, http: { env } }) => {
    const id = params.id.toLowerCase()
    const { file, type } = await openRecording(context, id)
    await using _ = file
    await sendFile(env.incoming, env.outgoing as ServerResponse, file, {
      tag: `"${id}"`,
      headers: { ...securityHeaders(context.config), 'content-type': type, 'cache-control': 'no-store' },
      address: addressOfCaller(env.incoming, context),
    })
    return RESPONSE_ALREADY_SENT
  })

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
