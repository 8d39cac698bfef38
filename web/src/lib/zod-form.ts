import { installValidationMessages } from '@fellowship/schema/validation-messages'
import { zodResolver } from '@hookform/resolvers/zod'
import { useForm, type DefaultValues, type FieldValues } from 'react-hook-form'
import type { z } from 'zod'

installValidationMessages()

/** A form judged by the schema that the server judges by, in the same words: first on submit, then while typing. */
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
 * Those of `values` that were entered otherwise than they had been shown. The rest somebody else may have changed in the
 * meantime, and stays as it is there.
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
