import { RouterProvider } from '@tanstack/react-router'
import { useLayoutEffect } from 'react'
import { AudioElementProvider } from './features/audio/player/audio-element.tsx'
import { AuthProvider } from './features/auth/auth-context.tsx'
import type { makeRouter } from './router.tsx'
import { Toaster } from './ui/toaster.tsx'

/** The frame around every page, rendered alike in the browser and for prerendered HTML. */
export function Site({ router }: { router: ReturnType<typeof makeRouter> }) {
  // Event handlers are attached now: buttons respond and fields accept input.
  useLayoutEffect(() => {
    const prerendered = document.querySelector('[data-first]')
    prerendered?.removeAttribute('data-first')
    for (const input of prerendered?.querySelectorAll('input[readonly]') ?? [])
      input.removeAttribute('readonly')
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
