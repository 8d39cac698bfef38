import { type ComponentType, createContext, createElement, type ReactNode } from 'react'
import { makeStore, useStore } from '../lib/lazy-store.ts'

interface HeldDialog {
  id: number
  dialog: ReactNode
}

/** The open dialogs over rows. The frame of the pages renders them (layout/held-dialogs.tsx). */
export const heldDialogs = makeStore<readonly HeldDialog[]>([])
let opened = 0

/**
 * Opens a dialog above the page, its session and its updates: only `onClose` closes it. Its props are those of the press, so
 * that a row which is synced meanwhile does not change under the person's hands.
 */
export function openHeld<Props extends { onClose: () => void }>(
  Part: ComponentType<Props>,
  props: Omit<NoInfer<Props>, 'onClose'>,
): void {
  const id = (opened += 1)
  const onClose = () => heldDialogs.set(heldDialogs.snapshot().filter((each) => each.id !== id))
  const dialog = createElement(Part, { ...props, onClose } as unknown as Props)
  heldDialogs.set([...heldDialogs.snapshot(), { id, dialog }])
}

/** Whether such a dialog is open: the address of the page does not change meanwhile. */
export const useDialogHeld = (): boolean => useStore(heldDialogs).length > 0

interface Obstacle {
  /** Shown in a form that cannot be saved now: the reason, and the way out. */
  notice?: ReactNode
}

/** Why forms cannot be saved now; empty if they can. */
export const ObstacleContext = createContext<Obstacle>({})
