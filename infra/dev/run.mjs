// `node infra/dev/run.mjs FILE.ts [arguments]`: sets the project up if needed, then runs the file.
import { ensureInstalled, runTypeScript } from './self-setup.mjs'

ensureInstalled()
const [file, ...args] = process.argv.slice(2)
process.exit(runTypeScript(file, args))
