import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import type { Part, RecordingBytes } from '../read/bytes.ts'
import { findTags } from '../read/mp3-tags.ts'
import { id3Tag } from './id3.ts'
import { mp4WithTags, type Tags } from './mp4-tags.ts'
import { wavWithTags } from './wav-tags.ts'

/**
 * Replaces the tags of a recording by those of its teaching. The sound stays unchanged.
 *
 * @returns undefined if its structure is unexpected, so that it should be sent unchanged
 */
export async function taggedParts(
  recording: RecordingBytes,
  extension: AudioExtension,
  { teaching, picture, tagIndex }: Tags,
): Promise<Part[] | undefined> {
  if (extension === 'wav') return wavWithTags(recording, teaching, picture)
  if (extension === 'm4a') return mp4WithTags(recording, { teaching, picture, tagIndex })
  const { sound } = await findTags(recording)
  return [id3Tag(teaching, picture), sound]
}
