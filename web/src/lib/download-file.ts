/**
 * Gives the person a file that was made on this device, as a download. An app on the Home Screen of an iPhone would show
 * that without a way back, so there it is shared.
 */
export async function downloadFile(name: string, content: Blob): Promise<void> {
  const file = new File([content], name, { type: content.type })
  const installed = matchMedia('(display-mode: standalone)').matches
  if (installed && navigator.maxTouchPoints > 0 && navigator.canShare?.({ files: [file] })) {
    const shared = await navigator.share({ files: [file] }).then(
      () => true,
      // Closed by the person, or asked too long after the tap: then it is offered as a download.
      (error: unknown) => error instanceof DOMException && error.name === 'AbortError',
    )
    if (shared) return
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
