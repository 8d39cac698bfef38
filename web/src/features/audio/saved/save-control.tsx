import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { CircleArrowDown, CloudDownload, RefreshCw, TriangleAlert } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { classNames } from '../../../lib/class-names.ts'
import { usePrefersSmall } from '../data-choices.ts'
import { isAppleBrowserTab } from '../../../lib/home-screen.ts'
import { asDialog, lazyPart } from '../../../ui/lazy-part.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { chosenRecording, recordingSizes } from '../recording-choice.ts'
import { savedOf, useSavedShelf } from './saved.ts'
import { SizeSelect } from './size-select.tsx'
import { noRoomSentence, saveButtonState, type SaveButtonState } from './saved-status.ts'
import { useWish } from './use-save-request.ts'

const HomeScreenAdvice = lazyPart(() => import('./home-screen-advice.tsx'), 'HomeScreenAdvice', asDialog)

interface SaveControlProps {
  teaching: ListedTeaching
  /** In a row it is an icon; the size choice appears under the pointer, and the sheet and the large player have it. */
  inRow?: boolean
  /** The sheet with everything that is saved. */
  onManage: () => void
}

/** Saves one teaching on the device, and shows the progress. Renders nothing if the teaching has no recording. */
export function SaveControl({ teaching, inRow = false, onManage }: SaveControlProps) {
  const shelf = useSavedShelf()
  const [advice, setAdvice] = useState(false)
  const { wish, noRoom } = useWish()
  const small = usePrefersSmall()
  const recording = chosenRecording(teaching, shelf, small)
  if (!recording.audioUrl || !recording.audioBytes || shelf.status === 'unavailable') return null
  const sizes = recordingSizes(teaching, shelf, small)
  const state = saveButtonState(sizes?.coming ?? savedOf(recording.audioUrl, shelf), recording.audioBytes)
  const save = () => {
    setAdvice(false)
    void wish((device) => device.saveRecordings([recording], [teaching]))
  }
  const act = () => {
    if (state.leadsTo === 'manage') onManage()
    // Safari clears the storage of a site after seven days without a visit, and the app on the Home Screen has separate
    // storage (webkit.org/blog/14403), so the advice is shown before the first recording is saved.
    else if (shelf.byKey.size === 0 && isAppleBrowserTab()) setAdvice(true)
    else save()
  }
  const title = shownTitle(teaching)
  const problem = state.problem ?? (noRoom && noRoomSentence)
  return (
    <>
      {/* One cell of the row's grid; on a phone the button has its own. */}
      <span className={classNames('contents sm:items-center', inRow ? 'sm:flex' : 'sm:inline-flex')}>
        <button
          type="button"
          onClick={act}
          aria-label={`${state.words}: ${title}`}
          title={inRow ? state.words : undefined}
          className={classNames(
            'relative z-10 inline-flex min-h-11 max-w-full items-center justify-center gap-2 rounded-full border text-small font-medium transition-colors',
            // On a phone and in a row only the icon, until there is a percentage.
            inRow ? 'size-11 max-sm:-mx-1' : 'px-4 max-sm:size-11 max-sm:px-0',
            shelf.status === 'unknown' && 'invisible',
            (inRow ? quietTones : tones)[state.tone],
          )}
        >
          {state.icon !== 'busy' ? (
            pictures[state.icon]
          ) : (
            <span className={inRow ? 'hidden' : 'contents max-sm:hidden'}>{pictures.busy}</span>
          )}
          <span className={wordsClass(inRow, state)}>{state.words}</span>
        </button>
        {sizes && shelf.status !== 'unknown' && (
          <SizeSelect
            teaching={teaching}
            sizes={sizes}
            wish={wish}
            className={inRow ? 'on-hover max-sm:hidden' : undefined}
          />
        )}
      </span>
      {problem && (
        <p className="relative z-10 order-last col-[2/-1] mt-1 basis-full text-small text-brick">{problem}</p>
      )}
      {advice && <HomeScreenAdvice onSave={save} onClose={() => setAdvice(false)} />}
    </>
  )
}

const wordsClass = (inRow: boolean, { icon }: SaveButtonState) =>
  icon === 'busy' ? (inRow ? 'text-xs' : 'max-sm:text-xs') : inRow ? 'sr-only' : 'max-sm:sr-only'

const tones: Record<SaveButtonState['tone'], string> = {
  plain:
    'border-line-strong bg-raised text-ink hover:border-pine hover:bg-pine-tint max-sm:border-transparent max-sm:bg-transparent max-sm:text-soft',
  busy: 'border-line bg-sunk text-soft hover:border-pine tabular-nums',
  done: 'border-transparent bg-leaf-tint text-leaf hover:border-leaf max-sm:bg-transparent',
  trouble: 'border-wheat bg-wheat-tint text-wheat-text hover:border-wheat-text',
}

/** In a row nothing but the state stands out. */
const quietTones: typeof tones = {
  ...tones,
  plain: 'border-transparent text-soft hover:bg-pine-tint hover:text-pine',
  done: 'border-transparent text-leaf hover:border-leaf',
}

const pictures: Record<SaveButtonState['icon'], ReactNode> = {
  save: <CloudDownload className="size-5 shrink-0" />,
  busy: <Spinner size="small" />,
  done: <CircleArrowDown className="size-5 shrink-0" />,
  again: <RefreshCw className="size-5 shrink-0" />,
  trouble: <TriangleAlert className="size-5 shrink-0" />,
}
