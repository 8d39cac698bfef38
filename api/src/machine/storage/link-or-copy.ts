import { copyFile, link } from 'node:fs/promises'

/**
 * Makes a hard link, or a copy where the file system has no hard links.
 *
 * @throws the system's error where the target exists, or the file does not
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
