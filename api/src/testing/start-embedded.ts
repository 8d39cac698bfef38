import { startEmbedded } from '../db/embedded.ts'

/** For tests that kill a whole process: starts the server of the folder given, says so, and stays. */
const server = await startEmbedded({ dataDir: process.argv[2]!, throwaway: process.argv[3] === 'throwaway' })
console.log(JSON.stringify({ socketFolder: server.socketFolder, postmaster: server.pid() }))
process.on('SIGTERM', () => void server.stop().then(() => process.exit(0)))
