import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Declared, importViolations } from './import-rules.ts'
import { importsOf, readSourceTree, root } from './source-tree.ts'

test('the import directions hold in the whole repository', () => {
  const tree = readSourceTree()
  expect(tree.size).toBeGreaterThan(100)
  expect(importViolations(tree, declaredPackages(), (file) => existsSync(path.join(root, file)))).toEqual([])
})

function declaredPackages(): Declared {
  const folders = ['', 'packages/schema', 'packages/sound', 'sync', 'api', 'web', 'infra']
  return Object.fromEntries(
    folders.map((folder) => [folder, declaredIn(path.join(root, folder, 'package.json'))]),
  )
}

function declaredIn(file: string): string[] {
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<
    string,
    Record<string, string> | undefined
  >
  return kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {}))
}

describe('what counts as an import', () => {
  test('finds imports of every kind, not text or comments', () => {
    const source = `
      import one from './one.ts'
      import type { Two } from './two.ts'
      import { type Three } from './three.ts'
      import './four.css'
      export * from './five.ts'
      export { six } from './six.ts'
      export type { Seven } from './seven.ts'
      const eight = () => import('./eight.ts')
      type Nine = import('./nine.ts').Nine
      const ten = new Worker(new URL('./ten.ts', import.meta.url))
      const picture = <p title="x">it's {"import './not.ts'"} <b>from './neither.ts'</b></p>
      // import './comment.ts'
      const text = \`import './template.ts' \${one}\`
      const pattern = /import ['"]\\.\\/pattern/
    `
    expect(importsOf('x.tsx', source).sort()).toEqual(
      [
        'one.ts',
        'two.ts',
        'three.ts',
        'four.css',
        'five.ts',
        'six.ts',
        'seven.ts',
        'eight.ts',
        'nine.ts',
        'ten.ts',
      ]
        .map((name) => `./${name}`)
        .sort(),
    )
  })

  test('a syntax error names the file', () => {
    expect(() => importsOf('broken.ts', 'import from from from')).toThrow('broken.ts cannot be parsed')
  })
})

/** A small repository without violations. */
const validTree: Record<string, string> = {
  'packages/schema/src/dates.ts': `import { z } from 'zod'`,
  'packages/schema/src/dates.test.ts': `import { test } from 'vitest'; import fc from 'fast-check'; import './dates.ts'; import './testing/builders.ts'`,
  'packages/schema/src/testing/builders.ts': `import '../dates.ts'`,
  'packages/sound/src/read/probe.ts': `import 'file-type'; import { A } from '@fellowship/schema/dates'`,
  'packages/sound/src/read/probe.test.ts': `import { readFile } from 'node:fs/promises'; import './probe.ts'`,
  'sync/src/protocol/merge.ts': `import type { A } from '@fellowship/schema/dates'; import '@noble/hashes/sha2.js'`,
  'sync/src/protocol/merge.test.ts': `import { readFile } from 'node:fs/promises'; import '../testing/network.ts'`,
  'sync/src/call/call.ts': `import '../protocol/merge.ts'`,
  'sync/src/client/database/app-database.ts': `import { Dexie } from 'dexie'; import '../../call/call.ts'`,
  'sync/src/server/feed.ts': `import '../protocol/merge.ts'`,
  'sync/src/testing/network.ts': `import '../server/feed.ts'; import '../client/database/app-database.ts'`,
  'api/src/main.ts': `import './app.ts'; import 'node:http'`,
  'api/src/app.ts': `import './features/uploads/uploads.routes.ts'; import { Hono } from 'hono'; import './context.ts'`,
  'api/src/context.ts': `import type { A } from './db/connection.ts'`,
  'api/src/db/connection.ts': `import postgres from 'postgres'`,
  'api/src/cluster/cluster.ts': `import './membership.ts'; import '../machine/log.ts'`,
  'api/src/cluster/membership.ts': `import '../db/connection.ts'`,
  'api/src/machine/log.ts': `import { pino } from 'pino'`,
  'api/src/http/serve.ts': `import '../machine/log.ts'`,
  'api/src/features/uploads/uploads.routes.ts': `import './uploads.ts'; import '../../http/serve.ts'`,
  'api/src/features/uploads/uploads.ts': `import '../teachings/teachings.ts'; import '../../machine/log.ts'`,
  'api/src/features/teachings/teachings.ts': `import './teachings.sql.ts'; import '@fellowship/schema/dates'`,
  'api/src/features/teachings/teachings.sql.ts': `import type { D } from '../../db/connection.ts'`,
  'api/src/features/teachings/teachings.pg.test.ts': `import '../../testing/test-app.ts'; import '@fellowship/sync/call/call'`,
  'api/src/features/auth/auth.ts': ``,
  'api/src/testing/test-app.ts': `import '../app.ts'; import '@fellowship/schema/testing/builders'`,
  'web/src/main.tsx': `import './router.tsx'; import './main.css'`,
  'web/src/router.tsx': `const page = () => import('./pages/home.tsx')`,
  'web/src/pages/home.tsx': `import '../features/map/map-card.tsx'; import '../layout/frame.tsx'`,
  'web/src/layout/frame.tsx': `import '../ui/button.tsx'`,
  'web/src/features/map/map-card.tsx': `import '../../ui/button.tsx'; import '../auth/user.ts'`,
  'web/src/features/auth/user.ts': `import '@fellowship/sync/client/database/app-database'`,
  'web/src/features/teachings/list.tsx': ``,
  'web/src/ui/button.tsx': `import { useState } from 'react'`,
  'web/src/ui/leaflet-view.ts': `import 'leaflet'`,
  'web/src/sw/service-worker.ts': `import '@fellowship/sync/client/database/app-database'`,
  'infra/dev/start.mjs': `import '@fellowship/api/main'; import '../../web/src/main.tsx'; import 'postgres'`,
}

