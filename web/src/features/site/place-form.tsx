import { siteFields, type SiteFields } from '@fellowship/schema/site/site.contract'
import { siteTexts } from '@fellowship/schema/site/site.texts'
import { useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { Field, Input } from '../../ui/field.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { SiteForm, type SiteGroupProps } from './site-form.tsx'
import { siteLabels } from './site-words.ts'

const PinMap = lazyPart(() => import('../../ui/pin-map.tsx'), 'PinMap', {
  placeholder: () => <Skeleton className="h-80 w-full" />,
  failure: 'ignore',
})

type PlaceFields = Pick<SiteFields, 'address' | 'map' | 'timeZone'>
type PlaceFormState = UseFormReturn<PlaceFields, unknown, PlaceFields>
type Pin = NonNullable<SiteFields['map']>

/** Address, map and time zone. */
export function PlaceForm(props: SiteGroupProps) {
  return (
    <SiteForm<PlaceFields> {...props} group="place" names={['address', 'map', 'timeZone']}>
      {(form) => (
        <>
          <AddressFields form={form} />
          <MapField form={form} />
          <TimeZoneField form={form} />
        </>
      )}
    </SiteForm>
  )
}

function AddressFields({ form: { register, formState } }: { form: PlaceFormState }) {
  const errors = formState.errors.address
  return (
    <div className="grid gap-4 sm:grid-cols-[1fr_9rem]">
      <div className="sm:col-span-2">
        <Field label="Street" error={errors?.street?.message}>
          {(control) => <Input {...control} autoComplete="off" {...register('address.street')} />}
        </Field>
      </div>
      <Field label="Town" error={errors?.locality?.message}>
        {(control) => <Input {...control} autoComplete="off" {...register('address.locality')} />}
      </Field>
      <Field label="Postal code" error={errors?.postalCode?.message}>
        {(control) => <Input {...control} autoComplete="off" {...register('address.postalCode')} />}
      </Field>
      <Field label="Country" error={errors?.country?.message}>
        {(control) => <Input {...control} autoComplete="off" {...register('address.country')} />}
      </Field>
      <Field label="Country code" error={errors?.countryCode?.message}>
        {(control) => (
          <Input
            {...control}
            autoComplete="off"
            autoCapitalize="characters"
            maxLength={2}
            {...register('address.countryCode', {
              setValueAs: (code: unknown) => (typeof code === 'string' ? code.toUpperCase() : code),
            })}
          />
        )}
      </Field>
    </div>
  )
}

/** The pin: by a click on the map, or by its coordinates as map services show them. */
function MapField({ form }: { form: PlaceFormState }) {
  const pin = form.watch('map')
  const [last, setLast] = useState<Pin>(pin ?? wholeWorld)
  /** As typed, until the pin is set on the map. */
  const [typed, setTyped] = useState<string>()
  const set = (next: Pin | null) => {
    if (isPlace(pin)) setLast(pin)
    form.setValue('map', next, { shouldDirty: true, shouldValidate: form.formState.isSubmitted })
  }
  const type = (text: string) => {
    setTyped(text)
    const found = coordinates.exec(text)
    const [latitude, longitude] = found ? [Number(found[1]), Number(found[2])] : [Number.NaN, Number.NaN]
    set({ latitude, longitude, zoom: Math.max(pin?.zoom ?? last.zoom, streetZoom) })
  }
  return (
    <>
      <label className="flex min-h-11 items-center gap-3">
        <input
          type="checkbox"
          checked={pin !== null}
          onChange={({ target }) => {
            setTyped(undefined)
            set(target.checked ? last : null)
          }}
          className="size-5 shrink-0 accent-pine"
        />
        Show a map
      </label>
      {pin && (
        <>
          <PinMap
            pin={isPlace(pin) ? pin : last}
            onPick={(next) => {
              setTyped(undefined)
              set(next)
            }}
          />
          <Field
            label="Coordinates"
            hint="Click the map at the door of the building, or copy latitude and longitude from a map service."
            error={form.formState.errors.map && siteTexts.coordinatesInvalid}
          >
            {(control) => (
              <Input
                {...control}
                autoComplete="off"
                value={typed ?? `${pin.latitude}, ${pin.longitude}`}
                onChange={({ target }) => type(target.value)}
              />
            )}
          </Field>
        </>
      )}
    </>
  )
}

/** Typed coordinates may be none yet. */
const isPlace = (pin: Pin | null): pin is Pin => pin !== null && siteFields.shape.map.safeParse(pin).success

const wholeWorld: Pin = { latitude: 0, longitude: 0, zoom: 1 }
/** At which a street can be told from the next. */
const streetZoom = 16
const coordinates = /^\s*(-?\d+(?:\.\d+)?)°?\s*[,;\s]\s*(-?\d+(?:\.\d+)?)°?\s*$/

function TimeZoneField({ form: { register, watch, formState } }: { form: PlaceFormState }) {
  return (
    <Field
      label={siteLabels.timeZone}
      hint={timeIn(watch('timeZone')) ?? 'Type a city to search, such as Auckland or Dublin.'}
      error={formState.errors.timeZone?.message}
    >
      {(control) => (
        <>
          <Input {...control} list="time-zones" autoComplete="off" {...register('timeZone')} />
          <datalist id="time-zones">
            {Intl.supportedValuesOf('timeZone').map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

/** 'It is Monday 9:05 AM there now.' Undefined if there is no such zone. */
function timeIn(timeZone: string): string | undefined {
  try {
    const format = new Intl.DateTimeFormat('en', {
      timeZone,
      weekday: 'long',
      hour: 'numeric',
      minute: '2-digit',
    })
    return timeZone === '' ? undefined : `It is ${format.format(new Date())} there now.`
  } catch {
    return undefined
  }
}
