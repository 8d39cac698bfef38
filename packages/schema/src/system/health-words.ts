import { backupWarningDays } from '../backup/backup.limits.ts'
import { church, churchFormat } from '../church.ts'
import type { CopyStatus } from '../copies/copies.contract.ts'
import { counted, gigabytes } from '../counted.ts'
import { daysBetween, daysSince, plainDateAt } from '../dates.ts'
import { nameOfTeaching } from '../teachings/shown-title.ts'
import type { Teaching } from '../teachings/teachings.schema.ts'
import { dueWords, roughTime, type SweepName } from './age-sweeps.ts'
import { lineOf, type HealthLine } from './system.contract.ts'

/** Measurements of the server that the health list is made from. */
interface HealthFacts {
  readonly now: Date
  /** Date of the newest teaching, YYYY-MM-DD. */
  readonly lastTeaching: string | null
  readonly lastBackup: Date | null
  readonly recordings: RecordingHealth
  /** Removals by age that stopped, and a jump of the clock in seconds, that wait for an administrator. */
  readonly sweeps: {
    readonly held: readonly { name: SweepName; due: number; total: number }[]
    readonly jumpedBy: number | null
    /** The state of the clock that decides ages: the database's, which may be on another machine. */
    readonly now: Date
  }
  readonly copies: Pick<CopyStatus, 'paused' | 'total' | 'done' | 'copies' | 'waitingForFfmpeg' | 'failed'>
  readonly freeBytes: number
  /** Duration of a query, in milliseconds. */
  readonly databaseMs: number
  readonly databaseVersion: string
  readonly smtp: boolean
  /** The error when the mail server last refused a mail. */
  readonly mailFailure: string | null
  /** Emails written to the folder instead. */
  readonly outgoing: number
  readonly weeklyBackup: boolean
  readonly sftp: {
    /** Why it could not be opened. */
    readonly failure: string | null
    readonly running: boolean
    readonly nextWindow: Date
    /** Recordings that wait for a person. */
    readonly inbox: number
  }
}

/** State of the files of the library's recordings. */
export interface RecordingHealth {
  readonly recordings: number
  /** Number of recordings whose bytes were compared with their hash in the last four weeks. */
  readonly compared: number
  readonly faulty: readonly (Pick<Teaching, 'title' | 'scriptureReference' | 'speaker' | 'date'> & {
    readonly fault: 'missing' | 'damaged'
  })[]
}

/** Free bytes below which the disk counts as short, and as nearly full. */
const freeBytesLimits = { attention: 10e9, bad: 1e9 } as const
/** Days without a new teaching until a reminder. */
const quietDays = 14

/** The health list in plain sentences. */
export const healthLines = (facts: HealthFacts): HealthLine[] => [
  teachingLine(facts),
  recordingLine(facts),
  copyLine(facts),
  backupLine(facts),
  diskLine(facts),
  databaseLine(facts),
  mailLine(facts),
  scheduleLine(facts),
  ...sweepLines(facts),
  sftpLine(facts),
]

function teachingLine({ lastTeaching, now }: HealthFacts): HealthLine {
  const line = lineOf('teaching', 'Last teaching')
  if (lastTeaching === null) {
    return line.attention('The library is empty.', 'Upload the first teaching on the Teaching page.')
  }
  const days = daysBetween(lastTeaching, plainDateAt(now, church().timeZone))
  const sentence = `The newest one is ${ago(days)}.`
  if (days <= quietDays) return line.good(sentence)
  return line.attention(
    sentence,
    'If there was a service since, upload its recording, or check the Inbox for one that was refused.',
  )
}

function recordingLine({ recordings: { recordings, compared, faulty } }: HealthFacts): HealthLine {
  const line = lineOf('recordings', 'Recordings')
  if (faulty.length === 0) {
    const all =
      recordings === 1 ? 'The file of the one recording is' : `The files of all ${recordings} recordings are`
    const sentence =
      recordings === 0
        ? 'There are no recordings yet.'
        : `${all} there; ${compared} ${compared === 1 ? 'was' : 'were'} compared with the checksum in the last four weeks.`
    return line.good(sentence)
  }
  const { sentence, advice } = faultyWords(faulty)
  return line.bad(sentence, advice)
}

/** The damaged or missing recordings, and the remedy. */
export function faultyWords(faulty: RecordingHealth['faulty']): { sentence: string; advice: string } {
  const counts = (['damaged', 'missing'] as const).flatMap((fault) => {
    const count = faulty.filter((one) => one.fault === fault).length
    return count === 0 ? [] : [`${counted(count, 'recording')} ${count === 1 ? 'is' : 'are'} ${fault}`]
  })
  const named = faulty.slice(0, mostNamed).map(nameOfTeaching)
  const more = faulty.length - named.length
  return {
    sentence: `${counts.join(', ')}: send ${faulty.length === 1 ? 'it' : 'them'} again.`,
    advice:
      'On the Teaching page edit the teaching, choose the same recording as Replacement audio and update, ' +
      `or let the sound desk send its file again: ` +
      `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}. Where the original is lost, take it from a backup.`,
  }
}

/** Teachings that one line names. */
const mostNamed = 5