const declared: Declared = {
  '': ['vitest', 'fast-check'],
  'packages/schema': ['zod'],
  'packages/sound': ['file-type'],
  sync: ['dexie', '@noble/hashes'],
  api: ['postgres', 'pino', 'hono', 'ssh2'],
  web: ['react', 'leaflet'],
  infra: ['postgres'],
}

const check = (files: Record<string, string>) =>
  importViolations(new Map(Object.entries(files)), declared, (file) => file.endsWith('main.css'))

describe('each rule fires', () => {
  test('a valid tree has no violation', () => {
    expect(check(validTree)).toEqual([])
  })

  test.each([
    ['packages/schema/src/dates.ts', 'react', 'schema is pure: its own files and zod'],
    ['packages/schema/src/dates.ts', 'fast-check', 'schema is pure: its own files and zod'],
    ['packages/schema/src/dates.ts', 'node:fs', 'pure rooms know no Node'],
    [
      'packages/schema/src/dates.ts',
      '../../../sync/src/protocol/merge.ts',
      'schema is pure: its own files and zod',
    ],
    ['packages/schema/src/dates.ts', './testing/builders.ts', 'testing is for tests'],
    [
      'packages/schema/src/dates.test.ts',
      '@fellowship/sync/protocol/merge',
      'tests of schema need schema alone',
    ],
    ['packages/schema/src/dates.ts', '@fellowship/sound/read/probe', 'schema is pure: its own files and zod'],
    [
      'packages/sound/src/read/probe.ts',
      '@fellowship/sync/protocol/merge',
      'sound is pure: its own files, schema and libraries for audio',
    ],
    ['packages/sound/src/read/probe.ts', 'node:fs', 'pure rooms know no Node'],
    [
      'packages/sound/src/read/probe.test.ts',
      '@fellowship/sync/protocol/merge',
      'tests of sound know schema and sound',
    ],
    [
      'web/src/sw/service-worker.ts',
      '@fellowship/sound/read/probe',
      'the service worker stands alone with sync',
    ],
    ['sync/src/protocol/merge.ts', '../call/call.ts', 'sync/protocol is pure: schema and itself'],
    ['sync/src/protocol/merge.ts', 'dexie', 'sync/protocol is pure: schema and itself'],
    ['sync/src/protocol/merge.ts', 'node:crypto', 'pure rooms know no Node'],
    [
      'sync/src/call/call.ts',
      '../client/database/app-database.ts',
      'sync/call knows fetch, schema and sync/protocol',
    ],
    [
      'sync/src/client/database/app-database.ts',
      '../../server/feed.ts',
      'sync/client knows schema, sync/protocol and sync/call',
    ],
    [
      'sync/src/client/database/app-database.ts',
      '../../testing/network.ts',
      'sync/client knows schema, sync/protocol and sync/call',
    ],
    [
      'sync/src/server/feed.ts',
      '../client/database/app-database.ts',
      'sync/server knows schema and sync/protocol; everything else reaches it through its port',
    ],
    ['sync/src/call/call.ts', '@fellowship/api/app', 'sync/call knows fetch, schema and sync/protocol'],
    ['api/src/app.ts', '@fellowship/web/router', 'there is no such file'],
    ['api/src/app.ts', '../../web/src/main.tsx', 'api knows schema, sound, sync/protocol and sync/server'],
    [
      'api/src/app.ts',
      '@fellowship/sync/client/database/app-database',
      'api knows schema, sound, sync/protocol and sync/server',
    ],
    ['api/src/app.ts', '../../infra/dev/start.mjs', 'api knows schema, sound, sync/protocol and sync/server'],
    ['api/src/app.ts', './testing/test-app.ts', 'testing is for tests'],
    ['api/src/http/serve.ts', '../features/auth/auth.ts', 'db, machine, http and config know no feature'],
    ['api/src/db/connection.ts', '../http/serve.ts', 'db and config know no HTTP'],
    ['api/src/cluster/membership.ts', '../context.ts', 'cluster knows db and machine'],
    [
      'api/src/db/connection.ts',
      '../cluster/cluster.ts',
      'only features, context and the start know the cluster',
    ],
    [
      'api/src/features/auth/auth.ts',
      '../../cluster/membership.ts',
      'the cluster is reached through cluster.ts',
    ],
    ['api/src/features/auth/auth.ts', '../../app.ts', 'features know no app'],
    ['api/src/features/uploads/uploads.ts', './uploads.routes.ts', 'only app mounts routes'],
    ['api/src/features/teachings/teachings.sql.ts', './teachings.ts', 'SQL knows the database, not who asks'],
    [
      'api/src/features/teachings/teachings.sql.ts',
      '../../http/serve.ts',
      'SQL knows the database, not who asks',
    ],
    [
      'api/src/features/uploads/uploads.routes.ts',
      '../teachings/teachings.sql.ts',
      'routes ask the feature, the feature asks Postgres',
    ],
    [
      'api/src/features/uploads/uploads.ts',
      '../teachings/teachings.sql.ts',
      'the entry file of teachings is teachings.ts',
    ],
    [
      'api/src/features/teachings/teachings.ts',
      '../uploads/uploads.ts',
      'teachings may not import uploads: it is not above it in the layers',
    ],
    [
      'api/src/features/uploads/uploads.ts',
      '../auth/auth.ts',
      'uploads may not import auth: it is not above it in the layers',
    ],
    [
      'web/src/pages/home.tsx',
      '@fellowship/api/app',
      'web knows schema, sound, sync/protocol, sync/call and sync/client',
    ],
    [
      'web/src/pages/home.tsx',
      '@fellowship/sync/server/feed',
      'web knows schema, sound, sync/protocol, sync/call and sync/client',
    ],
    [
      'web/src/pages/home.tsx',
      '../sw/service-worker.ts',
      'web knows schema, sound, sync/protocol, sync/call and sync/client',
    ],
    ['web/src/sw/service-worker.ts', '../ui/button.tsx', 'the service worker stands alone with sync'],
    ['web/src/ui/button.tsx', '../features/auth/user.ts', 'ui, lib and boot know no feature'],
    ['web/src/features/auth/user.ts', '../../pages/home.tsx', 'pages compose features, not back'],
    ['web/src/pages/home.tsx', '../router.tsx', 'the router shows pages, not back'],
    ['web/src/layout/frame.tsx', '../pages/home.tsx', 'the layout frames whatever page there is'],
    [
      'web/src/features/map/map-card.tsx',
      '../teachings/list.tsx',
      'a page composes map and teachings; a feature asks auth, passages, sync alone',
    ],
    ['web/src/features/auth/user.ts', './missing.ts', 'there is no such file'],
    ['web/src/main.tsx', './missing.css', 'there is no such file'],
    ['web/src/main.tsx', './router', 'there is no such file'],
    ['web/src/pages/home.tsx', 'dexie', 'its home is ^sync\\/src\\/client\\/database\\/[\\w-]+\\.ts$'],
    ['web/src/pages/home.tsx', 'leaflet', 'its home is ^web\\/src\\/ui\\/leaflet-view\\.ts$'],
    ['api/src/features/auth/auth.ts', 'postgres', 'its home is ^api\\/src\\/db\\/connection\\.ts$'],
    ['api/src/features/auth/auth.ts', 'ssh2', 'its home is ^api\\/src\\/machine\\/ssh\\/'],
    ['web/src/pages/home.tsx', 'lodash', 'web/package.json does not declare it'],
    ['elsewhere/x.ts', './y.ts', 'this folder is no room'],
  ])('%s → %s', (file, specifier, why) => {
    for (const statement of [
      `import '${specifier}'`,
      `import type { A } from '${specifier}'`,
      `const a = () => import('${specifier}')`,
    ]) {
      const files = { ...validTree, 'elsewhere/y.ts': '', [file]: `${validTree[file] ?? ''};${statement}` }
      const violations = check(files).filter((violation) => !violation.endsWith('a circle of imports'))
      expect(violations).toEqual([`${file} → ${specifier}: ${why}`])
    }
  })

  test('finds cycles, also of type imports', () => {
    expect(
      check({
        ...validTree,
        'web/src/ui/a.ts': `import type { B } from './b.ts'`,
        'web/src/ui/b.ts': `export * from './c.ts'`,
        'web/src/ui/c.ts': `const a = () => import('./a.ts')`,
        'web/src/ui/d.ts': `import './d.ts'`,
      }),
    ).toEqual([
      'web/src/ui/a.ts → web/src/ui/b.ts → web/src/ui/c.ts → web/src/ui/a.ts: a circle of imports',
      'web/src/ui/d.ts → web/src/ui/d.ts: a circle of imports',
    ])
  })
})
