import { accentTokens } from '@fellowship/schema/site/accent'
import type { SiteFields } from '@fellowship/schema/site/site.contract'
import { Field, Input } from '../../ui/field.tsx'
import { SiteForm, type SiteGroupProps } from './site-form.tsx'
import { siteLabels } from './site-words.ts'

/** The accent colour, with what pages make of it in both schemes. */
export function LookForm(props: SiteGroupProps) {
  return (
    <SiteForm<Pick<SiteFields, 'accent'>> {...props} group="look" names={['accent']}>
      {({ register, watch, setValue, formState: { errors } }) => {
        const accent = watch('accent').toLowerCase()
        const isColour = /^#[0-9a-f]{6}$/.test(accent)
        return (
          <>
            <div className="flex flex-wrap items-start gap-3">
              <Field label="Colour">
                {(control) => (
                  <Input
                    {...control}
                    type="color"
                    className="w-16 px-2 py-1"
                    value={isColour ? accent : '#000000'}
                    onChange={({ target }) =>
                      setValue('accent', target.value, { shouldDirty: true, shouldValidate: true })
                    }
                  />
                )}
              </Field>
              <div className="grow">
                <Field label={siteLabels.accent} error={errors.accent?.message}>
                  {(control) => (
                    <Input {...control} autoComplete="off" spellCheck={false} {...register('accent')} />
                  )}
                </Field>
              </div>
            </div>
            {isColour && <AccentPreview accent={accent} />}
          </>
        )
      }}
    </SiteForm>
  )
}

function AccentPreview({ accent }: { accent: string }) {
  const tokens = accentTokens(accent)
  return (
    <div>
      <div className="grid gap-3 sm:grid-cols-2">
        {schemes.map(({ label, at, paper, ink, onAccent }) => (
          <div
            key={label}
            className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line p-4"
            style={{ background: paper, color: ink }}
          >
            <span className="grow text-small">{label}</span>
            <span className="font-medium underline" style={{ color: tokens.accent[at] }}>
              A link
            </span>
            <span
              className="rounded-card px-4 py-2 font-medium"
              style={{ background: tokens.accent[at], color: onAccent }}
            >
              A button
            </span>
            <span
              className="rounded-card px-3 py-2 text-small"
              style={{ background: tokens['accent-tint'][at], color: tokens.accent[at] }}
            >
              {tokens.accent[at]}
            </span>
          </div>
        ))}
      </div>
      {tokens.accent[0] !== accent && (
        <output className="mt-2 block text-small text-soft">
          Letters in {accent} could not be read on paper, so that pages use {tokens.accent[0]} there.
        </output>
      )}
    </div>
  )
}

/** Paper, ink and the letters on the accent, as in the page's tokens. */
const schemes = [
  { label: 'Light', at: 0, paper: '#fbf8f2', ink: '#22302b', onAccent: '#fdfbf6' },
  { label: 'Dark', at: 1, paper: '#14201c', ink: '#ede8dc', onAccent: '#0f1d17' },
] as const
