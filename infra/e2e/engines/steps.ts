import type { Person } from '../support/people.ts'
import type { Screen } from './screen.ts'
import { button, dialog, field, heading, like, row, text, type Target } from './target.ts'

const searchField: Target = { placeholder: 'Search teaching by title, speaker, or topic...' }

/** The titles of the rows, top to bottom. */
export const titles = (screen: Screen): Promise<string[]> =>
  screen.texts({ role: 'heading', level: 3, within: { role: 'main' } })

/** Waits until the service worker controls the page and the library is on the device. */
export async function synced(screen: Screen): Promise<void> {
  await screen.comesTo(async () => {
    // All but the page itself is loaded after the first interaction.
    await screen.moveMouse()
    return screen.inPage(() => navigator.serviceWorker.controller !== null)
  }, true)
  await screen.see(text(like(/^Up to date, /)))
}

/** Saves a recording that may be saved already, as journeys share a browser. */
export async function save(screen: Screen, title: string): Promise<void> {
  const saved = button(`Saved: ${title}`, row(title))
  await screen.see(button(like(new RegExp(`^Save(?:d| offline.*): ${title}$`)), row(title)))
  if ((await screen.texts(saved)).length > 0) return
  await screen.click(button(like(new RegExp(`^Save offline.*: ${title}$`)), row(title)))
  await screen.see(saved)
}

/** Presses Play and waits until the recording sounds and the player says so. */
export async function play(screen: Screen, title: string): Promise<void> {
  await screen.click(button(`Play ${title}`, row(title)))
  await sounds(screen)
  await screen.see(button('Pause', player(title)))
}

/** Waits until the recording advances. */
async function sounds(screen: Screen): Promise<void> {
  await screen.comesTo(async () => (await sound(screen)).paused, false)
  const before = await sound(screen)
  await screen.comesTo(async () => (await sound(screen)).at > before.at, true)
}

/** Presses a place of the player's slider, from 0 to 1, and waits until it plays from there. */
export async function seekTo(screen: Screen, title: string, share: number): Promise<void> {
  await screen.click({ role: 'slider', name: 'Position', within: player(title), at: share })
  const place = async () => {
    const { at, of } = await sound(screen)
    return Math.abs(at / of - share) < 0.1 ? 'there' : `at ${at} of ${of}`
  }
  await screen.comesTo(place, 'there')
  await sounds(screen)
}

export const player = (title: string): Target => ({ role: 'region', name: `Player: ${title}` })

/** The audio element: address, position and length in seconds. */
export const sound = (screen: Screen) =>
  screen.inPage(() => {
    const { currentSrc, currentTime, duration, paused } = document.querySelector('audio')!
    return { address: currentSrc, at: currentTime, of: duration, paused }
  })

/** Signs in through the panel of the page. */
export async function signIn(screen: Screen, { name, email, password }: Person): Promise<void> {
  await screen.click(button('Sign In'))
  const panel = dialog('Sign In')
  await screen.fill(field('Email', panel), email)
  await screen.fill(field('Password', panel), password)
  await screen.click(button('Sign In', panel))
  await screen.see(text('Login successful'))
  await screen.gone(panel)
  await screen.see(button(name))
}

/** Opens the library, signed in. */
export async function openSignedIn(screen: Screen, url: string, person: Person): Promise<void> {
  await screen.open(`${url}/teaching`)
  // A page that was rendered for a visitor has its Sign In until the server has answered.
  await synced(screen)
  await screen.see(button(like(new RegExp(`^(?:Sign In|${person.name})$`))))
  if ((await screen.texts(button(person.name))).length === 0) await signIn(screen, person)
  await synced(screen)
}

export async function search(screen: Screen, words: string, found: readonly string[]): Promise<void> {
  await screen.fill(searchField, words)
  await screen.see(heading(`Search Results (${found.length})`, 2))
  await screen.comesTo(() => titles(screen), found)
}

/** Signs out; listening that is kept with the account stays on the device. */
export async function signOut(screen: Screen, { name }: Person): Promise<void> {
  const stays = button('Let it stay, and sign out')
  await screen.click(button(name))
  await screen.click(button('Sign Out', dialog('Your account')))
  await screen.comesTo(async () => {
    if ((await screen.texts(stays)).length > 0) await screen.click(stays)
    return (await screen.texts(text('Logout successful'))).length > 0
  }, true)
  await screen.see(heading(like(/^Welcome to/), 1))
}
