import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'

/** A person's steps or events, and the sentences that a screen then shows. */
export interface Scenario {
  says: readonly string[]
  bring: () => Promise<unknown>
}

/** A refusal as the server sends it. */
export const refused = (status = 503, error = 'Away for a moment.', code = 'unavailable') => ({
  status,
  body: { error, code },
})

export const press = async (name: string | RegExp): Promise<void> =>
  userEvent.click(await screen.findByRole('button', { name }))

export const fillIn = async (fields: Readonly<Record<string, string>>): Promise<void> => {
  for (const [label, text] of Object.entries(fields)) {
    const field = await screen.findByLabelText(label)
    await userEvent.clear(field)
    if (text !== '') await userEvent.type(field, text)
  }
}

/** The open dialog. */
export const dialog = async () => within(await screen.findByRole('dialog'))
