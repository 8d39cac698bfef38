import { existsSync, readdirSync, readlinkSync } from 'node:fs'

/**
 * Open files of this process and its threads: the paths of files, and the kinds of sockets and pipes. Nothing if there is
 * no /proc.
 */
export const openDescriptors = (): string[] =>
  (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd') : []).map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`)
    } catch {
      // The descriptor that listed the folder is closed again.
      return 'closed meanwhile'
    }
  })

/** The open files of one folder. Other tests of the same worker open and close files of theirs meanwhile. */
export const openFilesUnder = (folder: string): string[] =>
  openDescriptors().filter((file) => file.startsWith(folder))

/** Runs `work`, and returns the files that were left open: Node.js does so when it collects garbage, and warns of it. */
export async function filesForgotten(work: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = []
  const onWarning = ({ message }: Error) => void (message.includes('garbage') && warnings.push(message))
  process.on('warning', onWarning)
  try {
    await work()
  } finally {
    process.off('warning', onWarning)
  }
  return warnings
}
