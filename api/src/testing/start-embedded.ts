import { startEmbedded } from '../db/embedded.ts'

/** For tests that kill a process: starts the embedded server of a folder, prints its address, and keeps running. */
const server = await startEmbedded({ dataDir: process.argv[2]!, throwaway: process.argv[3] === 'throwaway' })
console.log(JSON.stringify({ socketFolder: server.socketFolder, postmaster: server.pid() }))
process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)))
