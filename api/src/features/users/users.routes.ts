import { users } from '@fellowship/schema/users/users.contract'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { changeUser, createUser, listUsers, openAccount, removeUser } from './users.ts'

export function mountUsers(app: App, context: Context): void {
  const { sessions } = context
  serve(app, context, users.list, () => listUsers(context))
  serve(app, context, users.create, ({ body, actor }) => createUser(context, body, actor))
  serve(app, context, users.update, async ({ params, body, actor, session, http }) => {
    const changed = await changeUser(context, params.id, body, actor)
    const signedOut = session && (await sessions.read(http.req.header('cookie'))) === null
    // Whoever changed their own password goes on in this tab alone.
    if (signedOut && changed.id === actor.id && changed.isActive) {
      const { cookie } = await sessions.start(actor.id)
      http.res.headers.delete('set-cookie')
      http.header('set-cookie', cookie, { append: true })
    }
    return changed
  })
  serve(app, context, users.remove, async ({ params, actor }) => {
    await removeUser(context, params.id, actor)
    return { success: true as const }
  })
  serve(app, context, users.unlock, ({ params, actor }) => openAccount(context, params.id, actor))
}
