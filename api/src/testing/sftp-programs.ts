import { existsSync } from 'node:fs'
import path from 'node:path'
import { sftpAccount } from '@fellowship/schema/sftp/sftp.limits'

/** Whether to skip the tests of an external client: it is not installed, and not all clients are required. */
export const isMissing = (program: string): boolean =>
  !process.env['CI'] &&
  !(process.env['PATH'] ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, program)))

/** Options for OpenSSH without prompts and without known hosts. */
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

/** Arguments of lftp that run the commands in one session and stop at the first failure. */
export const lftpArgs = ({ port, password }: { port: number; password: string }, commands: string) => [
  '-c',
  `set sftp:auto-confirm yes; set net:max-retries 2; set cmd:fail-exit yes;
   set sftp:connect-program "ssh -a -x -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null";
   open -u "${sftpAccount.username},${password}" sftp://127.0.0.1:${port}; ${commands}`,
]
