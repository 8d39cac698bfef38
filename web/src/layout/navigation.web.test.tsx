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
    ['visitors', null],
    ['a signed-in person', aUser()],
  ])('shows no Admin link to %s', async (_, user) => {
    renderSite('/', user)
    expect(await labels()).toEqual(['Home', 'About', 'Teaching'])
  })

  test('shows the Admin link to an administrator', async () => {
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

describe('a path that is no page', () => {
  test('an unknown path shows the 404 page', async () => {
    renderSite('/nowhere', null)
    expect(await screen.findByRole('heading', { name: '404 Page Not Found' })).toBeTruthy()
    expect(document.title).toMatch(/^404 Page Not Found/)
  })
})

describe('another page', () => {
  test('a newly shown page gets the focus', async () => {
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
])('the dialog of "%s" closes on another page', async (name, title) => {
  const site = renderSite('/', aUser({ name: 'Mere' }))
  await userEvent.click(await screen.findByRole('button', { name }))
  await screen.findByRole('dialog', { name: title })
  await site.goTo('/about')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await site.goTo('/')
  expect(screen.queryByRole('dialog')).toBeNull()
})
