// Prints what pocketsphinx hears in a WAV as VTT, one cue per utterance with the times of its words: for SPEECH_COMMAND.
import { execFileSync } from 'node:child_process'

const [, , file] = process.argv
const printed = execFileSync('pocketsphinx_continuous', ['-infile', file, '-time', 'yes'], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
})
console.log('WEBVTT\n')
for (const line of printed.split('\n')) {
  // A word with its start, end and confidence; a number in brackets names another pronunciation.
  const [, word, start, end] = /^([a-z']+)(?:\(\d\))? ([\d.]+) ([\d.]+) [\d.]+$/.exec(line) ?? []
  if (word === undefined || start === undefined || end === undefined) continue
  console.log(`${clock(Number(start))} --> ${clock(Number(end))}\n${word}\n`)
}

function clock(seconds) {
  const milliseconds = Math.round(seconds * 1000)
  const part = (value, length) => String(Math.floor(value)).padStart(length, '0')
  const rest = part(milliseconds % 1000, 3)
  return `${part(milliseconds / 3_600_000, 2)}:${part((milliseconds / 60_000) % 60, 2)}:${part((milliseconds / 1000) % 60, 2)}.${rest}`
}