function copyLine({ copies }: HealthFacts): HealthLine {
  const { paused, total, done, failed, waitingForFfmpeg } = copies
  const line = lineOf('copies', 'Small copies')
  const waiting =
    waitingForFfmpeg > 0
      ? ` Waiting for ffmpeg to be installed on the server: ${counted(waitingForFfmpeg, 'M4A recording')}.`
      : ''
  const sentence = `${copyProgress(copies)}${waiting}`
  if (failed.length > 0) {
    const named = failed.slice(0, mostNamed).map((each) => `${nameOfTeaching(each)} (${each.why})`)
    const advice = `These have no small copy, and are played as they are: ${named.join('; ')}. Try them again under Small copies.`
    return line.attention(sentence, advice)
  }
  if (paused && done < total) {
    return line.attention(`${sentence} They are paused.`, 'Continue them under Small copies.')
  }
  return line.good(sentence)
}

function copyProgress({ total, done, copies }: HealthFacts['copies']): string {
  if (total === 0) return 'There are no recordings yet.'
  if (done < total) return `${done} of ${total} done.`
  if (total === 1)
    return `The one recording was looked at; it ${copies === 1 ? 'has a' : 'needs no'} small copy.`
  return `All ${total} recordings were looked at; ${copies} of them ${copies === 1 ? 'has' : 'have'} a small copy.`
}

function backupLine({ lastBackup, now }: HealthFacts): HealthLine {
  const line = lineOf('backup', 'Backup')
  const advice = 'Make one in the Backup tab, and keep it somewhere else than the server.'
  if (!lastBackup) return line.bad('There is no complete backup yet.', advice)
  const days = daysSince(lastBackup, now, church().timeZone)
  const sentence = `The last complete one is ${ago(days)}.`
  return days > backupWarningDays ? line.bad(sentence, advice) : line.good(sentence)
}

function diskLine({ freeBytes }: HealthFacts): HealthLine {
  const line = lineOf('disk', 'Disk')
  const sentence = `${gigabytes(freeBytes)} are free.`
  if (freeBytes >= freeBytesLimits.attention) return line.good(sentence)
  const advice = 'Delete orphaned files below, or ask whoever runs the server for a larger disk.'
  return freeBytes < freeBytesLimits.bad ? line.bad(sentence, advice) : line.attention(sentence, advice)
}

function databaseLine({ databaseMs, databaseVersion }: HealthFacts): HealthLine {
  const line = lineOf('database', 'Database')
  const answers = `PostgreSQL ${databaseVersion} answers`
  if (databaseMs <= 500) return line.good(`${answers}.`)
  return line.attention(
    `${answers} slowly (${Math.round(databaseMs)} ms).`,
    'If it stays like this for minutes, have someone check the server’s load.',
  )
}

function mailLine({ smtp, mailFailure, outgoing }: HealthFacts): HealthLine {
  const line = lineOf('mail', 'Mail')
  if (mailFailure !== null)
    return line.bad(
      `The mail server takes no mails: ${mailFailure}`,
      'Check SMTP_URL on the server and start it again. Until then nobody can reset a forgotten password.',
    )
  if (smtp) return line.good('Mails are sent by a mail server.')
  return line.attention(
    `No mail server is set up; ${outgoing} ${outgoing === 1 ? 'mail lies' : 'mails lie'} in the folder “outgoing”.`,
    'Set SMTP_URL on the server, or people cannot reset a forgotten password.',
  )
}

function scheduleLine({ weeklyBackup }: HealthFacts): HealthLine {
  const line = lineOf('schedules', 'Schedules')
  const cleaning = 'The regular cleaning runs every hour.'
  return weeklyBackup
    ? line.good(`${cleaning} The weekly backup is set up.`)
    : line.attention(
        `${cleaning} There is no weekly backup.`,
        'Set BACKUP_DIR on the server to have one made every week.',
      )
}

/** Present only if removals by age stopped. */
function sweepLines({ sweeps: { held, jumpedBy, now } }: HealthFacts): HealthLine[] {
  if (held.length === 0 && jumpedBy === null) return []
  const due = held.map(dueWords).join(', ')
  const jump =
    jumpedBy === null
      ? ''
      : `The server’s clock was set ${jumpedBy > 0 ? 'forward' : 'back'} by ${roughTime(jumpedBy)}, so nothing is removed because of its age. `
  const line = lineOf('sweeps', 'Removal by age').attention(
    `${jump}${due === '' ? 'Nothing is due at present.' : `${due} would be removed now.`}`,
    `The server says it is ${momentWords(now)}. If that is right, and what is due may go, press Go on: it is removed within the hour. Bring back or publish first what should stay.`,
  )
  return [{ ...line, action: 'go_on' }]
}

const moment = churchFormat({ dateStyle: 'full', timeStyle: 'short' })
const momentWords = (at: Date) => withCapitals(moment().format(at))

/** Halves of a day as the service time is written; New Zealand's locale has them in lower case. */
const withCapitals = (words: string) => words.replace(/\b[ap]m$/, (half) => half.toUpperCase())

function sftpLine({ sftp: { failure, running, nextWindow, inbox } }: HealthFacts): HealthLine {
  const line = lineOf('sftp', 'Sound desk')
  if (failure !== null) {
    return line.bad(failure, 'Look at it under SFTP Automation.')
  }
  const window = running
    ? 'The SFTP window is open.'
    : `The SFTP window next opens ${withCapitals(windowTime().format(nextWindow))}.`
  if (inbox === 0) return line.good(window)
  const waiting = `${inbox} ${inbox === 1 ? 'recording waits' : 'recordings wait'} in the Inbox.`
  const advice = 'Correct and publish, or delete, what waits there: under SFTP Automation.'
  return line.attention(`${window} ${waiting}`, advice)
}

const windowTime = churchFormat({
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  hour: 'numeric',
  minute: '2-digit',
})

const ago = (days: number) => (days <= 0 ? 'from today' : days === 1 ? 'from yesterday' : `${days} days old`)
