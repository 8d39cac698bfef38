import ssh2, { type SFTPWrapper } from 'ssh2'

/** A client that says what it is told to, packet by packet. */
export interface SftpClient {
  connection: ssh2.Client
  sftp: SFTPWrapper
  /** A request in ssh2's words, as a promise. */
  ask: <T>(
    request: (sftp: SFTPWrapper, done: (error: Error | null | undefined, value?: T) => void) => void,
  ) => Promise<T>
}

export function connectClient(options: ssh2.ConnectConfig): Promise<SftpClient> {
  return new Promise((resolve, reject) => {
    const connection = new ssh2.Client()
    connection.on('error', reject)
    connection.on('close', () => reject(new Error('The connection was closed.')))
    connection.on('ready', () =>
      connection.sftp((error, sftp) => {
        if (error) return reject(error)
        resolve({
          connection,
          sftp,
          ask: (request) =>
            new Promise((answer, refuse) =>
              request(sftp, (failure, value) => (failure ? refuse(failure) : answer(value as never))),
            ),
        })
      }),
    )
    connection.connect({ host: '127.0.0.1', readyTimeout: 30_000, ...options })
  })
}
