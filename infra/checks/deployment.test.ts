import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const settings = new Set(
  [...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name!),
)
const unknown = (names: readonly string[]) => names.filter((name) => !settings.has(name))

interface Service {
  image: string
  environment: Record<string, string>
  volumes: string[]
}

describe('the container', () => {
  const file = read('infra/deploy/Containerfile')
  const compose = parse(read('infra/deploy/compose.yaml')) as {
    services: { fellowship: Service; caddy: Service }
    volumes: Record<string, null>
  }

  test('the container sets only settings of the product', () => {
    const line = /^ENV (.*)$/m.exec(file)![1]!
    const names = [...line.matchAll(/(\w+)=/g)].map(([, name]) => name!)
    expect(unknown(names)).toEqual(['NODE_ENV'])
    expect(unknown(Object.keys(compose.services.fellowship.environment))).toEqual([])
  })

  test('the container has a volume at the data folder', () => {
    const place = /DATA_DIR=(\S+)/.exec(file)![1]!
    expect(file).toContain(`\nVOLUME ${place}\n`)
    expect(compose.services.fellowship.volumes).toContain(`data:${place}`)
    const named = Object.values(compose.services)
      .flatMap(({ volumes }) => volumes.map((volume) => volume.split(':', 1)[0]!))
      .filter((name) => !name.startsWith('.'))
    expect(named.toSorted()).toEqual(Object.keys(compose.volumes).toSorted())
  })

  test('the container runs unprivileged with a health check', () => {
    expect(/^USER (?!root)\w+$/m.test(file)).toBe(true)
    const [, question] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(file)!
    expect(JSON.parse(question!)).toEqual(['node', '-e', expect.stringContaining('/api/health/live')])
  })

  test('Caddy gets the variables of its example', () => {
    const wanted = [...read('infra/deploy/Caddyfile').matchAll(/\{\$([A-Z]+)/g)].map(([, name]) => name!)
    expect(Object.keys(compose.services.caddy.environment).toSorted()).toEqual(wanted.toSorted())
  })
})

interface Workflow {
  permissions: Record<string, string>
  jobs: Record<string, { steps: { uses?: string; run?: string }[] }>
}

describe.each(readdirSync(path.join(root, '.github/workflows')))('the workflow %s', (name) => {
  const { permissions, jobs } = parse(read(`.github/workflows/${name}`)) as Workflow

  test('a workflow has read permission unless a job extends it', () => {
    expect(permissions).toEqual({ contents: 'read' })
  })

  test('a workflow pins each action to a commit', () => {
    const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []))
    expect(used.length).toBeGreaterThan(0)
    expect(used.filter((action) => !/^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/.test(action))).toEqual([])
  })
})

test('the Renovate settings pin actions', () => {
  const { extends: presets } = JSON.parse(read('.github/renovate.json')) as { extends: string[] }
  expect(presets).toContain('helpers:pinGitHubActionDigests')
})
