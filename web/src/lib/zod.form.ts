import { installValidationMessages } from '@fellowship/schema/validation-messages'
import { zodResolver } from '@hookform/resolvers/zod'
import { useEffect, useEffectEvent } from 'react'
import { useForm, type DefaultValues, type FieldValues, type Path, type PathValue } from 'react-hook-form'
import type { z } from 'zod'

installValidationMessages()

/** The words of a form that are kept on the device until they are saved (lib/drafts.ts). */
export interface FormDraft {
  /** When the words were typed that the form began with, epoch milliseconds; undefined if there were none. */
  at: number | undefined
  /** Those words, by field. */
  words: Readonly<Record<string, unknown>>
  /** Stores the changed fields; without any, deletes the draft. */
  keep: (words: Readonly<Record<string, unknown>>) => void
  /** Deletes the draft when its words are saved. */
  drop: () => void
  /** Deletes the draft at a person's request: the form shows the row again. */
  discard: () => void
}

/**
 * A form validated by the server's own schema and messages: first on submit, then on every change.
 *
 * @param draft begins with its words, and keeps those that are typed
 */
export function useZodForm<Input extends FieldValues, Output extends FieldValues>(
  schema: z.ZodType<Output, Input>,
  defaultValues: DefaultValues<Input>,
  draft?: FormDraft,
) {
  const form = useForm<Input, unknown, Output>({
    resolver: zodResolver(schema),
    defaultValues,
    mode: 'onSubmit',
    reValidateMode: 'onChange',
  })
  const restore = useEffectEvent((at: number | undefined) => {
    if (at === undefined) form.reset(defaultValues)
    for (const [name, word] of Object.entries(draft?.words ?? {}))
      form.setValue(name as Path<Input>, word as PathValue<Input, Path<Input>>, { shouldDirty: true })
  })
  const keep = useEffectEvent((entered: Readonly<Record<string, unknown>>) => {
    const changed = Object.entries(entered).filter(([name, word]) => !isSameWord(word, defaultValues[name]))
    draft?.keep(Object.fromEntries(changed))
  })
  const hasDraft = draft !== undefined
  const at = draft?.at
  useEffect(() => {
    if (!hasDraft) return undefined
    restore(at)
    // After the words of the draft are in, which are not typed now.
    return form.subscribe({ formState: { values: true }, callback: ({ values }) => keep(values) })
  }, [hasDraft, at, form])
  return form
}

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
    if (isSameWord(entered[name], shown[name])) delete changed[name]
  }
  return changed
}

/** Whether two values of a field are the same, also of one that has parts, in whatever order a database returns them. */
export const isSameWord = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one, inOrder) === JSON.stringify(other, inOrder)

const inOrder = (_: string, part: unknown): unknown =>
  typeof part === 'object' && part !== null && !Array.isArray(part)
    ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : part
