import { expect, test } from 'vitest'
import { noPages } from './no-pages.ts'

/** As workbox's NavigationRoute asks: of path and query in one. */
const isPage = (address: string) => !noPages.some((none) => none.test(address))

test.each([
  '/',
  '/teaching',
  '/teaching?q=15.3.2026',
  '/teaching?q=Rom.8',
  '/teaching?speaker=Dr.Smith',
  '/verify-email?token=a.b',
])('%s is a page of the app, also offline', (address) => expect(isPage(address)).toBe(true))

test.each([
  '/api/login?return=%2F',
  '/audio/2026/hope.mp3',
  '/offline-audio/hope',
  '/feed.xml',
  '/feed.xml?from=2026',
  '/robots.txt',
])('%s is none', (address) => expect(isPage(address)).toBe(false))
