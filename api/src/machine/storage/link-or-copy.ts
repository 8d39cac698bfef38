import { copyFile, link } from 'node:fs/promises'

/**
 * Gives a file a second name, or a copy where the file system knows one name for a file only.
 *
 * @throws the system's error where the target is there already, or the file is not
 */
export async function linkOrCopy(file: string, target: string): Promise<void> {
  try {
    await link(file, target)
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes((error as { code?: string }).code ?? ''))
      throw error
    await copyFile(file, target)
  }
}
