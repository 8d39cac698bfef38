import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { authorizedKeysFile } from '@fellowship/api/features/sftp/sftp'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { exchange } from './exchange.ts'
import type { BenchLibrary } from './library.ts'
import type { SftpPlace, Sshd } from './openssh.ts'
import { longRecording, mebibyte } from './recording.ts'

/** Just below the upload limit. */
export const recordingBytes = 100 * mebibyte - 64 * 1024

/** Starts the product's SFTP server and authorizes the yardstick client's key. */
export async function openSftp({ browser, dataDir }: BenchLibrary, sshd: Sshd): Promise<SftpPlace> {
  await writeFile(authorizedKeysFile(dataDir), sshd.publicKey)
  await call(sftp.start, {}, browser)
  const { username, port } = await call(sftp.status, {}, browser)
  return { username, port, keyFile: sshd.keyFile, folder: '/' }
}

/** Writes a unique recording next to the yardstick's files; its path. */
export async function recordingFile({ folder }: SftpPlace, number: number): Promise<string> {
  const file = path.join(folder, 'recording.mp3')
  await writeFile(file, await longRecording(recordingBytes, number))
  return file
}

/** A request that queries the database, as every signed-in page sends it. */
export const requestApi = ({ url, browser }: BenchLibrary) => {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return async () => {
    const { status } = await exchange(url + auth.currentUser.path, { headers: { cookie } })
    if (status !== 200) throw new Error(`The API answered ${status}.`)
  }
}
