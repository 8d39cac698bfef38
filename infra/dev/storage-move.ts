/**
 * `npm run storage:move -- --to s3` or `--to disk`: moves recordings, pictures and handouts between DATA_DIR and the bucket of the S3_*
 * settings, while the product runs. If it is interrupted, it resumes.
 */
import { parseArgs } from 'node:util'
import { databaseLocks } from '@fellowship/api/db/locks'
import { recordingKey } from '@fellowship/api/features/audio/audio'
import { handoutKey } from '@fellowship/api/features/handouts/handouts'
import { configuredBlobStores, configuredStorage } from '@fellowship/api/machine/storage/configured-storage'
import { moveFiles } from '@fellowship/api/machine/storage/move-files'
import { fail, openProduct } from './open-product.ts'

const { to } = parseArgs({ options: { to: { type: 'string' } } }).values
if (to !== 's3' && to !== 'disk') fail('Say where to: npm run storage:move -- --to s3 (or --to disk)')

const { config, database } = await openProduct('storage-move', { mayJoin: true })
const { disk, bucket } = configuredBlobStores(config)
if (!bucket || config.blobStore !== to) {
  await database.close()
  fail(
    !bucket
      ? 'There is no bucket in the settings. Set S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.'
      : to === 'disk'
        ? 'New files still go to the bucket. Set SHELF=disk, restart the product, and run this again.'
        : 'New files still go to the disk. Take SHELF=disk out of the settings, restart the product, and run this again.',
  )
}
// Shared with the running product, so that neither removes files of the other.
const locks = await databaseLocks(database.place, database.sql)
const [from, target] = to === 's3' ? [disk, bucket] : [bucket, disk]
try {
  const report = await moveFiles({
    from,
    to: target,
    stagingArea: configuredStorage(config, locks.owner),
    locked: (kind, name, work) => {
      const hash = name.slice(0, 64)
      return kind === 'images'
        ? work()
        : locks.run(kind === 'audio' ? recordingKey(hash) : handoutKey(hash), work)
    },
    onMoved: ({ moved, bytes }) => {
      if (moved % 100 === 0 && moved > 0) console.log(`${moved} files, ${megabytes(bytes)}`)
    },
  })
  console.log(`Moved to "${target.place}": ${report.moved} files, ${megabytes(report.bytes)}.`)
  for (const name of report.damaged) console.error(`Damaged, and left where it is: ${name}`)
  if (report.damaged.length > 0) process.exitCode = 1
  else if (to === 'disk') console.log('Now take the S3_* settings and SHELF away, and restart the product.')
} catch (error) {
  console.error(`${(error as Error).message}\nNothing is lost. Run it again to go on.`)
  process.exitCode = 1
} finally {
  await locks.close()
  await database.close()
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
