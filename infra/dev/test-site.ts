import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setChurch } from '@fellowship/schema/church'
import type { SiteFields } from '@fellowship/schema/site/site.contract'
import { beforeEach } from 'vitest'

/** The site of a fresh start, for every test. */
const file = path.join(import.meta.dirname, '../../api/site.defaults.json')
const fields = JSON.parse(readFileSync(file, 'utf8')) as SiteFields
const fresh = { ...fields, rev: 0, links: [] }
setChurch(fresh)
beforeEach(() => setChurch(fresh))
