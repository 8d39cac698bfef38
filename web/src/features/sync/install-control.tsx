import { pushTexts } from '@fellowship/schema/push/push.texts'
import { Smartphone } from 'lucide-react'
import { useState } from 'react'
import { appleBrowser, isAppleBrowserTab } from '../../lib/home-screen.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.ts'
import { askToInstall, useCanInstall } from './install-prompt.ts'

/** Installs the site, if this browser can: by its own prompt, or by written steps on an iPhone. */
export function InstallControl() {
  const available = useCanInstall()
  const [apple] = useState(() => isAppleBrowserTab() && appleBrowser() !== undefined)
  const [steps, setSteps] = useState(false)
  if (!available && !apple) return null
  return (
    <>
      <Button
        kind="secondary"
        onClick={() => (available ? void install() : setSteps(true))}
        className="text-small!"
      >
        <Smartphone className="size-4" />
        {available ? 'Install this app' : 'Add to your Home Screen'}
      </Button>
      {steps && <Steps onClose={() => setSteps(false)} />}
    </>
  )
}

async function install(): Promise<void> {
  if (await askToInstall()) showToast(pushTexts.installed)
}

function Steps({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title="Add it to your Home Screen"
      description="It opens like any other app, and your saved teaching plays without signal."
      width="narrow"
      onClose={onClose}
    >
      <ol className="mt-5 list-decimal space-y-2 pl-6">
        <li>Tap the Share button, the square with an arrow.</li>
        <li>Choose “Add to Home Screen”, then “Add”.</li>
        <li>Open it once while you have signal, so that everything is downloaded.</li>
      </ol>
      <p className="mt-4 text-small text-soft">{pushTexts.installed.description}</p>
      <div className="mt-6 flex justify-end">
        <Button data-autofocus onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}
