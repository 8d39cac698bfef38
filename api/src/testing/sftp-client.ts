import net from 'node:net'
import ssh2, { type SFTPWrapper } from 'ssh2'

/** An SFTP client that sends single requests. */
export interface SftpClient {
  connection: ssh2.Client
  /** The underlying socket. */
  socket: net.Socket
  sftp: SFTPWrapper
  /** Sends a request of ssh2's client; resolves to its answer. */
  ask: <T>(
    request: (sftp: SFTPWrapper, done: (error: Error | null | undefined, value?: T) => void) => void,
  ) => Promise<T>
}

export function connectClient(options: ssh2.ConnectConfig & { port: number }): Promise<SftpClient> {
  return new Promise((resolve, reject) => {
    const connection = new ssh2.Client()
    const { port, localAddress } = options
    // Without a delay, as OpenSSH: the end of each request would wait 40 ms for the server's acknowledgement of its beginning.
    const socket = net.connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      ...(localAddress && { localAddress }),
    })
    connection.on('error', reject)
    connection.on('close', () => reject(new Error('The connection was closed.')))
    connection.on('ready', () =>
      connection.sftp((error, sftp) => {
        if (error) return reject(error)
        resolve({
          connection,
          socket,
          sftp,
          ask: (request) =>
            new Promise((answer, refuse) =>
              request(sftp, (failure, value) => (failure ? refuse(failure) : answer(value as never))),
            ),
        })
      }),
    )
    connection.connect({ sock: socket, readyTimeout: 30_000, ...options })
  })
}
