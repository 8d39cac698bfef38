import { church, setChurch } from '@fellowship/schema/church'
import { beforeEach, expect, test } from 'vitest'
import { passOnSite } from './site.store.ts'

const site = (rev: number, name: string) => ({ ...church(), rev, name })
beforeEach(() => setChurch(site(5, 'Known')))

test.each([
  ['a newer site', site(6, 'Newer'), 'Newer'],
  ['the same site', site(5, 'Same'), 'Known'],
  ['an older site', site(4, 'Older'), 'Known'],
  ['no stored site', undefined, 'Known'],
])('%s gives the church the name %s', (_, stored, name) => {
  passOnSite(stored)
  expect(church().name).toBe(name)
})
