import { aUser } from '@fellowship/schema/testing/builders'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { renderSite } from '../testing/render-site.tsx'

const linksOf = async () =>
  within(await screen.findByRole('navigation', { name: 'Main' })).getAllByRole('link')
const labels = async () => (await linksOf()).map((link) => link.textContent)

describe('the links', () => {
  test.each([
    ['nobody', null],
    ['a signed-in person', aUser()],
  ])('have no Admin for %s', async (_, user) => {
    renderSite('/', user)
    expect(await labels()).toEqual(['Home', 'About', 'Teaching'])
  })

  test('have Admin for an administrator', async () => {
    const site = renderSite('/', null)
    await labels()
    await site.setUser(aUser({ role: 'admin' }))
    expect(await labels()).toEqual(['Home', 'About', 'Teaching', 'Admin'])
  })

  test.each([
    ['/', ['Home']],
    ['/?signin=&return=%2Fteaching', ['Home']],
    ['/about', ['About']],
    ['/about/elders', ['About']],
    ['/aboutness', []],
    ['/nowhere', []],
  ])('at %s highlight %j', async (address, current) => {
    renderSite(address, null)
    const links = (await linksOf()).filter((link) => link.getAttribute('aria-current') === 'page')
    expect(links.map((link) => link.textContent)).toEqual(current)
  })
})

describe('the address with ?signin', () => {
  test('never leads to another site', async () => {
    const site = renderSite('/about?signin&return=//evil.example/x', aUser())
    await waitFor(() => expect(site.address()).toBe('/about'))
  })

  test('leads a signed-in person on at once', async () => {
    const site = renderSite('/?signin&return=/about', aUser())
    await waitFor(() => expect(site.address()).toBe('/about'))
  })

  test('opens the panel on any page, and forgets it when the panel is closed', async () => {
    const site = renderSite('/about?signin', null)
    expect(await screen.findByRole('dialog', { name: 'Sign In' })).toBeTruthy()
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(site.address()).toBe('/about')
  })
})

describe('a path that is no page', () => {
  test('is the 404 page', async () => {
    renderSite('/nowhere', null)
    expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeTruthy()
    expect(document.title).toMatch(/^404 Page Not Found/)
  })
})

describe('another page', () => {
  test('is given the focus, for those who listen', async () => {
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
  ['Display and data', 'Display and data'],
])('what %s opens is closed on another page, and on coming back', async (name, title) => {
  const site = renderSite('/', aUser({ name: 'Mere' }))
  await userEvent.click(await screen.findByRole('button', { name }))
  await screen.findByRole('dialog', { name: title })
  await site.goTo('/about')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await site.goTo('/')
  expect(screen.queryByRole('dialog')).toBeNull()
})
