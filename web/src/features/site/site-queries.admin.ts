import { site, type Site, type SiteChanges, type SitePicture } from '@fellowship/schema/site/site.contract'
import { siteTexts } from '@fellowship/schema/site/site.texts'
import { uploadTimeoutMs } from '@fellowship/schema/uploads/uploads.limits'
import { call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { saveOver } from '../../lib/save-over.ts'

/** The identity of the server, not of this device. */
export const useSiteNow = adminQuery(site.read)

/** The changes of a form, and the fields and revision that it opened with. */
interface SiteEdit {
  base: Partial<Site> & { rev: number }
  changes: SiteChanges
}

const saveSite = ({ base, changes }: SiteEdit): Promise<Site> =>
  saveOver(base, changes, ({ rev: baseRev }) => call(site.update, { body: { ...changes, baseRev } }))

export const useSaveSite = adminMutation({
  call: saveSite,
  success: () => ({ title: siteTexts.updated }),
  failure: siteTexts.updateFailed,
  invalidates: [site.read],
  pendingUntilRefreshed: true,
})

/** A chosen file to send, or null to return to the picture of this product. */
interface PictureEdit {
  field: SitePicture | 'logo'
  file: File | null
}

export const useChangePicture = adminMutation({
  call: ({ field, file }: PictureEdit): Promise<Site> => {
    if (!file) return call(site.update, { body: { [field]: null } })
    const signal = AbortSignal.timeout(uploadTimeoutMs)
    if (field === 'logo') return call(site.logo, { files: { logo: file }, signal })
    return call(site.picture, { params: { which: field }, files: { picture: file }, signal })
  },
  success: (_, { field, file }) => ({
    title: !file ? siteTexts.pictureRemoved : field === 'logo' ? siteTexts.logoSaved : siteTexts.pictureSaved,
  }),
  failure: siteTexts.updateFailed,
  invalidates: [site.read],
  pendingUntilRefreshed: true,
})
