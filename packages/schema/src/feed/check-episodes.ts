import { lineOf, type HealthLine } from '../system/system.contract.ts'
import { type EpisodeFacts, answered } from './check-show.ts'

/** Checks of the episodes; a single line for a feed without any. */
export function checkEpisodes(episodes: readonly EpisodeFacts[]): HealthLine[] {
  if (episodes.length === 0) return [noEpisodes]
  return [
    countLine(episodes),
    wordsLine(episodes),
    recordingsLine(episodes),
    filesLine(episodes),
    seekingLine(episodes),
    durationsLine(episodes),
  ]
}

const episodesLine = lineOf('episodes', 'Episodes')

const noEpisodes = episodesLine.bad(
  'There is no episode yet, and directories accept no empty podcast.',
  'Publish a teaching with an MP3 or M4A recording. WAV recordings are left out: no directory accepts them.',
)

function countLine(episodes: readonly EpisodeFacts[]): HealthLine {
  const count = episodes.length === 1 ? 'One episode' : `${episodes.length.toLocaleString('en')} episodes`
  return episodesLine.good(`${count}; the first is ${quote(episodes[0]!)}.`)
}

function wordsLine(episodes: readonly EpisodeFacts[]): HealthLine {
  return healthOf(episodes, {
    line: lineOf('words', 'Titles, dates and identifiers'),
    rules: [
      ['without a title', ({ title }) => title.trim() === ''],
      ['without an identifier of its own', repeated(episodes, 'guid')],
      ['without a valid date', ({ pubDate }) => !isMailDate(pubDate)],
    ],
    advice: 'Edit the teaching and fill in what is missing.',
    good: 'Each episode has a title, a date and an identifier of its own.',
  })
}

function recordingsLine(episodes: readonly EpisodeFacts[]): HealthLine {
  return healthOf(episodes, {
    line: lineOf('recordings', 'Recordings'),
    rules: [
      ['without the address of a recording', ({ url }) => url === ''],
      ['with the address of another’s recording', (one) => one.url !== '' && repeated(episodes, 'url')(one)],
      ['of a kind that directories do not take', ({ url, type }) => url !== '' && !isTaken(url, type)],
      ['without the length of its recording', ({ length }) => !/^[1-9]\d*$/.test(length)],
    ],
    advice: again,
    good: 'Each episode names its recording, with type and size.',
  })
}

function filesLine(episodes: readonly EpisodeFacts[]): HealthLine {
  return healthOf(episodes, {
    line: lineOf('files', 'Files'),
    rules: [
      ...[...new Set(episodes.map(({ answer }) => answer.status))]
        .filter((status) => status !== 200)
        .map((wanted): Rule => [
          `whose recording ${answered(wanted)}`,
          ({ answer }) => answer.status === wanted,
        ]),
      [
        'whose recording has another length than the feed says',
        ({ answer, length }) => answer.status === 200 && answer.length !== length,
      ],
    ],
    advice: again,
    good: 'Every recording can be downloaded, with the size that the feed says.',
  })
}

function seekingLine(episodes: readonly EpisodeFacts[]): HealthLine {
  return healthOf(
    episodes.filter(({ answer, rangeStatus }) => answer.status === 200 && rangeStatus !== undefined),
    {
      line: lineOf('seeking', 'Jumping'),
      rules: [['of which no part can be fetched', ({ rangeStatus }) => rangeStatus !== 206]],
      advice: 'Ask whoever runs the server to let its proxy forward Range requests.',
      good: 'Players can jump to any minute: parts of a recording can be fetched.',
    },
  )
}

function durationsLine(episodes: readonly EpisodeFacts[]): HealthLine {
  return healthOf(episodes, {
    line: lineOf('durations', 'Durations'),
    rules: [['without its duration', ({ duration }) => !/^[1-9]\d*$/.test(duration)]],
    advice:
      'Apps show no length until the recording is opened. Upload the recording again to have it measured.',
    good: 'Each episode says how long it is.',
    state: 'attention',
  })
}

const again = 'Edit the teaching in the library and upload its recording again, as MP3 or M4A.'

type Rule = readonly [which: string, breaks: (episode: EpisodeFacts) => boolean]

interface EpisodeCheck {
  line: ReturnType<typeof lineOf>
  rules: readonly Rule[]
  advice: string
  good: string
  /** The state if a rule is broken. */
  state?: 'bad' | 'attention'
}

function healthOf(episodes: readonly EpisodeFacts[], check: EpisodeCheck): HealthLine {
  const { line, rules, advice, good, state = 'bad' } = check
  const sentences = rules.flatMap(([which, breaks]) => {
    const found = episodes.filter(breaks)
    if (found.length === 0) return []
    const count = found.length === 1 ? 'One episode' : `${found.length} episodes`
    return [`${count} ${which}: ${someOf(found)}.`]
  })
  return sentences.length > 0 ? line[state](sentences.join(' '), advice) : line.good(good)
}

const mostNamed = 3

function someOf(episodes: readonly EpisodeFacts[]): string {
  const named = episodes.slice(0, mostNamed).map(quote).join(', ')
  const rest = episodes.length - mostNamed
  return rest > 0 ? `${named} and ${rest} more` : named
}

const quote = ({ title }: EpisodeFacts) => (title.trim() === '' ? 'one without a title' : `“${title}”`)

/** Whether an episode has no value, or the same as another one. */
function repeated(
  episodes: readonly EpisodeFacts[],
  key: 'guid' | 'url',
): (episode: EpisodeFacts) => boolean {
  const counts = new Map<string, number>()
  for (const episode of episodes) counts.set(episode[key], (counts.get(episode[key]) ?? 0) + 1)
  return (episode) => episode[key] === '' || counts.get(episode[key])! > 1
}

/** Directories go by the extension in the URL; the type must match it. */
const isTaken = (url: string, type: string): boolean =>
  kinds.some(({ ending, types }) => url.endsWith(ending) && types.includes(type))
const kinds = [
  { ending: '.mp3', types: ['audio/mpeg'] },
  { ending: '.m4a', types: ['audio/x-m4a', 'audio/mp4'] },
]

/** RFC 2822: 'Sun, 22 Nov 2026 10:00:00 +1300'. */
const isMailDate = (text: string): boolean =>
  /^[A-Z][a-z]{2}, \d\d? [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:[+-]\d{4}|GMT)$/.test(text) &&
  !Number.isNaN(Date.parse(text))
