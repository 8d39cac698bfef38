/** Holds presses of buttons until hydration removes `data-first` from `root`, then replays the last one. */
export function replayLastPress(root: Element): void {
  let pressed: HTMLButtonElement | null = null
  const hold = (event: Event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    if (!button) return
    event.preventDefault()
    pressed = button
  }
  root.addEventListener('click', hold)
  const hydration = new MutationObserver(() => {
    hydration.disconnect()
    root.removeEventListener('click', hold)
    setTimeout(() => pressed?.click())
  })
  hydration.observe(root, { attributeFilter: ['data-first'] })
}
