import { captionName, isCaptionName, namedAlike } from '@fellowship/schema/transcripts/caption-names'
import { looksLikeAudio } from '@fellowship/schema/uploads/submit-checks'
import type { Draft } from './draft.ts'
import type { RefusedFile } from './upload-file-checks.ts'

/** Whether a chosen file is named like the text of a recording. */
export const isCaptions = (file: File): boolean => isCaptionName(file.name) && !looksLikeAudio(file)

/** Files of captions, each with its draft, or with the reason why it has none. */
export interface PlacedCaptions {
  readonly placed: readonly { id: number; recording: string; captions: File }[]
  readonly left: readonly { file: File; why: RefusedFile['why'] }[]
}

/**
 * Finds the draft of each file of captions: the one with its name; else the only draft, or the open one, if a single file
 * remains.
 */
export function placeCaptions(
  files: readonly File[],
  drafts: readonly Draft[],
  openId: number | undefined,
): PlacedCaptions {
  const taken = new Set<Draft>()
  const named = files.map((file) => {
    const draft = drafts.find((each) => !taken.has(each) && isNamedAlike(each, file))
    if (draft) taken.add(draft)
    return { file, draft }
  })
  const others = named.filter(({ draft }) => !draft)
  const likely = drafts.find(({ id }) => id === openId) ?? only(drafts)
  const last = others.length === 1 && likely && !taken.has(likely) ? likely : undefined
  const placed = named.flatMap(({ file, draft = last }) =>
    draft ? [{ id: draft.id, recording: chosenFile(draft).name, captions: file }] : [],
  )
  const why = drafts.length === 0 ? 'captionsAlone' : 'captionsOfWhich'
  return { placed, left: last ? [] : others.map(({ file }) => ({ file, why })) }
}

const only = (drafts: readonly Draft[]) => (drafts.length === 1 ? drafts[0] : undefined)
const chosenFile = ({ original, file }: Draft) => original ?? file

const isNamedAlike = (draft: Draft, captions: File): boolean =>
  namedAlike(chosenFile(draft).name.replace(/\.[^.]*$/, '')) === namedAlike(captionName(captions.name).stem)
