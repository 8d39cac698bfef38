import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { sftpTexts as texts } from '@fellowship/schema/sftp/sftp.texts'
import type { Context } from '../../context.ts'
import { serve, type App, type Http } from '../../http/serve.ts'
import { monitorFiles, cleanOld } from './monitor.ts'
import {
  changePassword,
  clearUpload,
  sftpStatus,
  showCredentials,
  startByHand,
  stopByHand,
  unban,
} from './sftp.ts'

export function mountSftp(app: App, context: Context): void {
  serve(app, context, sftp.status, ({ http }) => sftpStatus(context, hostOf(context, http)))

  serve(app, context, sftp.start, async ({ actor }) => done(await startByHand(context, actor)))

  serve(app, context, sftp.stop, async ({ actor }) => done(await stopByHand(context, actor)))

  serve(app, context, sftp.clearUpload, async ({ actor }) => {
    await clearUpload(context, actor)
    return done(texts.uploadCleared)
  })

  serve(app, context, sftp.credentials, ({ actor, http }) =>
    showCredentials(context, actor, hostOf(context, http)),
  )

  serve(app, context, sftp.changePassword, async ({ actor, body }) => {
    await changePassword(context, actor, body.newPassword)
    return done(texts.passwordChanged)
  })

  serve(app, context, sftp.monitor, () => monitorFiles(context))

  serve(app, context, sftp.cleanup, async ({ actor, body }) => {
    const cleaned = await cleanOld(context, actor, body)
    return { ...done(texts.cleaned(cleaned.deleted.length, cleaned.kept)), ...cleaned }
  })

  serve(app, context, sftp.unban, async ({ actor, body }) => {
    await unban(context, actor, body.address)
    return done(texts.unbanned)
  })
}

/** The host name under which the browser reached this site. */
const hostOf = ({ config }: Context, http: Http) => new URL(config.publicUrl ?? http.req.url).hostname

const done = (message: string) => ({ success: true as const, message })
