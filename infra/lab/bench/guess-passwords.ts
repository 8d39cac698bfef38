/** `guess-passwords.ts port network tries perAddress`: tries wrong SFTP passwords from addresses 127.<network>.x.y. */
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { connectClient } from '@fellowship/api/testing/sftp-client'
import { sftpAccount } from '@fellowship/schema/sftp/sftp.limits'

const [port, network, tries, perAddress] = process.argv.slice(2).map(Number) as [
  number,
  number,
  number,
  number,
]
const atOnce = 8

// The measuring process shares this core and must not wait for this one.
setPriority(19)
console.log('ready')
await once(process.stdin, 'data')
let tried = 0
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (tried < tries) {
      const number = tried++
      const at = Math.floor(number / perAddress)
      const refused = await connectClient({
        port,
        username: sftpAccount.username,
        password: `wrong ${number}`,
        localAddress: `127.${network}.${Math.floor(at / 250)}.${1 + (at % 250)}`,
      }).then(
        () => false,
        () => true,
      )
      if (!refused) throw new Error('A wrong password was accepted.')
    }
  }),
)
process.exit(0)
