import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { useId, useMemo, useState } from 'react'
import { usePrefersSmall } from '../data-choices.ts'
import { fileSize } from '../../../lib/file-size.ts'
import { Button } from '../../../ui/button.tsx'
import { Select } from '../../../ui/field.tsx'
import { chosenRecording } from '../recording-choice.ts'
import { useSavedShelf } from './saved.ts'
import { noRoomSentence } from './saved-status.ts'
import { useMissing } from './use-missing.ts'
import { useWish } from './use-save-request.ts'

/** The number of newest teachings that the switch saves. */
const newestCount = 5

/** Saves the newest automatically, or all of a speaker or of a year; the size is shown first. */
export function SaveMore({ rows }: { rows: readonly ListedTeaching[] }) {
  const id = useId()
  const { wish, noRoom } = useWish()
  return (
    <section aria-labelledby={`${id}-more`} className="mt-6 border-t border-line pt-5">
      <h3 id={`${id}-more`} className="text-lg">
        Save more
      </h3>
      <KeepNewest rows={rows} />
      <SaveGroup rows={rows} wish={wish} />
      <output className="block text-small text-brick">{noRoom && noRoomSentence}</output>
    </section>
  )
}

/** The switch that always saves the newest teachings, with their size. */
export function KeepNewest({ rows }: { rows: readonly ListedTeaching[] }) {
  const [wished, setWished] = useState<boolean>()
  const shelf = useSavedShelf()
  const on = wished ?? shelf.newest > 0
  const { wish, noRoom } = useWish()
  const small = usePrefersSmall()
  const saveNewest = async (keep: boolean) => {
    setWished(keep)
    const noted = await wish((device) => device.saveNewestOnes(keep ? newestCount : 0))
    // If that failed, the switch shows the stored choice again.
    if (!noted) setWished(undefined)
  }
  return (
    <>
      <label className="mt-2 flex min-h-11 items-center gap-3 text-base">
        <input
          type="checkbox"
          role="switch"
          aria-checked={on}
          checked={on}
          onChange={({ target }) => void saveNewest(target.checked)}
          className="size-5 shrink-0 accent-pine"
        />
        <span>Always keep the newest {newestCount}</span>
      </label>
      <p className="text-small text-soft">
        {newestSize(rows.map((row) => chosenRecording(row, shelf, small)))}
      </p>
      <output className="block text-small text-brick">{noRoom && noRoomSentence}</output>
    </>
  )
}

/** The size of the newest on the device now; empty if none has a recording. */
function newestSize(newestFirst: readonly Pick<ListedTeaching, 'audioUrl' | 'audioBytes'>[]): string {
  const newest = newestFirst.filter(({ audioUrl }) => audioUrl).slice(0, newestCount)
  const bytes = newest.reduce((sum, { audioBytes }) => sum + (audioBytes ?? 0), 0)
  return bytes === 0 ? '' : `About ${fileSize(bytes)}.`
}

interface SaveGroupProps {
  rows: readonly ListedTeaching[]
  wish: ReturnType<typeof useWish>['wish']
}

function SaveGroup({ rows, wish }: SaveGroupProps) {
  const [group, setGroup] = useState('')
  const { speakers, years } = useMemo(() => groupsOf(rows), [rows])
  const chosen = useMemo(() => rows.filter((row) => isIn(row, group)), [rows, group])
  const { missing, words, bytes, save } = useMissing(chosen, wish)
  const saveGroup = () => {
    save()
    setGroup('')
  }
  return (
    <div className="mt-2 flex flex-wrap items-center gap-3">
      <div className="min-w-0 grow basis-40">
        <Select
          aria-label="A speaker or a year"
          value={group}
          onChange={({ target }) => setGroup(target.value)}
        >
          <option value="">All of a speaker or a year…</option>
          <optgroup label="Speaker">
            {speakers.map((speaker) => (
              <option key={speaker} value={`speaker:${speaker}`}>
                {speaker}
              </option>
            ))}
          </optgroup>
          <optgroup label="Year">
            {years.map((year) => (
              <option key={year} value={`year:${year}`}>
                {year}
              </option>
            ))}
          </optgroup>
        </Select>
      </div>
      {group !== '' &&
        (missing.length === 0 ? (
          <p className="text-small text-soft">{words}</p>
        ) : (
          <Button onClick={saveGroup}>
            Save {missing.length} ({fileSize(bytes)})
          </Button>
        ))}
    </div>
  )
}

function groupsOf(rows: readonly ListedTeaching[]) {
  const playable = rows.filter(({ audioUrl }) => audioUrl)
  return {
    speakers: [...new Set(playable.map(({ speaker }) => speaker))].sort((a, b) => a.localeCompare(b)),
    years: [...new Set(playable.map(({ year }) => year))].sort((a, b) => b - a),
  }
}

const isIn = ({ speaker, year }: ListedTeaching, group: string): boolean =>
  group === `speaker:${speaker}` || group === `year:${year}`
