import { spawn } from 'node:child_process'
import { openAsBlob } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { setPriority } from 'node:os'
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { HeardPiece } from '@fellowship/schema/speech/heard-text'
import { speechLimits as limits } from '@fellowship/schema/speech/speech.limits'
import type { SpeechSettings } from '../../config/speech-settings.ts'
import { helperProgram } from '../process/helper-worker.ts'
import { limitedCommand } from '../process/limited-command.ts'
import { environmentOfHelpers } from '../process/processes.ts'

/** A part of a recording to hear. */
interface SpeechRequest {
  /** A WAV of `speechRate`, one channel, 16 bits. */
  readonly file: string
  readonly seconds: number
  /** Names and words that occur in it. */
  readonly hint: string
  /** BCP 47. */
  readonly language: string
}

export interface HeardSpeech {
  /** As it was answered: a name in English or a code; empty if it was not. */
  readonly language: string
  readonly pieces: readonly HeardPiece[]
}

/** Thrown if the machine gave an answer that another try would not change. */
export class UselessSpeech extends Error {}

interface HearingOptions {
  readonly gone: AbortSignal
  /** Reads what a command prints, as a caption file. */
  readonly captions: (bytes: Buffer) => HeardPiece[]
  readonly waitMs?: number | undefined
}

const longestWait = (seconds: number) => 1000 * (limits.waitSeconds + limits.waitPerSecond * seconds)

/**
 * Hears a part of a recording.
 *
 * @throws UselessSpeech, or Error if another try may succeed
 */
export function hearSpeech(
  settings: SpeechSettings,
  request: SpeechRequest,
  { gone, captions, waitMs = longestWait(request.seconds) }: HearingOptions,
): Promise<HeardSpeech> {
  const late = AbortSignal.timeout(waitMs)
  const ended = AbortSignal.any([gone, late])
  const work =
    settings.kind === 'address'
      ? askAddress(settings, request, ended)
      : runProgram(settings, request, ended).then((bytes) => ({ language: '', pieces: captions(bytes) }))
  return work.catch((error: unknown) => {
    if (late.aborted && !gone.aborted)
      throw new Error(`There was no answer within ${Math.ceil(waitMs / 60_000)} minutes.`)
    throw error
  })
}

/** Seconds that are no number, or negative, come from servers that count wrongly. */
const second = z.number().min(0).max(limits.recordingSeconds)

/** The answer to `verbose_json`: https://platform.openai.com/docs/api-reference/audio/verbose-json-object */
const verboseAnswer = z.object({
  language: z.string().max(100).default(''),
  segments: z
    .array(
      z.object({
        start: second,
        end: second,
        text: z.string().max(5_000),
        no_speech_prob: z.number().optional(),
        avg_logprob: z.number().optional(),
      }),
    )
    .max(20_000),
})

async function askAddress(
  { url, key, model }: Extract<SpeechSettings, { kind: 'address' }>,
  { file, hint, language }: SpeechRequest,
  signal: AbortSignal,
): Promise<HeardSpeech> {
  const form = new FormData()
  form.set('file', await openAsBlob(file, { type: 'audio/wav' }), 'speech.wav')
  form.set('model', model)
  form.set('response_format', 'verbose_json')
  form.set('language', language.split('-')[0]!)
  if (hint !== '') form.set('prompt', hint)
  const body = new Response(form)
  const headers = {
    'content-type': body.headers.get('content-type')!,
    accept: 'application/json',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  }
  const { status, text } = await post(url, headers, Readable.fromWeb(body.body as never), signal)
  if (status !== 200) throw new Error(`The address answered with status ${status}.`)
  const answer = verboseAnswer.safeParse(jsonOf(text))
  if (!answer.success)
    throw new UselessSpeech('The answer has no segments with times. The address has to know verbose_json.')
  return {
    language: answer.data.language,
    pieces: answer.data.segments.filter((segment) => !isSilence(segment)),
  }
}

/** The rule of Whisper's own transcription, with its defaults: https://github.com/openai/whisper (transcribe.py) */
const isSilence = ({ no_speech_prob: none = 0, avg_logprob: sure = 0 }) => none > 0.6 && sure < -1

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Without the time limit for headers that `fetch` has: an answer may take an hour. */
function post(
  url: string,
  headers: Record<string, string>,
  body: Readable,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const request = send(url, { method: 'POST', headers, signal }, (response) => {
      const parts: Buffer[] = []
      let bytes = 0
      response.on('data', (part: Buffer) => {
        bytes += part.length
        if (bytes > limits.answerBytes) request.destroy(new UselessSpeech('The answer is larger than 2 MB.'))
        else parts.push(part)
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }),
      )
      response.on('error', reject)
    })
    request.on('error', reject)
    body.on('error', (error) => request.destroy(error))
    body.pipe(request)
  })
}

/** Our own program for a folder with a model. */
function wordsOfModel({ folder, sha256 }: Extract<SpeechSettings, { kind: 'model' }>): string[] {
  const { file, execArgv } = helperProgram(import.meta.dirname, 'speech-model')
  return [process.execPath, ...execArgv, file, folder, sha256, '{file}', '{language}']
}

/** Memory of a local program with a large model, in megabytes. */
const commandMegabytes = 8 * 1024

/** Runs a program without a shell, at the lowest priority; it prints a caption file. */
function runProgram(
  settings: Exclude<SpeechSettings, { kind: 'address' }>,
  { file, seconds, hint, language }: SpeechRequest,
  signal: AbortSignal,
): Promise<Buffer> {
  const words = settings.kind === 'command' ? settings.words : wordsOfModel(settings)
  const what = settings.kind
  const values: Record<string, string> = { '{file}': file, '{hint}': hint, '{language}': language }
  const [program, ...args] = words.map((word) =>
    word.replaceAll(/\{(?:file|hint|language)\}/g, (name) => values[name]!),
  )
  // Its processor time on several cores.
  const cpuSeconds = Math.ceil(8 * (limits.waitSeconds + limits.waitPerSecond * seconds))
  const command = limitedCommand(program!, args, {
    megabytes: commandMegabytes,
    cpuSeconds,
    endsWithInput: true,
  })
  return new Promise((resolve, reject) => {
    // A group of its own, so that its children end with it.
    const child = spawn(...command, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: environmentOfHelpers(),
      detached: true,
    })
    const parts: Buffer[] = []
    let bytes = 0
    let complaint = ''
    let isEnded = false
    const end = (error: Error) => {
      if (isEnded) return
      isEnded = true
      child.stdout.destroy()
      killGroup(child.pid)
      reject(error)
    }
    const onAbort = () => end(new Error(`The ${what} was ended.`))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > limits.answerBytes) end(new UselessSpeech(`The ${what} printed more than 2 MB.`))
      else parts.push(part)
    })
    child.stderr.on('data', (text: Buffer) => (complaint = (complaint + text.toString()).slice(-300)))
    child.stdin.on('error', () => undefined)
    child.once('spawn', () => lower(child.pid))
    child.once('error', end)
    child.once('close', (code) => {
      signal.removeEventListener('abort', onAbort)
      if (code === 0) resolve(Buffer.concat(parts))
      else reject(new Error(`The ${what} ended with ${code ?? 'a signal'}: ${complaint.trim()}`))
    })
  })
}

function lower(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, 19)
  } catch {
    // It has ended already, or the system has no priorities.
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
