import { church } from '../church.ts'

/** SPEC §9: the account that recordings are sent with. Its name never changes, its password does. */
export const sftpAccount = { username: 'uploads', passwordMinimum: 8 } as const

/** SPEC §9: open on Sundays from 11:00 AM to 2:00 PM by the clocks of Auckland, also on the days they change. */
export const uploadWindow = {
  weekday: 'Sunday',
  start: '11:00',
  end: '14:00',
  timeZone: church.timeZone,
  /** How long a file that is still arriving at the end may take. */
  graceMinutes: 15,
} as const

/** How long the server stays open when it was started by hand. */
export const manualSessionMinutes = 60

/** SPEC §9, file monitor: younger than this many minutes is green or yellow, anything older red. */
export const fileAgeMinutes = { green: 5, yellow: 60 } as const

/** SPEC §9 'Clean Old (1h+)': what it cleans, and how old a file must be. */
export const cleanUp = { olderThanMinutes: 60, directories: ['sftp-staging', 'uploads'] } as const

/** A file that was not sent to its end waits this long for the rest: until the next Sunday's window is over. */
export const partDays = 8

/** What keeps the open port from being misused. */
export const sftpGuards = {
  /** Wrong passwords in one connection. */
  triesPerConnection: 4,
  /** Wrong passwords from one address within `banMinutes`, after which it is shut out that long. */
  triesBeforeBan: 12,
  banMinutes: 30,
  /** From the connection to the right password. */
  handshakeSeconds: 30,
  /** Without any traffic. */
  idleMinutes: 10,
  sessions: 12,
  sessionsPerAddress: 6,
  /** Connections that have not signed in; of more, the oldest of the address goes. */
  strangers: 40,
  strangersPerAddress: 16,
  /** Key exchanges that begin at once after a quiet while, and a second from then on: guessers may have no more. */
  handshakesAtOnce: 8,
  handshakesPerSecond: 10,
  openFiles: 64,
  /** Never the last of the disk: the database lives there too. */
  reservedBytes: 256 * 1024 * 1024,
} as const
