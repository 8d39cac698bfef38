import { act, render, screen } from '@testing-library/react'
import { lazy, startTransition, useState } from 'react'
import { expect, test } from 'vitest'
import { LazyWhen } from './lazy-when.tsx'

test('code that does not come holds up nothing else that is shown in a transition', async () => {
  const Never = lazy(() => new Promise<never>(() => undefined))
  let show: () => void
  function Page() {
    const [shown, setShown] = useState(false)
    show = () => startTransition(() => setShown(true))
    return (
      <>
        <LazyWhen when={shown}>
          <Never />
        </LazyWhen>
        {shown && <p>A message</p>}
      </>
    )
  }
  render(<Page />)
  await act(async () => show())
  expect(screen.getByText('A message')).toBeTruthy()
})
