/** `npm run admin:unlock EMAIL`: lets a locked-out person in again at once. With the embedded database: while the product is stopped. */
import { judgeEnv } from '@fellowship/api/config/config'
import { readEnv } from '@fellowship/api/config/env'
import { openDatabase } from '@fellowship/api/db/database'
import { unlockUser } from '@fellowship/api/features/auth/auth.sql'

const email = process.argv[2]
if (!email) {
  console.error('Say whose account: npm run admin:unlock somebody@example.org')
  process.exit(1)
}
const database = await openDatabase(judgeEnv(readEnv()), { applicationName: 'admin-unlock' }).catch(
  (error: Error) => {
    console.error(error.message)
    process.exit(1)
  },
)
const unlocked = await unlockUser(database.sql, email)
await database.close()
console.log(unlocked ? `${email} can sign in again.` : `There is no account ${email}.`)
process.exit(unlocked ? 0 : 1)
