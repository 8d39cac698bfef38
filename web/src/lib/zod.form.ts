import { installValidationMessages } from '@fellowship/schema/validation-messages'
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm, type DefaultValues, type FieldValues } from 'react-hook-form'
import type { z } from 'zod'

installValidationMessages()

/** A form validated by the server's own schema and messages: first on submit, then on every change. */
export const useZodForm = <Input extends FieldValues, Output extends FieldValues>(
  schema: z.ZodType<Output, Input>,
  defaultValues: DefaultValues<Input>,
) =>
  useForm<Input, unknown, Output>({
    resolver: zodResolver(schema),
    defaultValues,
    mode: 'onSubmit',
    reValidateMode: 'onChange',
  })

/**
 * The `values` whose input differs from the first one shown. Sending only these preserves another user's changes to the
 * other fields.
 */
export function changedSince<Values extends object>(
  shown: Readonly<Partial<Record<keyof Values, unknown>>>,
  entered: Readonly<Partial<Record<keyof Values, unknown>>>,
  values: Values,
): Partial<Values> {
  const changed = { ...values }
  for (const name of Object.keys(values) as (keyof Values)[]) {
    if (entered[name] === shown[name]) delete changed[name]
  }
  return changed
}
