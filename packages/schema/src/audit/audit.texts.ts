/** Messages of the audit log. */
export const auditTexts = {
  loadFailed: 'The log could not be loaded',
  none: 'Nothing has been recorded yet',
  noneFound: 'Nothing matches this filter',
} as const

/** What was done, between the person's name and the subject: 'Ruth uploaded a photo for Tom Harris'. */
export const auditActions: Readonly<Record<string, string>> = {
  'audio.cleaned_up': 'cleaned up',
  'audio.mended': 'mended the damaged recording of',
  'backup.restored': 'restored the backup of',
  'backup.started': 'started the backup',
  'elder.created': 'added the elder',
  'elder.deleted': 'deleted the elder',
  'elder.photo_uploaded': 'uploaded a photo for',
  'elder.updated': 'updated the elder',
  'inbox.deleted': 'deleted from the Inbox',
  'inbox.published': 'published from the Inbox',
  'process.ended': 'ended the process',
  'sftp.cleaned': 'cleaned up the folders',
  'sftp.password_changed': 'changed the SFTP password of',
  'sftp.password_renewed': 'renewed the SFTP password of',
  'sftp.password_shown': 'viewed the SFTP password of',
  'sftp.started': 'opened the SFTP server for',
  'sftp.stopped': 'closed the SFTP server for',
  'sftp.unbanned': 'unlocked the address',
  'sftp.upload_cleared': 'cleared the upload record of',
  'sweep.continued': 'let the removal by age go on for',
  'teaching.deleted': 'deleted the teaching',
  'teaching.edited': 'edited the teaching',
  'teaching.restored': 'restored the teaching',
  'teaching.uploaded': 'uploaded the teaching',
  'user.created': 'added the user',
  'user.deleted': 'deleted the user',
  'user.password_reset': 'reset the password of',
  'user.unlocked': 'unlocked the user',
  'user.updated': 'updated the user',
}
