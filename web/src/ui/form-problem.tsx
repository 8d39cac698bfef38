interface FormProblemProps {
  /** A toast says it too: then it is not read out twice. */
  toasted?: boolean
  children: string
}

/** Above the buttons of a form: why it was not taken. */
export function FormProblem({ toasted = false, children }: FormProblemProps) {
  return (
    <p role={toasted ? undefined : 'alert'} className="text-small font-medium text-brick">
      {children}
    </p>
  )
}
