import { users } from '@fellowship/schema/users/users.contract'
import type { Context } from '../../context.ts'
import { serve, type App } from '../../http/serve.ts'
import { changeUser, createUser, listUsers, unlockAccount, removeUser } from './users.ts'

export function mountUsers(app: App, context: Context): void {
  serve(app, context, users.list, () => listUsers(context))
  serve(app, context, users.create, ({ body, actor }) => createUser(context, body, actor))
  serve(app, context, users.update, async ({ params, body, actor, session, http }) => {
    const { changed, cookie } = await changeUser(context, params.id, body, actor, session!)
    if (cookie) {
      http.res.headers.delete('set-cookie')
      http.header('set-cookie', cookie, { append: true })
    }
    return changed
  })
  serve(app, context, users.remove, async ({ params, actor }) => {
    await removeUser(context, params.id, actor)
    return { success: true as const }
  })
  serve(app, context, users.unlock, ({ params, actor }) => unlockAccount(context, params.id, actor))
}
