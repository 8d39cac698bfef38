import { expect, test } from 'vitest'
import { auditActions } from '@fellowship/schema/audit/audit.texts'
import { contract } from '@fellowship/schema/contract'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'

/** The entries that each call writes to the activity log, or `-` with the reason why it writes none. */
const expected = `
auth.login               sessions.started sessions.refused
auth.register            user.registered
auth.logout              - ends the caller's own session
auth.forgotPassword      - sends a mail; the use of its link has an entry
auth.resetPassword       user.password_reset
auth.verifyEmail         - confirms the caller's own address
teachings.update         teaching.edited
teachings.remove         teaching.deleted
teachings.undoRemove     teaching.restored
elders.create            elder.created
elders.update            elder.updated
elders.remove            elder.deleted
elders.photo             elder.photo_uploaded
uploads.smartUpload      teaching.uploaded
uploads.finalize         teaching.uploaded teaching.edited
system.goOn              sweep.continued
users.create             user.created
users.update             user.updated
users.remove             user.deleted
users.unlock             user.unlocked
sftp.start               sftp.started
sftp.stop                sftp.stopped
sftp.clearUpload         sftp.upload_cleared
sftp.credentials         sftp.password_shown
sftp.changePassword      sftp.password_changed
sftp.cleanup             sftp.cleaned
sftp.unban               sftp.unbanned
inbox.publish            inbox.published
inbox.remove             inbox.deleted
backup.createManual      backup.started
backup.prepare           backup.started
audio.cleanup            audio.cleaned_up
handouts.add             handout.added
handouts.remove          handout.removed
copies.change            copies.paused copies.continued copies.put_into_backups copies.left_out_of_backups
copies.retry             copies.retried
copies.trim              teaching.edited
copies.untrim            teaching.edited
bin.restore              teaching.restored
site.update              site.updated
site.logo                site.updated
site.picture             site.updated
series.create            series.created
series.update            series.edited
series.picture           series.picture_changed
series.removePicture     series.picture_removed
series.remove            series.deleted
series.undoRemove        series.restored
series.restore           series.restored
listening.send           - a person's own listening, which others do not see
listening.push           - a person's own listening, which others do not see
listening.choose         listening.turned_on listening.turned_off listening.deleted
push.subscribe           - a device without an account, of which nothing is known
push.unsubscribe         - a device without an account, of which nothing is known
events.create            event.created
events.update            event.updated
events.remove            event.deleted
events.restore           event.restored
notices.create           notice.created
notices.update           notice.updated
notices.remove           notice.deleted
notices.restore          notice.restored
imports.create           - a dry run, which writes nothing
imports.upload           - a dry run, which writes nothing
imports.confirm          import.confirmed
imports.pause            - ends nothing; the import continues later
imports.undo             import.undone
pages.create             page.created
pages.update             page.updated
pages.remove             page.deleted
pages.picture            page.updated
pages.removePicture      page.updated
pages.restore            page.restored
transcripts.save         transcript.saved
transcripts.approve      transcript.approved
transcripts.remove       transcript.deleted
transcripts.restore      transcript.restored
speech.change            speech.paused speech.continued speech.words_changed
speech.retry             speech.retried
`

const lines = expected
  .trim()
  .split('\n')
  .map((line) => {
    const [call = '', ...rest] = line.split(/\s+/)
    return {
      call,
      reason: rest[0] === '-' ? rest.slice(1).join(' ') : '',
      actions: rest[0] === '-' ? [] : rest,
    }
  })

test('every changing call has its audit entry or a reason', () => {
  const changing = Object.entries(contract).flatMap(([feature, calls]) =>
    Object.entries<AnyEndpoint>(calls).flatMap(([name, { changes }]) =>
      changes ? [`${feature}.${name}`] : [],
    ),
  )
  expect(lines.map(({ call }) => call)).toEqual(changing)
  expect(lines.filter(({ actions, reason }) => actions.length === 0 && reason === '')).toEqual([])
})

test('audit entries of calls are known actions', () => {
  const actions = lines.flatMap((line) => line.actions)
  expect(actions.filter((action) => auditActions[action] === undefined)).toEqual([])
})

test('only named calls change nothing despite their method', () => {
  const harmless = Object.entries(contract).flatMap(([feature, calls]) =>
    Object.entries<AnyEndpoint>(calls).flatMap(([name, { changes, method }]) =>
      !changes && method !== 'GET' ? [`${feature}.${name}`] : [],
    ),
  )
  expect(harmless).toEqual(['uploads.parseFilename', 'uploads.checkDuplicate'])
})
