interface FormProblemProps {
  /** A toast says the same, so that screen readers need not announce this one. */
  toasted?: boolean
  children: string
}

/** Why a form could not be submitted, above its buttons. */
export function FormProblem({ toasted = false, children }: FormProblemProps) {
  return (
    <p role={toasted ? undefined : 'alert'} className="text-small font-medium text-brick">
      {children}
    </p>
  )
}
