/** The upload account. Its name never changes, its password does. */
export const sftpAccount = { username: 'uploads', passwordMinimum: 8 } as const

/** How long an upload in progress at the end of the window may still take. */
export const graceMinutes = 15

/** How long the server stays open when it was started manually. */
export const manualSessionMinutes = 60

/** File monitor: below these ages in minutes a file is green or yellow, above red. */
export const fileAgeMinutes = { green: 5, yellow: 60 } as const

/** 'Clean Old (1h+)': the folders it cleans, and the minimum age of a file. */
export const cleanUp = { olderThanMinutes: 60, directories: ['sftp-staging', 'uploads'] } as const

/** Minutes without a byte after which an incomplete file is judged like any other. Its sender can resume it later, too. */
export const resumeMinutes = 2

/** Protection of the open port. */
export const sftpGuards = {
  /** Wrong passwords per connection. */
  triesPerConnection: 4,
  /** Wrong passwords from one address within `banMinutes` until it is locked for that long. */
  triesBeforeBan: 12,
  banMinutes: 30,
  /** From the connection to the successful sign-in. */
  handshakeSeconds: 30,
  /** Idle timeout. */
  idleMinutes: 10,
  sessions: 12,
  sessionsPerAddress: 6,
  /** Connections without a sign-in; above it the oldest of the address is closed. */
  unauthenticated: 40,
  unauthenticatedPerAddress: 16,
  /** Key exchanges that may start at once, and per second after that: limits the CPU that guessers can use. */
  handshakesAtOnce: 8,
  handshakesPerSecond: 10,
  /** SFTP channels of one connection; files and folders open on one channel, and on all of the account. */
  channels: 4,
  openFiles: 64,
  openFilesInAll: 256,
  /** Files and folders that may wait in the account's folder. */
  entries: 2000,
  /** Free space to leave on the disk, which the database shares. */
  reservedBytes: 256 * 1024 * 1024,
} as const
