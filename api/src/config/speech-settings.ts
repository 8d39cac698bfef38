import path from 'node:path'
import type { Environment } from './env.ts'

/** The speech recogniser: a server with OpenAI's transcription API, a local program, or a model that our own program runs. */
export type SpeechSettings =
  | {
      readonly kind: 'address'
      readonly url: string
      readonly key: string | undefined
      readonly model: string
    }
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | { readonly kind: 'model'; readonly folder: string; readonly sha256: string }

const example = 'http://127.0.0.1:8080/v1/audio/transcriptions'

/**
 * Speech recognition; undefined if none is set. Adds a sentence to `mistakes` for each setting that is wrong, without
 * repeating the key.
 */
export function speechSettings(env: Environment, mistakes: string[]): SpeechSettings | undefined {
  const {
    SPEECH_URL: url,
    SPEECH_COMMAND: command,
    SPEECH_FOLDER: folder,
    SPEECH_KEY: key,
    SPEECH_MODEL: model,
  } = env
  // Sent in a header.
  if (key !== undefined && !/^[\x21-\x7e]{1,500}$/.test(key))
    mistakes.push(
      'SPEECH_KEY has a blank, or others than letters, digits and signs. Example: SPEECH_KEY=the-key-of-that-server',
    )
  if (model !== undefined && !/^[\w.:/-]{1,100}$/.test(model))
    mistakes.push(`SPEECH_MODEL is "${model}", which is no name of a model. Example: SPEECH_MODEL=whisper-1`)
  const set = Object.entries({ SPEECH_URL: url, SPEECH_COMMAND: command, SPEECH_FOLDER: folder })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
  if (set.length > 1) {
    mistakes.push(`${set.join(' and ')} are both set. Leave one of them away. Example: SPEECH_URL=${example}`)
    return undefined
  }
  if (folder !== undefined || env.SPEECH_SHA256 !== undefined)
    return modelSettings(folder, env.SPEECH_SHA256, mistakes)
  if (command !== undefined) {
    const words = command.split(/\s+/).filter(Boolean)
    if (words.includes('{file}')) return { kind: 'command', words }
    mistakes.push(
      `SPEECH_COMMAND is "${command}", which has no {file}. Example: SPEECH_COMMAND=/opt/whisper/to-vtt {file}`,
    )
    return undefined
  }
  if (url === undefined) return undefined
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed && /^https?:$/.test(parsed.protocol) && !parsed.username)
    return { kind: 'address', url: parsed.href, key, model: model ?? 'whisper-1' }
  mistakes.push(
    `SPEECH_URL is "${url}"; it must be http:// or https:// and the whole address of the call. Example: SPEECH_URL=${example}`,
  )
  return undefined
}

function modelSettings(
  folder: string | undefined,
  sha256: string | undefined,
  mistakes: string[],
): SpeechSettings | undefined {
  const sample = `SPEECH_FOLDER=/opt/models/whisper-base.en`
  if (folder === undefined) mistakes.push(`SPEECH_SHA256 is set without SPEECH_FOLDER. Example: ${sample}`)
  else if (!path.isAbsolute(folder))
    mistakes.push(`SPEECH_FOLDER is "${folder}", which does not begin at the root. Example: ${sample}`)
  else if (!/^[\da-f]{64}$/i.test(sha256 ?? ''))
    mistakes.push(
      `SPEECH_FOLDER needs SPEECH_SHA256, the hash of its files in 64 digits, as LC_ALL=C sh -c 'cat ${folder}/* | sha256sum' prints it. Example: SPEECH_SHA256=${'9f86d081'.repeat(8)}`,
    )
  else return { kind: 'model', folder, sha256: sha256!.toLowerCase() }
  return undefined
}
