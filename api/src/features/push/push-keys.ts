import type { Context } from '../../context.ts'
import { makePushKeys, type PushKeys } from '../../machine/web-push.ts'
import { findKeys, replaceKeys, type KeysRow } from './push.sql.ts'

const keysPurpose = 'push private key'

/**
 * The key pair of this server, made at first use. If it was sealed under a lost APP_SECRET, it is replaced: devices
 * subscribe again when they next open the site.
 */
export async function pushKeys({
  sql,
  secrets,
  clock,
}: Pick<Context, 'sql' | 'secrets' | 'clock'>): Promise<PushKeys> {
  const opened = (row: KeysRow | undefined): PushKeys | undefined => {
    const privateKey = row && secrets.open(keysPurpose, row.privateKeySealed)
    return row && privateKey !== undefined ? { publicKey: row.publicKey, privateKey } : undefined
  }
  const row = await findKeys(sql)
  const kept = opened(row)
  if (kept) return kept
  const made = makePushKeys()
  const sealed = secrets.seal(keysPurpose, made.privateKey)
  await replaceKeys(sql, row, { publicKey: made.publicKey, privateKeySealed: sealed }, clock.now())
  return opened(await findKeys(sql)) ?? made
}
