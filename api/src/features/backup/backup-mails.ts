import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { church } from '@fellowship/schema/church'
import type { Context } from '../../context.ts'
import { mailer } from '../../machine/mail.ts'
import { activeAdministrators } from './backup.sql.ts'

/** Mails every active administrator that a backup failed, or that files are missing in it. A failure is only logged. */
export async function mailAdministrators(
  { sql, config, log }: Pick<Context, 'sql' | 'config' | 'log'>,
  sentence: string,
): Promise<void> {
  const mail = mailer(config, log)
  for (const { name, email } of await activeAdministrators(sql)) {
    const text = `Dear ${name},\n\n${sentence}\n\n${backupTexts.mailAdvice}\n\n${church.name}\n`
    await mail
      .send({ to: email, subject: backupTexts.mailSubject(church.name), text })
      .catch((error: unknown) => log.error({ err: error }, 'a mail about a backup could not be sent'))
  }
}
