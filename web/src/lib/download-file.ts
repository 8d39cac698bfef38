/**
 * Downloads a file that was made on this device. An app on the Home Screen of an iPhone would show it without a way
 * back, so there it opens the share sheet.
 */
export async function downloadFile(name: string, content: Blob): Promise<void> {
  const file = new File([content], name, { type: content.type })
  const installed = matchMedia('(display-mode: standalone)').matches
  if (installed && navigator.maxTouchPoints > 0 && navigator.canShare?.({ files: [file] })) {
    const shared = await navigator.share({ files: [file] }).then(
      () => true,
      // Stops if the user closed the sheet; if the call came too long after the tap, it downloads instead.
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
