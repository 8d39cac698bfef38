/** `npm run admin:unlock EMAIL`: ends the lock of an account, also while the product runs. */
import { writeAudit } from '@fellowship/api/db/audit-log'
import { unlockUser } from '@fellowship/api/features/auth/auth.sql'
import { fail, openProduct } from './open-product.ts'

const email = process.argv[2]
if (!email) fail('Say whose account: npm run admin:unlock somebody@example.org')
const { database } = await openProduct('admin-unlock', { mayJoin: true })
const unlocked = await database.sql.begin(async (tx) => {
  if (!(await unlockUser(tx, email))) return false
  const actor = { id: null, name: 'the server’s keeper' }
  await writeAudit(tx, { actor, action: 'user.unlocked', subject: email }, new Date())
  return true
})
await database.close()
if (!unlocked) fail(`There is no account ${email}.`)
console.log(`${email} can sign in again.`)
process.exit(0)
