import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { church } from '@fellowship/schema/church'
import type { Context } from '../../context.ts'
import { activeAdministrators } from './backup.sql.ts'

type Mailing = Pick<Context, 'sql' | 'mail' | 'log'>

/** Mails every active administrator that a backup failed, or that files are missing in it. A failure is only logged. */
export async function mailBackupFault(context: Mailing, sentence: string): Promise<void> {
  const subject = backupTexts.mailSubject(church.name)
  await mailAdministrators(context, { subject, paragraphs: [sentence, backupTexts.mailAdvice] })
}

/**
 * Mails every active administrator. A failure is only logged.
 *
 * @returns how many mails were sent
 */
export async function mailAdministrators(
  { sql, mail, log }: Mailing,
  { subject, paragraphs }: { subject: string; paragraphs: readonly string[] },
): Promise<number> {
  let sent = 0
  for (const { name, email } of await activeAdministrators(sql)) {
    const text = [`Dear ${name},`, ...paragraphs, `${church.name}\n`].join('\n\n')
    await mail.send({ to: email, subject, text }).then(
      () => (sent += 1),
      (error: unknown) => log.error({ err: error, subject }, 'a mail to an administrator could not be sent'),
    )
  }
  return sent
}
