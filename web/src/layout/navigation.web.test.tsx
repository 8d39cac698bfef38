import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import { aUser } from '@fellowship/schema/testing/builders'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { queryClient } from '../lib/query-client.ts'
import { putDefaultPages } from '../testing/default-pages.ts'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'

// An open dialog hides them from screen readers.
const linksOf = async () =>
  within(await screen.findByRole('navigation', { name: 'Main', hidden: true })).getAllByRole('link', {
    hidden: true,
  })
const labels = async () => (await linksOf()).map((link) => link.textContent)

describe('the links', () => {
  test.each([
    ['visitors', null],
    ['a signed-in person', aUser()],
  ])('shows no Admin link to %s', async (_, user) => {
    renderSite('/', user)
    expect(await labels()).toEqual(['Home', 'About', 'Teaching', 'Browse', 'My listening'])
  })

  test('shows the Admin link to an administrator', async () => {
    const site = renderSite('/', null)
    await labels()
    await site.setUser(aUser({ role: 'admin' }))
    expect(await labels()).toEqual(['Home', 'About', 'Teaching', 'Browse', 'My listening', 'Admin'])
  })

  test('Admin counts the waiting recordings and leads to them', async () => {
    const items = ['4', '5'].map((digit) => ({
      id: `0198c1de-0000-7000-8000-00000000000${digit}`,
      filename: 'hope.wav',
      bytes: 16_000,
      arrivedAt: '2026-11-22T10:00:00.000Z',
      keptUntil: '2026-12-22T10:00:00.000Z',
      reason: 'The end is missing.',
      fix: 'Upload it again.',
      isCutOff: true,
      parsedData: { isValid: false, errors: [], title: '', speaker: '', date: '', scriptureReference: '' },
    }))
    await testServer({ [`GET ${inbox.list.path}`]: () => ({ body: { success: true, items } }) })
    queryClient.clear()
    renderSite('/', aUser({ role: 'admin' }))
    const link = await screen.findByRole('link', { name: /^Admin\s*2\s*waiting$/ })
    await userEvent.click(link)
    expect(await screen.findByRole('tab', { name: 'Inbox', selected: true })).toBeTruthy()
    queryClient.clear()
  })

  test.each([
    ['/', ['Home']],
    ['/?signin=&return=%2Fteaching', ['Home']],
    ['/about', ['About']],
    ['/about/elders', ['About']],
    ['/aboutness', []],
    ['/nowhere', []],
  ])('the page %s highlights the links %j', async (address, current) => {
    renderSite(address, null)
    const links = (await linksOf()).filter((link) => link.getAttribute('aria-current') === 'page')
    expect(links.map((link) => link.textContent)).toEqual(current)
  })
})

describe('the address with ?signin', () => {
  test('return never leads to another site', async () => {
    const site = renderSite('/about?signin&return=//evil.example/x', aUser())
    await waitFor(() => expect(site.address()).toBe('/about'))
  })

  test('?signin leads a signed-in person on at once', async () => {
    const site = renderSite('/?signin&return=/about', aUser())
    await waitFor(() => expect(site.address()).toBe('/about'))
  })

  test('?signin leaves the address when the panel closes', async () => {
    const site = renderSite('/about?signin', null)
    expect(await screen.findByRole('dialog', { name: 'Sign In' })).toBeTruthy()
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(site.address()).toBe('/about')
  })
})

test.each([
  ['/series', '/browse#series'],
  ['/speakers/', '/browse#speakers'],
  ['/books', '/browse#books'],
])('the earlier page %s leads to %s', async (path, place) => {
  const site = renderSite(path, null)
  expect(await screen.findByRole('heading', { name: 'Browse', level: 1 })).toBeTruthy()
  expect(site.address()).toBe(place)
})

describe('a path that is no page', () => {
  test.each(['/about.', '//about', '/About)'])('%s leads to /about', async (path) => {
    const site = renderSite(path, null)
    await waitFor(() => expect(site.address()).toBe('/about'))
  })

  test('an unknown path shows the 404 page', async () => {
    renderSite('/nowhere', null)
    expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeTruthy()
    expect(document.title).toMatch(/^404 Page Not Found/)
  })
})

describe('another page', () => {
  test('a newly shown page gets the focus', async () => {
    await putDefaultPages()
    const site = renderSite('/', null)
    await userEvent.click((await linksOf())[1]!)
    await waitFor(() => expect(site.address()).toBe('/about'))
    expect(await screen.findByRole('heading', { name: 'Who We Are' })).toBeTruthy()
    await waitFor(() => expect(document.activeElement?.id).toBe('main'))
  })
})

test.each([
  ['Mere', 'Your account'],
  ['Open the menu', 'Menu'],
  ['Settings', 'Settings'],
])('the dialog of "%s" closes on another page', async (name, title) => {
  const site = renderSite('/', aUser({ name: 'Mere' }))
  await userEvent.click(await screen.findByRole('button', { name }))
  await screen.findByRole('dialog', { name: title })
  await site.goTo('/about')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await site.goTo('/')
  expect(screen.queryByRole('dialog')).toBeNull()
})
