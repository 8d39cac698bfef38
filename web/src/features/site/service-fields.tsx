import type { SiteFields } from '@fellowship/schema/site/site.contract'
import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { type UseFormReturn, useFieldArray } from 'react-hook-form'
import { Button } from '../../ui/button.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { SiteForm, type SiteGroupProps } from './site-form.tsx'

export const weekdays = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const

type Services = Pick<SiteFields, 'services'>
type Service = SiteFields['services'][number]

/** The services of a week: day, time, and the words that pages show. */
export function ServiceForm(props: SiteGroupProps) {
  return (
    <SiteForm<Services> {...props} group="service" names={['services']}>
      {(form) => <ServiceList form={form} />}
    </SiteForm>
  )
}

function ServiceList({ form }: { form: UseFormReturn<Services, unknown, Services> }) {
  const { fields, append, remove, swap } = useFieldArray({ control: form.control, name: 'services' })
  const add = () => {
    const last = form.getValues('services').at(-1)
    const next = { weekday: last?.weekday ?? 'Sunday', time: last ? '18:30' : '10:00' } as const
    append({ ...next, words: usualWords(next) })
  }
  return (
    <>
      {fields.length === 0 && <p className="text-soft">No services yet.</p>}
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-4 empty:hidden">
        {fields.map(({ id }, at) => (
          <li key={id} className="rounded-card border border-line p-[min(1rem,5vw)]">
            <ServiceFields form={form} at={at} />
            <div className="mt-2 -mb-2 flex flex-wrap justify-end">
              <IconButton
                label={`Move service ${at + 1} up`}
                icon={ArrowUp}
                disabled={at === 0}
                onClick={() => swap(at, at - 1)}
              />
              <IconButton
                label={`Move service ${at + 1} down`}
                icon={ArrowDown}
                disabled={at === fields.length - 1}
                onClick={() => swap(at, at + 1)}
              />
              <IconButton
                kind="danger"
                label={`Remove service ${at + 1}`}
                icon={Trash2}
                onClick={() => remove(at)}
              />
            </div>
          </li>
        ))}
      </ol>
      {fields.length < mostServices && (
        <div>
          <Button kind="secondary" icon={Plus} onClick={add}>
            Add service
          </Button>
        </div>
      )}
    </>
  )
}

function ServiceFields({ form, at }: { form: UseFormReturn<Services, unknown, Services>; at: number }) {
  const errors = form.formState.errors.services?.[at]
  const { weekday, time, words } = form.watch(`services.${at}`)
  /** The words are derived from the day and the time until a person edits them. */
  const follow = (change: Partial<Service>) => {
    if (words === usualWords({ weekday, time }))
      form.setValue(`services.${at}.words`, usualWords({ weekday, time, ...change }), { shouldDirty: true })
  }
  return (
    <div className="grid gap-4 sm:grid-cols-[1fr_9rem]">
      <Field label="Day">
        {(control) => (
          <Select
            {...control}
            {...form.register(`services.${at}.weekday`, {
              onChange: ({ target }: { target: { value: Service['weekday'] } }) =>
                follow({ weekday: target.value }),
            })}
          >
            {weekdays.map((day) => (
              <option key={day}>{day}</option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Time" error={errors?.time?.message}>
        {(control) => (
          <Input
            {...control}
            type="time"
            {...form.register(`services.${at}.time`, {
              onChange: ({ target }: { target: { value: string } }) => follow({ time: target.value }),
            })}
          />
        )}
      </Field>
      <div className="sm:col-span-2">
        <Field label="Words" error={errors?.words?.message}>
          {(control) => <Input {...control} autoComplete="off" {...form.register(`services.${at}.words`)} />}
        </Field>
      </div>
    </div>
  )
}

const mostServices = 7

/** 'Every Sunday at 10:00 AM'. */
function usualWords({ weekday, time }: Pick<Service, 'weekday' | 'time'>): string {
  const [hour, minute] = [Number(time.slice(0, 2)), time.slice(3)]
  return `Every ${weekday} at ${hour % 12 || 12}:${minute} ${hour < 12 ? 'AM' : 'PM'}`
}
