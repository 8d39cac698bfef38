import { auth } from '@fellowship/schema/auth/auth.contract'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useMutation } from '@tanstack/react-query'
import { queryClient } from '../../lib/query-client.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'

/** Confirms on a click, not on load, because mail scanners open links too. */
export function VerifyEmailCard({ token }: { token: string }) {
  const verify = useMutation({ mutationFn: () => call(auth.verifyEmail, { body: { token } }) }, queryClient)
  if (verify.isSuccess) return <Banner tone="leaf" title={authTexts.emailVerified} />
  return (
    <>
      <p className="mb-6 text-soft">Confirm this email address is yours.</p>
      {verify.error && (
        <p role="alert" className="mb-4 font-medium text-brick">
          {sentenceOfError(verify.error)}
        </p>
      )}
      <Button onClick={() => verify.mutate()} pending={verify.isPending} pendingLabel="Confirming...">
        Confirm
      </Button>
    </>
  )
}
