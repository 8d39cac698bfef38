import { RouterProvider } from '@tanstack/react-router'
import { useLayoutEffect } from 'react'
import { AudioElementProvider } from './features/audio/player/audio-element.tsx'
import { AuthProvider } from './features/auth/auth-context.tsx'
import type { makeRouter } from './router.tsx'
import { Toaster } from './ui/toaster.tsx'

/** Everything there is on every page, drawn alike by the browser and for the first HTML. */
export function Site({ router }: { router: ReturnType<typeof makeRouter> }) {
  // From now on there is somebody behind the buttons.
  useLayoutEffect(() => {
    const first = document.querySelector('[data-first]')
    first?.removeAttribute('data-first')
    for (const input of first?.querySelectorAll('input[readonly]') ?? []) input.removeAttribute('readonly')
  }, [])
  return (
    <AuthProvider>
      <AudioElementProvider>
        <RouterProvider router={router} />
      </AudioElementProvider>
      <Toaster />
    </AuthProvider>
  )
}
