/** Age at which a backup causes a warning. */
export const backupWarningDays = 14

/** Lines of the history that are shown. */
export const backupHistoryLines = 50

/** Weekly backups that are kept, unless configured otherwise. */
export const weeklyBackupsKept = 4

/** Daily files of the database that are kept. */
export const dailyBackupsKept = 14

/** When the weekly backup is due: well after Sunday's uploads. */
export const weeklyBackupTime = { weekday: 'Monday', time: '03:30', timeZone: 'Pacific/Auckland' } as const

/** Hours until a failed backup is retried. */
export const failedBackupRetryHours = 24
