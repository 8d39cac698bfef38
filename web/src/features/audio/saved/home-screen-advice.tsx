import { appleBrowser } from '../../../lib/home-screen.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'

/** Shown when the first recording is to be saved in a browser of an iPhone or iPad. */
export function HomeScreenAdvice({ onSave, onClose }: { onSave: () => void; onClose: () => void }) {
  const browser = appleBrowser() ?? 'the browser'
  return (
    <Dialog
      title="Put it on your Home Screen first"
      description="An iPhone clears what a website keeps when you have not visited it for a week. From the Home Screen, your saved teaching stays."
      onClose={onClose}
    >
      <ol className="mt-5 list-decimal space-y-2 pl-6">
        <li>Tap the Share button of {browser}.</li>
        <li>Choose “Add to Home Screen”, then “Add”.</li>
        <li>Open it from the Home Screen once while you have signal, and save your teaching there.</li>
      </ol>
      <p className="mt-4 text-small text-soft">What you save here in {browser} does not move to that app.</p>
      <div className="mt-6 flex flex-wrap justify-end gap-3">
        <Button kind="secondary" onClick={onSave}>
          Save here all the same
        </Button>
        <Button data-autofocus onClick={onClose}>
          I will do that
        </Button>
      </div>
    </Dialog>
  )
}
