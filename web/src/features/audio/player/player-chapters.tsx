import { chapterAt, chaptersOf } from '@fellowship/schema/chapters/chapters'
import { useMemo } from 'react'
import type { Player } from './player-state.ts'
import { usePlayerState } from './use-player.ts'
import { ChapterList, SkipToTeaching } from '../../chapters/chapter-list.tsx'

interface PlayerChaptersProps {
  /** Null until its element is in the page. */
  player: Player | null
  uid: string
  /** The chapters as text. */
  text: string | null | undefined
  level?: 'h2' | 'h3'
  onPlay: (seconds: number) => void
}

/** The chapters of a teaching, with the one that plays; and a way to the teaching, until it has begun. */
export function PlayerChapters({ player, uid, text, level, onPlay }: PlayerChaptersProps) {
  const chapters = useMemo(() => chaptersOf(text), [text])
  const current = usePlayerState(player, (state) =>
    state.recording?.uid === uid ? chapterAt(chapters, state.position) : -1,
  )
  return <ChapterList chapters={chapters} current={current} level={level} onPlay={onPlay} />
}

/** A way to the teaching while something before it plays. */
export function PlayerSkip({ player, uid, text, onPlay }: PlayerChaptersProps) {
  const chapters = useMemo(() => chaptersOf(text), [text])
  // Whole seconds, so that it renders once a second at most.
  const position = usePlayerState(player, (state) =>
    state.recording?.uid === uid ? Math.floor(state.position) : 0,
  )
  return (
    <div className="mt-4 flex flex-wrap justify-center empty:hidden print:hidden">
      <SkipToTeaching chapters={chapters} position={position} onPlay={onPlay} />
    </div>
  )
}
