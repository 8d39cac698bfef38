import { existsSync } from 'node:fs'
import path from 'node:path'
import { sftpAccount } from '@fellowship/schema/sftp/sftp.limits'

/** Whether a client of another maker can be left out: it is not here, and nobody asked for all of them. */
export const isMissing = (program: string): boolean =>
  !process.env['CI'] &&
  !(process.env['PATH'] ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, program)))

/** Options that keep OpenSSH from asking, and from remembering. */
export const opensshOptions = (port: number) => [
  '-o',
  'StrictHostKeyChecking=no',
  '-o',
  'UserKnownHostsFile=/dev/null',
  '-o',
  'LogLevel=ERROR',
  '-o',
  'PubkeyAuthentication=no',
  '-P',
  String(port),
]

/** What lftp is started with, to run its own commands in one session and to fail with the first that does. */
export const lftpArgs = ({ port, password }: { port: number; password: string }, commands: string) => [
  '-c',
  `set sftp:auto-confirm yes; set net:max-retries 2; set cmd:fail-exit yes;
   set sftp:connect-program "ssh -a -x -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null";
   open -u "${sftpAccount.username},${password}" sftp://127.0.0.1:${port}; ${commands}`,
]
