/** A backup older than this is warned of. */
export const backupWarningDays = 14

/** Lines of the history that are shown. */
export const backupHistoryLines = 50

/** Copies that the weekly backup keeps, unless it is told another number. */
export const weeklyBackupsKept = 4

/** When the weekly backup is due: well after Sunday's uploads. */
export const weeklyBackupTime = { weekday: 'Monday', time: '03:30', timeZone: 'Pacific/Auckland' } as const

/** One that failed is tried again after so many hours. */
export const failedBackupRetryHours = 24
