/** `npm run sign-out:everyone`: ends every session, also while the product runs. */
import { signOutEveryone } from '@fellowship/api/features/auth/auth'
import { fail, openProduct } from './open-product.ts'

// An address would be taken for one whose sessions alone are meant.
if (process.argv.length > 2) fail('This signs everybody out, and takes no name: npm run sign-out:everyone')
const { database } = await openProduct('sign-out-everyone', { mayJoin: true })
const ended = await signOutEveryone(database.sql, new Date())
await database.close()
console.log(`${ended} ${ended === 1 ? 'session was' : 'sessions were'} ended. Everybody signs in again.`)
process.exit(0)
