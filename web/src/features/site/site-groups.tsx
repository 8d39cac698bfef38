import type { SiteFields } from '@fellowship/schema/site/site.contract'
import { visitLabels } from '@fellowship/schema/site/site.texts'
import { Field, Input, Select, Textarea } from '../../ui/field.tsx'
import { SiteForm, type SiteGroupProps } from './site-form.tsx'
import { weekdays } from './service-fields.tsx'
import { siteLabels } from './site-words.ts'

type NameFields = Pick<SiteFields, 'name' | 'shortName' | 'description' | 'language'>

/** Name, short name, what the church is, and the language of its words. */
export function NameForm(props: SiteGroupProps) {
  return (
    <SiteForm<NameFields> {...props} group="name" names={['name', 'shortName', 'description', 'language']}>
      {({ register, watch, formState: { errors } }) => (
        <>
          <Field label={siteLabels.name} error={errors.name?.message}>
            {(control) => <Input {...control} autoComplete="off" {...register('name')} />}
          </Field>
          <Field
            label={siteLabels.shortName}
            hint="Under the icon of the installed site, where there is room for about 12 letters."
            error={errors.shortName?.message}
          >
            {(control) => <Input {...control} autoComplete="off" {...register('shortName')} />}
          </Field>
          <Field
            label={siteLabels.description}
            hint="Such as ‘a Christian fellowship’."
            error={errors.description?.message}
          >
            {(control) => <Input {...control} autoComplete="off" {...register('description')} />}
          </Field>
          <Field
            label={siteLabels.language}
            hint={languageName(watch('language')) ?? 'A tag such as en-NZ or de.'}
            error={errors.language?.message}
          >
            {(control) => (
              <>
                <Input {...control} list="languages" autoComplete="off" {...register('language')} />
                <datalist id="languages">
                  {languages.map((tag) => (
                    <option key={tag} value={tag}>
                      {languageName(tag)}
                    </option>
                  ))}
                </datalist>
              </>
            )}
          </Field>
        </>
      )}
    </SiteForm>
  )
}

/** Suggestions; any other tag is accepted too. */
const languages =
  'en-AU en-CA en-GB en-IE en-NZ en-US en-ZA mi sm to fj de fr es es-MX it nl pl pt-BR pt-PT ro ru uk sv da nb fi cs hu el sw af am hi ne ta te th vi id ko ja zh-CN zh-TW ar he'.split(
    ' ',
  )

function languageName(tag: string): string | undefined {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(tag)
  } catch {
    return undefined
  }
}

/** Email, phone, and the legal line. */
export function ContactForm(props: SiteGroupProps) {
  return (
    <SiteForm<Pick<SiteFields, 'contactEmail' | 'phone' | 'legalLine'>>
      {...props}
      group="contact"
      names={['contactEmail', 'phone', 'legalLine']}
    >
      {({ register, formState: { errors } }) => (
        <>
          <Field
            label={siteLabels.contactEmail}
            hint="In the podcast’s feed, and where people ask for help."
            error={errors.contactEmail?.message}
          >
            {(control) => (
              <Input {...control} type="email" autoComplete="off" {...register('contactEmail')} />
            )}
          </Field>
          <Field
            label={siteLabels.phone}
            optional
            hint="Shown under Plan Your Visit."
            error={errors.phone?.message}
          >
            {(control) => <Input {...control} type="tel" autoComplete="off" {...register('phone')} />}
          </Field>
          <Field
            label={siteLabels.legalLine}
            optional
            hint="At the foot of each page, such as ‘Registered charity CC12345’."
            error={errors.legalLine?.message}
          >
            {(control) => <Input {...control} autoComplete="off" {...register('legalLine')} />}
          </Field>
        </>
      )}
    </SiteForm>
  )
}

type VisitTexts = Pick<SiteFields, 'expect' | 'forChildren' | 'parking'>

/** The texts for a first visit. */
export function VisitForm(props: SiteGroupProps) {
  return (
    <SiteForm<VisitTexts> {...props} group="visit" names={['expect', 'forChildren', 'parking']}>
      {({ register, formState: { errors } }) => (
        <>
          <Field
            label={visitLabels.expect}
            hint="How long it takes, what happens, what people wear."
            error={errors.expect?.message}
          >
            {(control) => <Textarea {...control} rows={5} {...register('expect')} />}
          </Field>
          <Field
            label={visitLabels.forChildren}
            hint="Where they are during the service."
            error={errors.forChildren?.message}
          >
            {(control) => <Textarea {...control} rows={3} {...register('forChildren')} />}
          </Field>
          <Field
            label={visitLabels.parking}
            hint="Also for wheelchairs and buses."
            error={errors.parking?.message}
          >
            {(control) => <Textarea {...control} rows={3} {...register('parking')} />}
          </Field>
        </>
      )}
    </SiteForm>
  )
}

/** The weekly window in which the server takes recordings by SFTP, and the label of the version. */
export function WindowForm(props: SiteGroupProps) {
  return (
    <SiteForm<Pick<SiteFields, 'sftpWindow' | 'versionLabel'>>
      {...props}
      group="window"
      names={['sftpWindow', 'versionLabel']}
    >
      {({ register, formState: { errors } }) => (
        <>
          <div className="grid gap-4 sm:grid-cols-3">
            <Field label="SFTP opens on">
              {(control) => (
                <Select {...control} {...register('sftpWindow.weekday')}>
                  {weekdays.map((day) => (
                    <option key={day}>{day}</option>
                  ))}
                </Select>
              )}
            </Field>
            <Field label="From" error={errors.sftpWindow?.from?.message}>
              {(control) => <Input {...control} type="time" {...register('sftpWindow.from')} />}
            </Field>
            <Field
              label="To"
              error={
                errors.sftpWindow?.to?.message ??
                errors.sftpWindow?.root?.message ??
                errors.sftpWindow?.message
              }
            >
              {(control) => <Input {...control} type="time" {...register('sftpWindow.to')} />}
            </Field>
          </div>
          <Field
            label={siteLabels.versionLabel}
            hint="At the foot of each page."
            error={errors.versionLabel?.message}
          >
            {(control) => <Input {...control} autoComplete="off" {...register('versionLabel')} />}
          </Field>
        </>
      )}
    </SiteForm>
  )
}
