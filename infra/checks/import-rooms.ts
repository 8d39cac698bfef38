/** The allowed imports of a room, by the beginnings of paths. */
export interface Room {
  readonly path: RegExp
  /** Own files, of whichever workspace; a room always sees itself. */
  readonly mayImport: RegExp
  /** Packages; if absent, those that the workspace declares. */
  readonly packages?: RegExp
  readonly because: string
}

const schema = 'packages/schema/src/'
/** Packages below api and web. */
const packages = 'packages/(?:schema|sound)/src/'

/** The first room that matches is a file's room. Tests have the rooms of `testRooms`. */
export const rooms: readonly Room[] = [
  {
    path: /^packages\/schema\/src\//,
    mayImport: new RegExp(`^${schema}`),
    packages: /^zod$/,
    because: 'schema is pure: its own files and zod',
  },
  {
    path: /^packages\/sound\/src\//,
    mayImport: new RegExp(`^${packages}`),
    packages: /^(?:zod|file-type|mediabunny|mpg123-decoder)$/,
    because: 'sound is pure: its own files, schema and libraries for audio',
  },
  {
    path: /^sync\/src\/protocol\//,
    mayImport: new RegExp(`^(?:${schema}|sync/src/protocol/)`),
    packages: /^(?:zod|@noble\/hashes|fractional-indexing|rrule)$/,
    because: 'sync/protocol is pure: schema and itself',
  },
  {
    path: /^sync\/src\/call\//,
    mayImport: new RegExp(`^(?:${schema}|sync/src/(?:protocol|call)/)`),
    packages: /^zod$/,
    because: 'sync/call knows fetch, schema and sync/protocol',
  },
  {
    path: /^sync\/src\/client\//,
    mayImport: new RegExp(`^(?:${schema}|sync/src/(?:protocol|call|client)/)`),
    because: 'sync/client knows schema, sync/protocol and sync/call',
  },
  {
    path: /^sync\/src\/server\//,
    mayImport: new RegExp(`^(?:${schema}|sync/src/(?:protocol|server)/)`),
    packages: /^zod$/,
    because: 'sync/server knows schema and sync/protocol; everything else reaches it through its port',
  },
  {
    path: /^api\//,
    mayImport: new RegExp(`^(?:${packages}|sync/src/(?:protocol|server)/|api/)`),
    because: 'api knows schema, sound, sync/protocol and sync/server',
  },
  {
    path: /^web\/src\/sw\//,
    mayImport: new RegExp(`^(?:${schema}|sync/src/(?:protocol|call|client)/|web/src/sw/)`),
    because: 'the service worker stands alone with sync',
  },
  {
    path: /^web\//,
    mayImport: new RegExp(`^(?:${packages}|sync/src/(?:protocol|call|client)/|web/(?!src/sw/))`),
    because: 'web knows schema, sound, sync/protocol, sync/call and sync/client',
  },
  { path: /^infra\//, mayImport: /^/, because: 'infra may read everything' },
]

/** Tests also import the testing folders below them, and call the API as a client does. */
export const testRooms: readonly Room[] = [
  {
    path: /^packages\/schema\//,
    mayImport: new RegExp(`^${schema}`),
    packages: /^(?:zod|vitest|fast-check)$/,
    because: 'tests of schema need schema alone',
  },
  {
    path: /^packages\/sound\//,
    mayImport: new RegExp(`^${packages}`),
    because: 'tests of sound know schema and sound',
  },
  {
    path: /^sync\//,
    mayImport: new RegExp(`^(?:${schema}|sync/)`),
    because: 'tests of sync know schema and sync',
  },
  {
    path: /^api\//,
    mayImport: new RegExp(`^(?:${packages}|sync/|api/)`),
    because: 'tests of api know schema, sound, sync and api',
  },
  {
    path: /^web\//,
    mayImport: new RegExp(`^(?:${packages}|sync/|web/)`),
    because: 'tests of web know schema, sound, sync and web',
  },
  { path: /^infra\//, mayImport: /^/, because: 'infra may read everything' },
]

/**
 * Inside a workspace: files that match `from` may not import files that match `to`. `main → app → routes → feature → sql →
 * db` in api, `main → router → pages → features → ui` in web, never back.
 */
export const layers: readonly { from: RegExp; to: RegExp; because: string }[] = [
  {
    from: /^api\/src\/(?:db|machine|http|config)\/|^api\/src\/context\.ts$/,
    to: /^api\/src\/(?:features\/|app\.ts|main\.ts|start-)/,
    because: 'db, machine, http and config know no feature',
  },
  {
    from: /^api\/src\/cluster\//,
    to: /^api\/src\/(?!cluster\/|db\/|machine\/)/,
    because: 'cluster knows db and machine',
  },
  {
    from: /^api\/src\/(?:db|machine|http|config)\//,
    to: /^api\/src\/cluster\//,
    because: 'only features, context and the start know the cluster',
  },
  {
    from: /^api\/src\/(?!cluster\/)/,
    to: /^api\/src\/cluster\/(?!cluster\.ts$)/,
    because: 'the cluster is reached through cluster.ts',
  },
  { from: /^api\/src\/(?:db|config)\//, to: /^api\/src\/http\//, because: 'db and config know no HTTP' },
  {
    from: /^api\/src\/features\//,
    to: /^api\/src\/(?:app|main|start-[\w-]+)\.ts$/,
    because: 'features know no app',
  },
  { from: /^api\/src\/app\.ts$/, to: /^api\/src\/main\.ts$/, because: 'main starts app, not back' },
  {
    from: /^api\/src\/features\/[\w-]+\/(?![\w-]+\.routes\.ts$)/,
    to: /\.routes\.ts$/,
    because: 'only app mounts routes',
  },
  {
    from: /\.sql\.ts$/,
    to: /^api\/src\/(?:http\/|features\/(?![\w-]+\/[\w-]+\.sql\.ts$))/,
    because: 'SQL knows the database, not who asks',
  },
  {
    from: /^api\/src\/features\/[\w-]+\/[\w-]+\.routes\.ts$/,
    to: /\.sql\.ts$/,
    because: 'routes ask the feature, the feature asks Postgres',
  },
  {
    from: /^web\/src\/(?:ui|lib|boot\/(?!start\.ts$))/,
    to: /^web\/src\/(?:features|pages|layout)\/|^web\/src\/(?:router|main)\.tsx$/,
    because: 'ui, lib and boot know no feature',
  },
  {
    from: /^web\/src\/features\//,
    to: /^web\/src\/(?:pages|layout)\/|^web\/src\/(?:router|main)\.tsx$/,
    because: 'pages compose features, not back',
  },
  {
    from: /^web\/src\/(?:pages|layout)\//,
    to: /^web\/src\/(?:router|main)\.tsx$/,
    because: 'the router shows pages, not back',
  },
  {
    from: /^web\/src\/layout\//,
    to: /^web\/src\/pages\//,
    because: 'the layout frames whatever page there is',
  },
]

/** Which feature of api may use which other one, through its entry file `<feature>/<feature>.ts` alone. */
export const featureLadder: Readonly<Record<string, readonly string[] | 'any'>> = {
  sftp: ['inbox', 'transcripts', 'uploads'],
  imports: ['teachings', 'handouts', 'transcripts', 'uploads', 'series', 'feed'],
  inbox: ['teachings', 'transcripts', 'uploads'],
  transcripts: ['teachings'],
  uploads: ['audio', 'teachings'],
  audio: ['teachings', 'elders', 'users'],
  copies: ['audio', 'teachings', 'transcripts', 'uploads'],
  speech: ['audio', 'teachings', 'transcripts'],
  chapters: ['teachings'],
  handouts: ['teachings'],
  elders: ['pictures'],
  series: ['teachings', 'pictures'],
  feed: ['teachings', 'transcripts', 'series', 'site'],
  covers: ['feed'],
  pages: [
    'feed',
    'teachings',
    'transcripts',
    'elders',
    'passages',
    'site',
    'events',
    'notices',
    'written-pages',
  ],
  site: ['pictures', 'written-pages'],
  'written-pages': ['pictures'],
  push: ['teachings'],
  teachings: ['spoken-search'],
  users: ['auth'],
  /** The rows of these features travel by sync. */
  sync: ['teachings', 'elders', 'passages', 'series', 'site', 'events', 'notices', 'written-pages'],
  backup: 'any',
  system: 'any',
}

/** Features that every feature of web may import: the session, passages, and the entries pending on this device. */
export const webFeaturesForAll: readonly string[] = ['auth', 'passages', 'sync']

/** Besides those: a feature that is built upon another one. */
export const webFeatureLadder: Readonly<Record<string, readonly string[]>> = {
  audio: ['chapters', 'handouts', 'listening', 'transcripts'],
  inbox: ['uploads'],
  sftp: ['inbox'],
  teachings: ['audio', 'handouts', 'transcripts', 'uploads'],
  uploads: ['chapters', 'handouts', 'transcripts'],
}

/** One library, one home: the only files that import it. Wrappers of the machine are in api/src/machine. */
export const homes: Readonly<Record<string, RegExp>> = {
  aws4fetch: /^api\/src\/machine\/storage\/s3-request\.ts$/,
  '@node-rs/argon2': /^api\/src\/machine\/password-hash[\w-]*\.ts$/,
  '@radix-ui/react-toast': /^web\/src\/ui\/toast[\w-]*\.tsx$/,
  '@radix-ui/react-tooltip': /^web\/src\/ui\/tooltip\.tsx$/,
  '@tus/server': /^api\/src\/machine\/tus\.ts$/,
  busboy: /^api\/src\/http\/upload-stream\.ts$/,
  dexie: /^sync\/src\/client\/database\/[\w-]+\.ts$/,
  'dexie-react-hooks': /^web\/src\/features\//,
  'fast-xml-parser': /^api\/src\/machine\/xml\.ts$/,
  'fractional-indexing': /^sync\/src\/protocol\/up-next\.ts$/,
  'file-type': /^packages\/sound\/src\/read\/probe\.ts$/,
  jszip: /^web\/src\/features\/audio\/saved\//,
  'ipaddr.js': /^api\/src\/machine\/public-lookup\.ts$/,
  kjv: /^(?:api\/src\/features\/passages|infra)\//,
  leaflet: /^web\/src\/ui\/leaflet-view\.ts$/,
  lucia: /^api\/src\/machine\/sessions\.ts$/,
  mediabunny: /^packages\/sound\/src\/(?:read\/container|write\/rewrap)\.ts$/,
  'mpg123-decoder': /^packages\/sound\/src\/read\/samples\.ts$/,
  'node-schedule': /^api\/src\/machine\/schedule\.ts$/,
  nodemailer: /^api\/src\/machine\/mail\.ts$/,
  'ical-generator': /^api\/src\/machine\/calendar\.ts$/,
  'timezones-ical-library': /^api\/src\/machine\/calendar\.ts$/,
  luxon: /^api\/src\/machine\/calendar\.ts$/,
  rrule: /^sync\/src\/protocol\/occurrences\.ts$/,
  papaparse: /^api\/src\/features\/(?:passages\/passage-file|imports\/source-csv)\.ts$/,
  'p-retry': /^api\/src\/machine\/storage\/s3-request\.ts$/,
  oslo: /^api\/src\/machine\/(?:network-address|tokens|sessions)\.ts$/,
  pino: /^api\/src\/machine\/log\.ts$/,
  'prom-client': /^api\/src\/machine\/metrics\.ts$/,
  postgres: /^api\/src\/db\/connection\.ts$/,
  sharp: /^api\/src\/machine\/picture\/picture-child\.ts$/,
  'sherpa-onnx-node': /^api\/src\/machine\/speech\/speech-model\.ts$/,
  ssh2: /^api\/src\/machine\/ssh\//,
  'tus-js-client': /^sync\/src\/client\/uploads\//,
  uqr: /^web\/src\/features\/teachings\/share-sheet\.tsx$/,
  yauzl: /^api\/src\/machine\/zip\/unzip\.ts$/,
  'web-push': /^api\/src\/machine\/web-push\.ts$/,
  'wasm-media-encoders':
    /^(?:api\/src\/machine\/audio\/copy\/small-copy\.ts|web\/src\/features\/uploads\/smaller\/)/,
  'workbox-precaching': /^web\/src\/sw\//,
  'workbox-routing': /^web\/src\/sw\//,
  'workbox-window': /^web\/src\/features\/sync\//,
}
